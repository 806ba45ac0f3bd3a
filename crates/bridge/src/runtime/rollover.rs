//! Continues a session that has grown long as a new one, so that no snapshots are needed.

use std::sync::Arc;

use askbridge_core::Session;
use askbridge_core::event::{Settings, Started};
use askbridge_core::ids::SessionId;
use askbridge_core::intent::{Intent, Start};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::session::End;
use askbridge_peers::wish::Rejection;

use super::handle::Handle;
use crate::derived::derived;

/// How many continuations are followed before the search is given up.
const LINKS_MAX: usize = 1000;

/// A session that was not continued as another, and what it says of itself.
#[derive(Debug)]
pub(crate) struct Newest {
    pub(crate) session: SessionId,
    pub(crate) settings: Arc<Settings>,
    pub(crate) started: Option<Arc<Started>>,
}

impl Handle {
    /// Returns the session that `session` continues as, making one if it has grown long and nothing in it is
    /// unfinished.
    pub(crate) async fn newest(&self, session: SessionId) -> Result<Newest, Rejection> {
        let (mut current, mut flushed) = (session, None);
        for _ in 0..LINKS_MAX {
            let (end, is_long, is_done, newest) = self
                .look(current, |state| {
                    let is_long = is_long(&state.session);
                    let is_done = is_long && state.session.asks.values().all(|live| live.delivered_at.is_some());
                    let (settings, started) = (state.session.settings.clone(), state.session.started.clone());
                    (state.session.end.clone(), is_long, is_done, Newest { session: current, settings, started })
                })
                .await?;
            match end {
                Some(End::Continued { to, .. }) => current = to,
                Some(End::Closed { .. }) => return Ok(newest),
                None if is_done => current = Box::pin(self.carry_on(current)).await?,
                // The delivery of the last answer may be a rider that waits for the decision that is about to come, so
                // it is written now.
                None if is_long && flushed != Some(current) => {
                    Box::pin(self.flush(current)).await?;
                    flushed = Some(current);
                }
                None => return Ok(newest),
            }
        }
        Err(Rejection::Down("this session has gone on too many times".to_owned()))
    }

    async fn carry_on(&self, from: SessionId) -> Result<SessionId, Rejection> {
        let to = next_of(from);
        let started = self.look(from, |state| (state.session.started.clone(), state.session.settings.clone())).await?;
        let (Some(started), settings) = started else { return Ok(from) };
        let start = Start {
            door: started.door.clone(),
            agent: started.agent.clone(),
            owner: started.owner.clone(),
            audience: started.audience.clone(),
            settings: (*settings).clone(),
            continues: Some(from),
            host: started.host,
        };
        // The new one first: a session that continues nowhere would be worse than one that is not referred to.
        self.submit(to, vec![Intent::Start(Box::new(start))]).await?;
        match self.submit(from, vec![Intent::Continue { to }]).await {
            Ok(_) => Ok(to),
            // There was an ask or a message in the meantime: the session goes on a little longer.
            Err(Rejection::Refused(Refusal::AskOpen(_) | Refusal::BadRequest(_))) => Ok(from),
            Err(error) => Err(error),
        }
    }
}

fn is_long(session: &Session) -> bool {
    // A running agent knows the session by its id, and queued messages wait here.
    let in_use = session.host.is_some() || !session.queue.is_empty();
    session.decisions >= limits::DECISIONS_MAX && !in_use
}

/// Was this session continued, or may it have to be? Then [`Handle::newest`] finds the one to use.
pub(super) fn goes_on(session: &Session) -> bool {
    match session.end {
        Some(End::Continued { .. }) => true,
        Some(End::Closed { .. }) => false,
        None => is_long(session),
    }
}

/// Derived, so that two nodes that roll over at the same moment agree.
fn next_of(session: SessionId) -> SessionId {
    SessionId(derived(&[&session.0.to_le_bytes()]))
}
