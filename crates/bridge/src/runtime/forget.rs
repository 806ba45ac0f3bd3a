//! Forgets whole conversations: their entries, their rows in the index, and everything else stored about them.

use std::collections::HashSet;

use askbridge_core::Session;
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::session::End;
use askbridge_journal::index::Index;
use askbridge_journal::journal::Journal;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_journal::{Digest, Forgotten};
use askbridge_peers::wish::Rejection;
use tracing::{info, warn};

use super::cache::CellState;
use super::error::{chain, down};
use super::gate::Right;
use super::handle::Handle;
use crate::auth::Caller;

/// How many sessions of a conversation are followed. Beyond: the rest of it is left alone.
const LINKS_MAX: usize = 1000;

/// Records of forgettings in one page.
const FORGETTINGS_AT_ONCE: usize = 1000;

/// The sessions that continue one another, in order.
pub(crate) type Conversation = Vec<SessionId>;

/// The result of a forgetting.
#[derive(Debug)]
pub(crate) struct Went {
    pub(crate) forgotten: Forgotten,
    /// Why unfinished conversations stayed.
    pub(crate) stayed: Vec<Refusal>,
}

impl Handle {
    /// Forgets the conversation that a session belongs to, at a caller's request.
    pub(super) async fn forget(&self, caller: &Caller, via: &str, session: SessionId) -> Result<Forgotten, Rejection> {
        let conversation = self.conversation(session).await?;
        // The gate has checked one session; each of the others needs the same right.
        for link in &conversation {
            self.check(caller, Right::ForgetWith(*link))?;
        }
        let by = format!("{}, {} ({via})", caller.name, caller.device);
        let Went { forgotten, stayed } = self.forget_all(vec![conversation], None, by).await?;
        if let Some(refusal) = stayed.into_iter().next() {
            return Err(refusal.into());
        }
        info!(session.id = %session, sessions = forgotten.sessions, entries = forgotten.entries, "A conversation was forgotten");
        Ok(forgotten)
    }

    /// Finds all sessions of a conversation that still exist.
    pub(crate) async fn conversation(&self, session: SessionId) -> Result<Conversation, Rejection> {
        let mut first = session;
        for _ in 0..LINKS_MAX {
            let earlier = self.look(first, |state| state.session.started.as_ref().and_then(|it| it.continues)).await?;
            match earlier {
                Some(earlier) if self.access(earlier).is_some() => first = earlier,
                _ => break,
            }
        }
        let mut links = vec![first];
        while links.len() < LINKS_MAX {
            let last = links[links.len() - 1];
            let next = self.look(last, |state| match state.session.end {
                Some(End::Continued { to, .. }) => Some(to),
                _ => None,
            });
            match next.await? {
                Some(next) if self.access(next).is_some() => links.push(next),
                _ => break,
            }
        }
        // If the server was killed during a rollover, the new session names its predecessor, but not the other way
        // round.
        if !links.contains(&session) {
            return Ok(vec![session]);
        }
        Ok(links)
    }

    /// Forgets conversations. One that is unfinished, or in which something happened after `quiet_since`, stays whole.
    /// Runs to its end even if the caller stops waiting.
    pub(crate) async fn forget_all(
        &self,
        conversations: Vec<Conversation>,
        quiet_since: Option<Timestamp>,
        by: String,
    ) -> Result<Went, Rejection> {
        let handle = self.clone();
        let going = tokio::spawn(async move { handle.forget_them(&conversations, quiet_since, &by).await });
        going.await.unwrap_or_else(|error| Err(down(error)))
    }

