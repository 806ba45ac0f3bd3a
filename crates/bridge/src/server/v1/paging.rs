//! Pages of lists.

use askbridge_core::limits;
use askbridge_journal::index::PageKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::server::problem::Trouble;

/// Which page is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Paging {
    /// What an earlier page gave as `next`.
    #[schemars(regex(pattern = "^pg_[0-9a-f]{1,15}$"))]
    pub(super) after: Option<String>,
    /// How many on one page: 100 if it is not said, at most 500.
    #[schemars(range(max = limits::PAGE_MAX))]
    pub(super) limit: Option<usize>,
}

/// One page of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub(crate) struct Page<T> {
    pub(super) items: Vec<T>,
    /// `null`: this was the last page.
    pub(super) next: Option<String>,
}

impl Paging {
    pub(super) fn limit(&self) -> usize {
        self.limit.unwrap_or(limits::PAGE_DEFAULT).clamp(1, limits::PAGE_MAX)
    }

    pub(super) fn after(&self) -> Result<Option<PageKey>, Trouble> {
        let after = self.after.as_deref().map(str::parse::<PageKey>).transpose();
        after.map_err(|_| Trouble::new(422, "bad_request", "`after` is not what an earlier page gave as `next`"))
    }
}

impl<T> Page<T> {
    /// Makes a page of `found`, which was queried with one more than fits.
    pub(super) fn of<F>(mut found: Vec<F>, limit: usize, key: impl Fn(&F) -> PageKey, show: impl Fn(F) -> T) -> Self {
        let more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| more).map(|last| key(last).to_string());
        Self { items: found.into_iter().map(show).collect(), next }
    }
}
