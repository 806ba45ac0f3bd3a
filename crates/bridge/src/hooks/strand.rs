//! Questions of hooks that an earlier server held. Their hooks have gone with it: each says so.

use askbridge_core::ids::AskId;
use askbridge_core::intent::Intent;
use askbridge_journal::Index;
use askbridge_journal::index::{AskFilter, IndexError, SessionFilter, SessionState, StateFilter};
use askbridge_peers::doors::hook::NAME;
use tracing::{info, warn};

use crate::runtime::chain;
use crate::server::App;

/// Sessions that are looked at in one go, and asks of each.
const PAGE: usize = 500;

impl App {
    /// Says of every question that only a hook of an earlier server waited for that its way back is gone. The terminal's own
    /// dialog still waits there; when it is answered, the question is taken back.
    pub async fn strand_hooks(&self) {
        let index = self.handle.store().index();
        let left = tokio::task::spawn_blocking(move || left_open(&index));
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

/// Finds what hooks have asked and nobody has decided, by their sessions: whatever else is open, a start waits for this.
fn left_open(index: &Index) -> Result<Vec<AskId>, IndexError> {
    let filter = SessionFilter { door: Some(NAME), state: Some(SessionState::Running), ..SessionFilter::default() };
    let (mut left, mut after) = (Vec::new(), None);
    loop {
        let page = index.sessions(&filter, after, PAGE)?;
        for row in &page {
            let open = AskFilter { states: StateFilter::Open, session: Some(row.id), ..AskFilter::default() };
            let asks = index.rows(&open, None, PAGE)?;
            left.extend(asks.iter().filter(|it| !it.parked && !it.stranded).map(|it| it.id));
        }
        match page.last() {
            Some(last) if page.len() == PAGE => after = Some(last.page_key()),
            _ => return Ok(left),
        }
    }
}