    async fn forget_them(
        &self,
        conversations: &[Conversation],
        quiet_since: Option<Timestamp>,
        by: &str,
    ) -> Result<Went, Rejection> {
        // One at a time: each locks many sessions, and two could deadlock.
        let _alone = self.forgetting.lock().await;
        let sessions: Vec<_> = conversations.iter().flatten().copied().collect();
        debug_assert_eq!(sessions.iter().collect::<HashSet<_>>().len(), sessions.len(), "no session is locked twice");
        for session in &sessions {
            // The delivery of the last answer may not be written yet.
            self.flush(*session).await?;
        }
        let cells: Vec<_> = sessions.iter().map(|session| self.cache.cell(*session)).collect();
        let mut states = Vec::with_capacity(cells.len());
        for cell in &cells {
            let mut state = cell.lock().await;
            self.trust(&mut state).await?;
            if !self.store.exclusive() {
                Box::pin(self.catch_up(&mut state)).await?;
            }
            states.push(state);
        }
        let now = self.now();
        let (mut stay, mut why) = (HashSet::<SessionId>::new(), Vec::new());
        let mut at = 0;
        for conversation in conversations {
            let links = &states[at..at + conversation.len()];
            at += conversation.len();
            let unfinished = links.iter().find_map(|link| unfinished(link, now));
            // It may have continued as another session since its links were read: then it is not complete.
            let went_on = links.last().is_some_and(|last| match last.session.end {
                Some(End::Continued { to, .. }) => !conversation.contains(&to) && self.access(to).is_some(),
                _ => false,
            });
            let is_quiet = quiet_since.is_none_or(|since| links.iter().all(|link| link.last_at <= since));
            if unfinished.is_some() || !is_quiet || went_on {
                stay.extend(conversation.iter().copied());
            }
            why.extend(unfinished);
        }
        let go: Vec<_> = sessions.iter().copied().filter(|session| !stay.contains(session)).collect();
        let mut went = Went { forgotten: Forgotten::default(), stayed: why };
        if go.is_empty() {
            return Ok(went);
        }
        let accesses: Vec<_> = go.iter().filter_map(|session| Some((*session, self.access(*session)?))).collect();
        // If this is dropped or fails half-way, the sessions are folded again before anything is decided there.
        states.iter_mut().filter(|state| !stay.contains(&state.session.id)).for_each(|state| state.trusted = false);
        // The sessions of a conversation go from first to last: if this stops in between, what is left is still a
        // conversation.
        let (mut parts, mut result) = (go.as_slice(), Ok(()));
        for size in self.parts(&go).await? {
            let (part, rest) = parts.split_at(size);
            let forgotten = match self.store.forget(part, now, by).await {
                Ok(forgotten) => forgotten,
                Err(error) => {
                    result = Err(down(error));
                    break;
                }
            };
            parts = rest;
            went.forgotten += forgotten;
            self.meters.forgot(forgotten);
            let part: HashSet<_> = part.iter().copied().collect();
            states.iter_mut().filter(|state| part.contains(&state.session.id)).for_each(|state| start_over(state));
            self.forget_what_was_kept(&part).await;
            let told: Vec<_> = accesses.iter().filter(|(session, _)| part.contains(session)).cloned().collect();
            self.tell_gone(&told);
            self.freed.notify_one();
        }
        drop(states);
        stay.extend(parts);
        for (session, cell) in sessions.iter().zip(cells).filter(|(session, _)| !stay.contains(*session)) {
            cell.riding.lock().waiting.clear();
            self.cache.leave(*session, cell);
        }
        result.map(|()| went)
    }

    /// Splits sessions into parts, each for one transaction of moderate size. Returns the size of each part.
    async fn parts(&self, go: &[SessionId]) -> Result<Vec<usize>, Rejection> {
        let all = go.to_vec();
        let count =
            move |index: &Index| all.iter().map(|session| index.entries_of(*session)).collect::<Result<Vec<_>, _>>();
        let entries = self.look_up(count).await?;
        let (mut parts, mut at) = (Vec::new(), 0);
        while at < entries.len() {
            parts.push(together(entries[at..].iter().copied()));
            at += parts[parts.len() - 1];
        }
        Ok(parts)
    }

