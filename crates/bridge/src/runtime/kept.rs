//! Small items that a dialect keeps for its clients, under the dialect's own name on the shelf.

use askbridge_core::ids::Raw;
use askbridge_peers::wish::Rejection;

use super::handle::Handle;

impl Handle {
    /// Stores an item, or deletes it.
    pub(crate) async fn keep(&self, dialect: &str, name: &str, thing: Option<&Raw>) -> Result<(), Rejection> {
        let key = format!("{}{name}", prefix(dialect));
        match thing {
            Some(thing) => self.shelve(&key, thing.as_str().as_bytes(), None).await,
            None => self.unshelve(&key).await,
        }
    }

    /// Returns the items whose names begin with `beginning`.
    pub(crate) async fn kept(&self, dialect: &str, beginning: &str) -> Result<Vec<(String, Raw)>, Rejection> {
        let prefix = prefix(dialect);
        let items = self.shelved(&format!("{prefix}{beginning}")).await?;
        let kept = items.iter().filter_map(|item| {
            let name = item.key.strip_prefix(&prefix)?.to_owned();
            Some((name, Raw::from(std::str::from_utf8(&item.value).ok()?)))
        });
        Ok(kept.collect())
    }
}

fn prefix(dialect: &str) -> String {
    format!("kept/{dialect}/")
}
