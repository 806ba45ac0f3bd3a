//! Finds conversations that may be forgotten, and forgets a few of them per step.

use std::collections::HashSet;

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_journal::Forgotten;
use askbridge_journal::index::{Index, Oldest, PageKey};
use askbridge_peers::wish::Rejection;

use crate::auth::Caller;
use crate::runtime::{Conversation, Handle, Right, down, together};

/// Sessions in one page of the query.
const LOOK_AT: usize = 1000;

/// Which conversations are forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PruneScope {
    /// Those in which nothing happened since then.
    pub(crate) quiet_since: Timestamp,
    /// Only until the store uses no more than this many bytes.
    pub(crate) down_to: Option<u64>,
    /// Dry run: nothing is forgotten, only counted.
    pub(crate) dry: bool,
}

/// On whose behalf.
#[derive(Debug)]
pub(crate) enum By<'a> {
    /// Conversations that they may not forget stay.
    Caller(&'a Caller),
    Setting(&'static str),
}

impl By<'_> {
    fn may(&self, handle: &Handle, conversation: &Conversation) -> bool {
        match self {
            Self::Caller(caller) => conversation.iter().all(|link| handle.may(caller, Right::ForgetWith(*link))),
            Self::Setting(_) => true,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Caller(caller) => format!("{}, {} (prune)", caller.name, caller.device),
            Self::Setting(name) => (*name).to_owned(),
        }
    }
}

/// The result of one step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pruned {
    pub(crate) forgotten: Forgotten,
    /// Conversations that are old enough, but unfinished.
    pub(crate) unfinished: u64,
    /// Where the next step begins. `None`: this was all.
    pub(crate) next: Option<PageKey>,
}

/// Makes one step: reads some sessions after `after`, and forgets as many of them as fit into one transaction.
///
/// `counted` is how many bytes the earlier steps of a dry run would have forgotten.
pub(crate) async fn prune(
    handle: &Handle,
    wanted: &PruneScope,
    after: Option<PageKey>,
    counted: u64,
    by: &By<'_>,
) -> Result<Pruned, Rejection> {
    let mut pruned = Pruned::default();
    let spare = match wanted.down_to {
        Some(most) => used(handle).await?.saturating_sub(if wanted.dry { counted } else { 0 }).saturating_sub(most),
        None => u64::MAX,
    };
    if spare == 0 {
        return Ok(pruned);
    }
    let before = wanted.quiet_since;
    let seen = handle.look_up(move |index: &Index| index.oldest(before, after, LOOK_AT)).await?;
    let last = seen.last().map(Oldest::page_key).filter(|_| seen.len() == LOOK_AT);
    let quiet: Vec<_> = seen.into_iter().filter(|session| session.last_at <= before).collect();
    let fit = together(quiet.iter().map(|session| session.entries));
    pruned.next = if fit < quiet.len() { quiet[..fit].last().map(Oldest::page_key) } else { last };
    let mut known = HashSet::new();
    let mut conversations: Vec<Conversation> = Vec::new();
    let mut bytes = 0;
    for (place, session) in quiet[..fit].iter().enumerate() {
        if bytes >= spare {
            // Probably enough: the next step measures again.
            pruned.next = quiet[..place].last().map(Oldest::page_key);
            break;
        }
        // The other sessions of a conversation are forgotten with the first one found.
        if known.contains(&session.id) {
            continue;
        }
        let conversation = handle.conversation(session.id).await?;
        if conversation.iter().any(|link| known.contains(link)) {
            continue;
        }
        known.extend(conversation.iter().copied());
        if !by.may(handle, &conversation) {
            continue;
        }
        if wanted.down_to.is_some() {
            for link in conversation.clone() {
                bytes += handle.look_up(move |index: &Index| index.bytes_of(link)).await?;
            }
        }
        conversations.push(conversation);
    }
    if conversations.is_empty() {
        return Ok(pruned);
    }
    if wanted.dry {
        return count(handle, wanted, conversations, pruned).await;
    }
    let went = handle.forget_all(conversations, Some(before), by.name()).await?;
    (pruned.forgotten, pruned.unfinished) = (went.forgotten, went.stayed.len() as u64);
    Ok(pruned)
}

/// Counts what would be forgotten.
async fn count(
    handle: &Handle,
    wanted: &PruneScope,
    conversations: Vec<Conversation>,
    mut pruned: Pruned,
) -> Result<Pruned, Rejection> {
    let now = handle.now();
    for conversation in conversations {
        let (mut is_quiet, mut unfinished) = (true, false);
        for link in &conversation {
            let look = handle.look(*link, |state| {
                (state.last_at <= wanted.quiet_since, state.session.unfinished(state.last_at, now).is_some())
            });
            let (quiet, waits) = look.await?;
            (is_quiet, unfinished) = (is_quiet && quiet, unfinished || waits);
        }
        if unfinished || !is_quiet {
            pruned.unfinished += u64::from(unfinished);
            continue;
        }
        for link in conversation {
            let size = move |index: &Index| Ok((index.entries_of(link)?, index.bytes_of(link)?));
            let (entries, bytes) = handle.look_up(size).await?;
            pruned.forgotten += Forgotten { sessions: 1, entries, bytes };
        }
    }
    Ok(pruned)
}

/// Bytes of the store that are in use.
async fn used(handle: &Handle) -> Result<u64, Rejection> {
    let space = handle.store().space().await.map_err(down)?;
    Ok(space.map_or(0, |space| space.used()))
}

/// A conversation must have been quiet since this time to be forgotten because the store is too large.
pub(crate) fn quiet_enough(now: Timestamp) -> Timestamp {
    now.minus(limits::QUIET_MIN)
}