    /// Removes what is still stored about the sessions that were forgotten last: the server may have been killed in
    /// between.
    pub(crate) async fn finish_forgetting(&self) {
        let (mut last, mut skip) = (None, 0);
        loop {
            match self.store.forgettings(skip, FORGETTINGS_AT_ONCE).await {
                Ok(page) if page.is_empty() => break,
                Ok(mut page) => {
                    skip += page.len();
                    last = page.pop();
                }
                Err(error) => return warn!(error = chain(&error), "Could not look for what was forgotten last"),
            }
        }
        let gone: HashSet<_> = last.iter().flat_map(|last| &last.gone).map(|gone| gone.session).collect();
        // A session that began again since is not gone.
        let gone: HashSet<_> = gone.into_iter().filter(|session| self.access(*session).is_none()).collect();
        if !gone.is_empty() {
            self.forget_what_was_kept(&gone).await;
        }
    }

    /// Removes what memory and the shelf hold about sessions: drafts, snoozes, parked runs, how far clients have come,
    /// and what dialects keep under a session's or an ask's id.
    async fn forget_what_was_kept(&self, gone: &HashSet<SessionId>) {
        self.accesses.lock().retain(|session, _| !gone.contains(session));
        self.drafted.lock().retain(|ask| !gone.contains(&ask.session));
        self.unkept_seen.lock().retain(|key, _| !mentions(key, gone));
        self.wakeups.forget(gone);
        self.workflows.forget(|session| gone.contains(&session));
        let items = match self.store.list("", self.now()).await {
            Ok(items) => items,
            Err(error) => {
                return warn!(error = chain(&error), "Could not look for what was kept about forgotten sessions");
            }
        };
        for item in items.iter().filter(|item| mentions(&item.key, gone)) {
            if let Err(error) = self.store.delete(&item.key, Expect::Any).await {
                warn!(error = chain(&error), "Could not remove what was kept about a forgotten session");
            }
        }
    }
}

fn unfinished(state: &CellState, now: Timestamp) -> Option<Refusal> {
    let session = state.session.id;
    state.session.unfinished(state.last_at, now).map(|why| Refusal::Unfinished { session, why })
}

/// Does a key on the shelf name one of these sessions, or an ask in one?
fn mentions(key: &str, sessions: &HashSet<SessionId>) -> bool {
    let named = |part: &str| part.parse().ok().or_else(|| part.parse::<AskId>().ok().map(|ask| ask.session));
    key.split('/').filter_map(named).any(|session| sessions.contains(&session))
}

/// Resets the state to that of a session without events.
fn start_over(state: &mut CellState) {
    state.session = Session::new(state.session.id);
    (state.head, state.digest, state.last_at) = (None, Digest::ZERO, Timestamp(0));
    state.in_doubt = None;
}

/// Returns how many conversations fit into one transaction. `entries` says how many entries each has.
pub(crate) fn together(entries: impl Iterator<Item = u64>) -> usize {
    let mut sum = 0;
    let fit = entries.take(limits::FORGET_SESSIONS_MAX).take_while(|entries| {
        let first = sum == 0;
        sum += (*entries).max(1);
        first || sum <= limits::FORGET_ENTRIES_MAX as u64
    });
    fit.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_conversations_go_together_and_a_large_one_goes_alone() {
        assert_eq!(together([3; 10].into_iter()), 10);
        assert_eq!(together([3; 10_000].into_iter()), limits::FORGET_SESSIONS_MAX);
        assert_eq!(together([1_000_000, 3].into_iter()), 1);
        assert_eq!(together([3, 1_000_000].into_iter()), 1);
        assert_eq!(together(std::iter::empty()), 0);
    }

    #[test]
    fn a_key_names_a_session_as_itself_or_in_an_ask() {
        let (here, ask) = (SessionId(7), AskId { session: SessionId(7), number: 3 });
        let gone = HashSet::from([here]);
        assert!(mentions(&format!("draft/0123/{ask}"), &gone) && mentions(&format!("seen/prime/{here}"), &gone));
        assert!(!mentions(&format!("seen/prime/{}", SessionId(8)), &gone) && !mentions("token/ab", &gone));
    }
}
