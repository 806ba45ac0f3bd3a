//! Questions of hooks that an earlier server held. Their hooks have gone with it: each says so.

use askbridge_core::ids::AskId;
use askbridge_core::intent::Intent;
use askbridge_journal::index::{AskFilter, StateFilter};
use askbridge_peers::doors::hook::NAME;
use tracing::{info, warn};

use crate::runtime::chain;
use crate::server::App;

/// Asks that are looked at in one go.
const PAGE: usize = 500;

impl App {
    /// Says of every question that only a hook of an earlier server waited for that its way back is gone. The terminal's own
    /// dialog still waits there; when it is answered, the question is taken back.
    pub async fn strand_hooks(&self) {
        let index = self.handle.store().index();
        let left = tokio::task::spawn_blocking(move || {
            let (mut left, mut after) = (Vec::<AskId>::new(), None);
            loop {
                let filter = AskFilter { states: StateFilter::Open, ..AskFilter::default() };
                let page = index.asks(&filter, after, PAGE)?;
                let of_hooks = page
                    .iter()
                    .filter(|known| known.ask.asker.door == NAME && !known.row.parked && !known.row.stranded);
                left.extend(of_hooks.map(|known| known.ask.id));
                match page.last() {
                    Some(last) if page.len() == PAGE => after = Some(last.page_key()),
                    _ => return Ok::<_, askbridge_journal::index::IndexError>(left),
                }
            }
        });
        let left = match left.await {
            Ok(Ok(left)) => left,
            Ok(Err(error)) => return warn!(error = chain(&error), "Could not look for what earlier hooks asked"),
            Err(_) => return,
        };
        for ask in left {
            match self.handle.submit(ask.session, vec![Intent::Strand { ask }]).await {
                Ok(_) => info!(ask.id = %ask, "The hook that asked {ask} is gone; the terminal still waits"),
                Err(error) => warn!(ask.id = %ask, %error, "Could not note that a hook is gone"),
            }
        }
    }
}
