//! Handles the asks that hooks of an earlier server waited for: the hook reconnects, or it or its agent has exited.

use std::collections::HashMap;

use askbridge_core::ids::AskId;
use askbridge_core::intent::Intent;
use askbridge_journal::Index;
use askbridge_journal::index::{AskFilter, IndexError, SessionFilter, SessionState, StateFilter};
use askbridge_peers::doors::hook::NAME;
use tokio::time::sleep;
use tracing::{info, warn};

use super::hold::LOOK_EVERY;
use super::visitor::{Farewell, Parting, parting};
use super::waiting::{WaitingHook, all_waiting, forget_waiting};
use crate::auth::ProcessId;
use crate::runtime::chain;
use crate::server::App;

/// Sessions in one page of the query, and asks of each session.
const PAGE: usize = 500;

impl App {
    /// Handles every ask that only a hook of an earlier server waited for. A hook that still runs will reconnect. If it
    /// has exited, its ask is stranded: the terminal's own dialog still waits, and when it is answered, the ask is
    /// withdrawn. If the agent has exited, the ask is withdrawn.
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
        for (ask, _) in waiting.iter().filter(|(ask, waiting)| !left.contains(ask) && waiting.is_over()) {
            forget_waiting(self, *ask).await;
        }
        for ask in left {
            match waiting.get(&ask) {
                Some(waiting) if waiting.may_come_back() => {
                    let (app, waiting) = (self.clone(), waiting.clone());
                    self.tasks.spawn(async move { await_return(&app, ask, waiting).await });
                }
                waiting => let_go(self, ask, waiting.cloned()).await,
            }
        }
    }
}

impl WaitingHook {
    fn may_come_back(&self) -> bool {
        match self {
            Self::Here { hook, agent } => hook.is_alive() && agent.is_none_or(ProcessId::is_alive),
            Self::Elsewhere { .. } => true,
        }
    }

    /// Has its process exited? One on another machine is not seen, and forgotten with time.
    fn is_over(&self) -> bool {
        matches!(self, Self::Here { hook, .. } if !hook.is_alive())
    }
}

/// Waits until a hook has reconnected or exited.
async fn await_return(app: &App, ask: AskId, waiting: WaitingHook) {
    if matches!(waiting, WaitingHook::Elsewhere { .. }) {
        return await_visitor(app, ask).await;
    }
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

/// Waits for a hook on another machine: it comes back, says that it leaves, or is not heard of.
async fn await_visitor(app: &App, ask: AskId) {
    let (intent, said) = match parting(app, ask, None).await {
        Parting::Returned | Parting::Stopping | Parting::Revoked => return,
        Parting::Said(Farewell::AgentEnded) => {
            let why = "the agent has ended".to_owned();
            (Intent::Withdraw { ask, why }, "The agent that asked is gone")
        }
        // It is not forgotten: it may come back later, and asks anew.
        Parting::Said(Farewell::ToldToEnd) | Parting::Lost => {
            (Intent::Strand { ask }, "The hook that asked is not heard of; the terminal there still waits")
        }
    };
    submit(app, ask, intent, said).await;
}

/// Strands an ask whose hook has exited, or withdraws it if the agent has exited too.
async fn let_go(app: &App, ask: AskId, waiting: Option<WaitingHook>) {
    forget_waiting(app, ask).await;
    let agent = match waiting {
        Some(WaitingHook::Here { agent, .. }) => agent,
        Some(WaitingHook::Elsewhere { .. }) | None => None,
    };
    let agent_is_gone = agent.is_some_and(|agent| !agent.is_alive());
    let (intent, said) = match agent_is_gone {
        true => {
            let why = "the agent ended while askbridge was not running".to_owned();
            (Intent::Withdraw { ask, why }, "The agent that asked is gone")
        }
        false => (Intent::Strand { ask }, "The hook that asked is gone; the terminal still waits"),
    };
    submit(app, ask, intent, said).await;
}

async fn submit(app: &App, ask: AskId, intent: Intent, said: &str) {
    match app.handle.submit(ask.session, vec![intent]).await {
        Ok(_) => info!(ask.id = %ask, "{said}"),
        Err(error) => warn!(ask.id = %ask, %error, "Could not note that a hook is gone"),
    }
}

/// Finds the open asks of hooks by their sessions. The start waits for this, so other open asks are not read.
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
