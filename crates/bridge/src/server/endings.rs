//! Sessions that end with their program: its process is watched, and its sessions are closed once it has exited.
//!
//! `askbridge mcp` closes its session if it can. It cannot when it is killed, and no server may be running when it
//! exits. So each such session is stored on the shelf with its process, and every server continues to watch them when
//! it starts.

use std::collections::HashMap;
use std::time::Duration;

use askbridge_core::ask::Reach;
use askbridge_core::ids::SessionId;
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use askbridge_journal::shelf::{Expect, Item, Shelf, ShelfError};
use askbridge_peers::peer::EndsWith;
use askbridge_peers::wish::Rejection;
use parking_lot::Mutex;
use tracing::{info, warn};

use super::app::App;
use crate::auth::{ProcessId, agent_above};
use crate::hosts::Running;
use crate::runtime::chain;

const PREFIX: &str = "ends/";
/// What the person reads on a card whose program has exited.
const WHY: &str = "the agent's program ended";
/// Delay before a session that could not be closed is tried again: the store is down, or a person was faster.
const TRY_AGAIN: Duration = Duration::from_secs(5);

/// The sessions that are watched, and the process that each ends with. `None`: it has exited.
#[derive(Debug, Default)]
pub(crate) struct Endings(Mutex<HashMap<SessionId, Option<ProcessId>>>);

impl App {
    /// Ends a session when its process exits, or with its last open question. `process` is the one at the other end, if
    /// that is on this machine; no other can be watched.
    pub(super) fn end_with(&self, session: SessionId, ends: EndsWith, process: Option<ProcessId>) {
        let process = match (ends, process) {
            (EndsWith::LastQuestion, _) => None,
            (EndsWith::Process, Some(process)) => Some(process),
            (EndsWith::Process, None) => return,
        };
        if !self.endings.begins(session, process) {
            return;
        }
        let app = self.clone();
        self.tasks.spawn(async move {
            let (store, now) = (app.handle.store().own(), app.handle.now());
            let noted = store.put(&key(session), note(process).as_bytes(), Expect::Any, None, now).await;
            if let Err(error) = noted {
                let error = chain(&error);
                warn!(session.id = %session, error, "Could not note that {session} ends with its program");
            }
            see_off(app, session, process).await;
        });
    }

    /// Does a program that this agent has started have an open ask?
    pub(crate) async fn asks_below(&self, agent: ProcessId) -> Result<bool, Rejection> {
        for session in self.endings.below(agent) {
            let session = self.handle.newest(session).await?.session;
            if self.handle.look(session, |state| state.session.open().next().is_some()).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Continues to watch what earlier servers watched. Sessions whose program has exited meanwhile are closed.
    pub async fn recall_endings(&self) -> Result<(), ShelfError> {
        for item in self.handle.store().own().list(PREFIX, self.handle.now()).await? {
            if let Some((session, process)) = read(&item)
                && self.endings.begins(session, process)
            {
                self.tasks.spawn(see_off(self.clone(), session, process));
            }
        }
        Ok(())
    }
}

impl Endings {
    /// Returns whether this one has to be watched from now on.
    fn begins(&self, session: SessionId, process: Option<ProcessId>) -> bool {
        let mut watched = self.0.lock();
        let is_new = watched.len() < limits::WATCHED_PROGRAMS_MAX && !watched.contains_key(&session);
        if is_new {
            watched.insert(session, process);
        }
        is_new
    }

    /// The sessions of programs that this agent has started.
    fn below(&self, agent: ProcessId) -> Vec<SessionId> {
        let watched: Vec<_> = self.0.lock().iter().filter_map(|(session, it)| Some((*session, (*it)?))).collect();
        let below = watched.into_iter().filter(|(_, process)| agent_above(process.pid, "mcp") == Some(agent.pid));
        below.map(|(session, _)| session).collect()
    }
}

/// Waits for the exit of a process, then closes its session and forgets it.
async fn see_off(app: App, session: SessionId, process: Option<ProcessId>) {
    let stop = app.stop.clone();
    let seen_off = async {
        if let Some(process) = process
            && !has_ended(process).await
        {
            return;
        }
        while let Err(error) = close(&app, session).await {
            warn!(session.id = %session, %error, "Could not close {session}, whose program has ended");
            tokio::time::sleep(TRY_AGAIN).await;
        }
        if let Err(error) = app.handle.store().own().delete(&key(session), Expect::Any).await {
            warn!(session.id = %session, error = chain(&error), "Could not forget the program of {session}");
        }
        app.endings.0.lock().remove(&session);
    };
    tokio::select! {
        biased;
        () = stop.cancelled() => {}
        () = seen_off => {}
    }
}

/// Waits for the exit of a process. Returns `false` if it cannot be watched.
async fn has_ended(process: ProcessId) -> bool {
    match Running::hold(process) {
        Ok(Some(running)) => running.ended().await,
        Ok(None) => {}
        Err(error) => {
            warn!(pid = process.pid, %error, "Could not watch process {}", process.pid);
            return false;
        }
    }
    true
}

/// Withdraws the asks whose answers only the program could have received, waits for the questions whose answers can
/// still be fetched with a ticket, and closes the session.
async fn close(app: &App, session: SessionId) -> Result<(), Rejection> {
    loop {
        let session = app.handle.newest(session).await?.session;
        let open = app.handle.look(session, |state| {
            let is_active = state.session.started.is_some() && state.session.end.is_none();
            is_active.then(|| state.session.open().map(|live| (live.ask.id, live.ask.reach)).collect::<Vec<_>>())
        });
        let Some(open) = open.await? else { return Ok(()) };
        let (held, questions): (Vec<_>, Vec<_>) = open.into_iter().partition(|(_, reach)| *reach == Reach::Held);
        let held = held.into_iter().map(|(ask, _)| Intent::Withdraw { ask, why: WHY.to_owned() });
        let end = questions.is_empty().then(|| Intent::Close { why: WHY.to_owned() });
        let intents: Vec<_> = held.chain(end).collect();
        if !intents.is_empty() {
            app.handle.submit(session, intents).await?;
        }
        let Some((question, _)) = questions.first() else {
            info!(session.id = %session, "Session {session} is closed: its program has ended");
            return Ok(());
        };
        let ends = app.handle.end_of(*question);
        if app.handle.is_open(*question).await? {
            ends.await;
        }
    }
}

fn key(session: SessionId) -> String {
    format!("{PREFIX}{session}")
}

fn note(process: Option<ProcessId>) -> String {
    process.map_or_else(String::new, |ProcessId { pid, started }| format!("{pid}-{started}"))
}

fn read(item: &Item) -> Option<(SessionId, Option<ProcessId>)> {
    let session = item.key.strip_prefix(PREFIX)?.parse().ok()?;
    let note = std::str::from_utf8(&item.value).ok()?;
    let process = match note.split_once('-') {
        Some((pid, started)) => Some(ProcessId { pid: pid.parse().ok()?, started: started.parse().ok()? }),
        None => None,
    };
    Some((session, process))
}
