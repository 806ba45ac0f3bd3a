//! Lists of asks. Unlike fetching a single ask, which delivers the answer to its asker, listing delivers nothing.

use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::Value;

use super::ask::{Ask, Page};
use super::error::Error;
use super::http::Client;

/// Asks that a list shows. Beyond: the rest is left out.
const ASKS_MAX: usize = 1000;

/// One page, for commands that read asks as JSON.
#[derive(Deserialize)]
struct ValuePage {
    items: Vec<Value>,
    next: Option<String>,
}

impl Client {
    /// Returns asks by state (`open`, `late`, `over`, `all`): open ones longest waiting first, others newest first.
    pub(crate) async fn asks(&self, state: &str) -> Result<Vec<Ask>, Error> {
        let order = if state == "open" { "longest_waiting" } else { "newest" };
        self.pages(&format!("state={state}&order={order}")).await
    }

    /// Returns one ask by its full id, in any state.
    pub(crate) async fn ask(&self, id: &str) -> Result<Option<Ask>, Error> {
        let session = id.strip_prefix("ask_").and_then(|rest| rest.split_once('_')).map(|(session, _)| session);
        let Some(session) = session else { return Ok(None) };
        let asks = self.pages(&format!("state=all&session=ses_{session}")).await?;
        match asks.into_iter().find(|ask| ask.shown.id == id) {
            Some(ask) => self.whole(ask).await.map(Some),
            None => Ok(None),
        }
    }

    /// Fetches an ask that a list has shortened, so that people decide on the full text. Only while it is open:
    /// fetching a verdict would deliver it.
    pub(crate) async fn whole(&self, ask: Ask) -> Result<Ask, Error> {
        if ask.shown.truncated.is_none() || !matches!(&*ask.shown.state, "open" | "proposed") {
            return Ok(ask);
        }
        self.get(&format!("/v1/asks/{}", ask.shown.id)).await?.ask()
    }

    /// Goes through all pages of a list, one in memory at a time, until `each` breaks.
    pub(crate) async fn each_page(
        &self,
        query: &str,
        mut each: impl FnMut(Vec<Value>) -> Result<ControlFlow<()>, Error>,
    ) -> Result<(), Error> {
        let mut after = String::new();
        loop {
            let reply = self.get(&format!("/v1/asks?{query}&limit=500{after}")).await?;
            let page: ValuePage =
                serde_json::from_str(&reply.text).map_err(|error| Error::Strange(error.to_string()))?;
            let flow = each(page.items)?;
            match page.next {
                Some(next) if flow.is_continue() => after = format!("&after={next}"),
                _ => return Ok(()),
            }
        }
    }

    async fn pages(&self, query: &str) -> Result<Vec<Ask>, Error> {
        let mut asks = Vec::new();
        let mut after = String::new();
        loop {
            let reply = self.get(&format!("/v1/asks?{query}&limit=100{after}")).await?;
            let strange = |error: serde_json::Error| Error::Strange(error.to_string());
            let page: Page<'_> = serde_json::from_str(&reply.text).map_err(strange)?;
            for item in page.items {
                asks.push(Ask::read(item.get()).map_err(strange)?);
            }
            match page.next {
                Some(next) if asks.len() < ASKS_MAX => after = format!("&after={next}"),
                _ => return Ok(asks),
            }
        }
    }
}
