//! An ask as it is now: from the session in memory or, once it has ended, from the index.

use std::sync::Arc;

use askbridge_core::ask::Ask;
use askbridge_core::ids::{AskId, MessageId, SessionId};
use askbridge_core::refusal::Refusal;
use askbridge_core::view::{AskView, SessionView, State};
use askbridge_journal::journal::Journal;
use askbridge_peers::wish::{Receipt, Rejection};

use super::error::down;
use super::gate::Right;
use super::handle::Handle;
use crate::auth::Caller;

impl Handle {
    /// Answers a query for an ask, if the caller may see it.
    pub(crate) async fn shown_ask(&self, caller: &Caller, ask: AskId) -> Result<Receipt, Rejection> {
        self.check(caller, Right::ReadAsk(ask))?;
        let view = self.ask(ask).await?;
        Ok(Receipt { ask: Some(ask), view: Some(Box::new(view)), ..Receipt::default() })
    }

    /// Answers a query for a session, if the caller may see it.
    pub(crate) async fn shown_session(&self, caller: &Caller, session: SessionId) -> Result<Receipt, Rejection> {
        self.check(caller, Right::ReadSession(session))?;
        let view = self.session(session).await?;
        Ok(Receipt { session: Some(session), session_view: Some(Box::new(view)), ..Receipt::default() })
    }

    /// Returns an ask with everything that became of it.
    pub async fn ask(&self, ask: AskId) -> Result<AskView, Rejection> {
        let live =
            self.look(ask.session, |state| state.session.asks.get(&ask.number).map(|live| AskView::of(live))).await?;
        match live {
            Some(view) => Ok(self.with_host(view)),
            None => Box::pin(self.ask_from_index(ask)).await,
        }
    }

    /// The same for lists: as it is stored, without waiting for a decision that is being stored in its session.
    pub(crate) async fn stored_ask(&self, ask: AskId) -> Result<AskView, Rejection> {
        let live =
            self.look_at_stored(ask.session, |state| state.session.asks.get(&ask.number).map(|live| AskView::of(live)));
        match live.await? {
            Some(view) => Ok(self.with_host(view)),
            None => Box::pin(self.ask_from_index(ask)).await,
        }
    }

    pub(crate) async fn is_open(&self, ask: AskId) -> Result<bool, Rejection> {
        self.look(ask.session, |state| state.session.asks.get(&ask.number).is_some_and(|live| live.is_open())).await
    }

    /// Returns what was asked. If a later ask took its place, both ask the same.
    pub(crate) async fn asked(&self, ask: AskId) -> Result<Arc<Ask>, Rejection> {
        let live = self.look(ask.session, |state| state.session.asks.get(&ask.number).map(|live| live.ask.clone()));
        match live.await? {
            Some(asked) => Ok(asked),
            None => Box::pin(self.ask_from_index(ask)).await.map(|view| view.ask),
        }
    }

    /// Returns the messages about an ask that wait for the agent.
    pub(crate) async fn messages_about(&self, ask: AskId) -> Result<Vec<MessageId>, Rejection> {
        self.look(ask.session, |state| {
            let about = state.session.queue.iter().filter(|queued| queued.said.about == Some(ask));
            about.map(|queued| queued.said.message).collect()
        })
        .await
    }

    /// Adds to asks from the index what only the session holds: the votes, where several people have to agree.
    pub(crate) async fn with_votes(&self, views: &mut [AskView]) -> Result<(), Rejection> {
        for view in views.iter_mut().filter(|view| has_votes(view)) {
            let ask = view.ask.id;
            let votes = self.look_at_stored(ask.session, |state| {
                state.session.asks.get(&ask.number).map(|live| live.votes.clone())
            });
            view.votes = votes.await?.unwrap_or_default();
        }
        Ok(())
    }

    async fn ask_from_index(&self, ask: AskId) -> Result<AskView, Rejection> {
        if !self.store.exclusive() {
            // The journal was just read up to here, so the index has to be as far.
            self.store.caught_up_to(&self.store.now()).await.map_err(down)?;
        }
        let known = self.store.index().ask(ask).map_err(down)?;
        known.map(|known| self.with_host(known.view())).ok_or(Rejection::Refused(Refusal::UnknownAsk(ask)))
    }

    pub async fn session(&self, session: SessionId) -> Result<SessionView, Rejection> {
        let view = self.look(session, |state| SessionView::of(&state.session, state.last_at)).await?;
        let view = view.ok_or(Rejection::Refused(Refusal::UnknownSession(session)))?;
        Ok(SessionView { host: self.host_mark(session), ..view })
    }
}

/// Are the votes only in the session?
pub(crate) fn has_votes(view: &AskView) -> bool {
    view.ask.terms.quorum > 1 && view.state == State::Open
}
