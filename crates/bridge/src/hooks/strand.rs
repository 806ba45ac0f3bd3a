//! Asks of hooks that an earlier server held: their hooks come back, or are gone, or their agents are.

use std::collections::HashMap;

use askbridge_core::ids::AskId;
use askbridge_core::intent::Intent;
use askbridge_journal::Index;
use askbridge_journal::index::{AskFilter, IndexError, SessionFilter, SessionState, StateFilter};
use askbridge_peers::doors::hook::NAME;
use tokio::time::sleep;
use tracing::{info, warn};

use super::hold::LOOK_EVERY;
use super::waiting::{Waiting, all_waiting, forget_waiting};
use crate::auth::ProcessId;
use crate::runtime::chain;
use crate::server::App;

/// Sessions that are looked at in one go, and asks of each.
const PAGE: usize = 500;

impl App {
    /// Looks after every ask that only a hook of an earlier server waited for. A hook that still runs will come back. One that
    /// is gone strands its ask: the terminal's own dialog still waits there, and when it is answered, the ask is taken back.
    /// An agent that ended meanwhile wants no answer.
    pub async fn strand_hooks(&self) {
        let index = self.handle.store().index();
        let left = tokio::task::spawn_blocking(move || left_open(&index));
        let left = match left.await {
            Ok(Ok(left)) => left,
            Ok(Err(error)) => return warn!(error = chain(&error), "Could not look for what earlier hooks asked"),
            Err(_) => return,
        };
        let waiting: HashMap<_, _> = match all_waiting(self).await {
            Ok(waiting) => waiting.into_iter().collect(),
            Err(error) => {
                warn!(%error, "Could not look for hooks that wait");
                HashMap::new()
            }
        };
        for (ask, _) in waiting.iter().filter(|(ask, waiting)| !left.contains(ask) && !waiting.hook.is_alive()) {
            forget_waiting(self, *ask).await;
        }
        for ask in left {
            match waiting.get(&ask) {
                Some(waiting) if waiting.may_come_back() => {
                    let (app, waiting) = (self.clone(), *waiting);
                    self.tasks.spawn(async move { await_return(&app, ask, waiting).await });
                }
                waiting => let_go(self, ask, waiting.copied()).await,
            }
        }
    }
}

impl Waiting {
    fn may_come_back(&self) -> bool {
        self.hook.is_alive() && self.agent.is_none_or(ProcessId::is_alive)
    }
}

/// Waits until a hook is back, or is gone.
async fn await_return(app: &App, ask: AskId, waiting: Waiting) {
    while !app.hooks.connected.has(ask) {
        if !waiting.may_come_back() {
            return let_go(app, ask, Some(waiting)).await;
        }
        tokio::select! {
            () = app.stop.cancelled() => return,
            () = sleep(LOOK_EVERY) => {}
        }
    }
}

/// Says of an ask that no hook will bring its answer back.
async fn let_go(app: &App, ask: AskId, waiting: Option<Waiting>) {
    forget_waiting(app, ask).await;
    let agent_is_gone = waiting.and_then(|waiting| waiting.agent).is_some_and(|agent| !agent.is_alive());
    let (intent, said) = match agent_is_gone {
        true => {
            let why = "the agent ended while askbridge was not running".to_owned();
            (Intent::Withdraw { ask, why }, "The agent that asked is gone")
        }
        false => (Intent::Strand { ask }, "The hook that asked is gone; the terminal still waits"),
    };
    match app.handle.submit(ask.session, vec![intent]).await {
        Ok(_) => info!(ask.id = %ask, "{said}"),
        Err(error) => warn!(ask.id = %ask, %error, "Could not note that a hook is gone"),
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
