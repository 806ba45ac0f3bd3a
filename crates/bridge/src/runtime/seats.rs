//! Seats: in some dialects only one connection may be in a session. The latest one takes the seat, on any node.

use std::collections::BTreeSet;

use askbridge_core::ids::{Position, SessionId};
use askbridge_core::limits;
use askbridge_journal::bus::{Message, Topic};
use askbridge_journal::shelf::{Expect, Shelf};
use serde::{Deserialize, Serialize};
use tracing::warn;

use super::error::chain;
use super::handle::Handle;
use super::hub_message::HubMessage;

#[derive(Serialize, Deserialize)]
struct SeatNotice {
    session: String,
    dialect: String,
    connection: u64,
}

/// Counts a connection of a dialect in a session of this node, as long as this lives.
#[derive(Debug)]
pub(crate) struct Present {
    handle: Handle,
    at: (&'static str, SessionId),
}

impl Drop for Present {
    fn drop(&mut self) {
        let mut present = self.handle.present.lock();
        if let Some(count) = present.get_mut(&self.at) {
            *count -= 1;
            if *count == 0 {
                present.remove(&self.at);
                self.handle.left.notify_one();
            }
        }
    }
}

impl Handle {
    /// Records that a connection of this dialect is in a session.
    pub(crate) fn present(&self, dialect: &'static str, session: SessionId) -> Present {
        *self.present.lock().entry((dialect, session)).or_default() += 1;
        Present { handle: self.clone(), at: (dialect, session) }
    }

    /// The sessions in which a connection of this dialect is, on this node.
    pub(crate) fn sessions_with(&self, dialect: &str) -> BTreeSet<SessionId> {
        let present = self.present.lock();
        present.keys().filter(|(known, _)| *known == dialect).map(|(_, session)| *session).collect()
    }

    /// Tells every connection of this dialect to the session that another one took the seat.
    pub(crate) fn sit(&self, dialect: &str, session: SessionId, connection: u64) {
        let seat = SeatNotice { session: session.to_string(), dialect: dialect.to_owned(), connection };
        self.notify(Topic::Seat.of_session(session), &seat);
    }

    /// Records how far a client of this dialect has come in a session, so that the next connection on this node knows
    /// it at once. [`Handle::keep_seen`] has to follow.
    pub(crate) fn note_seen(&self, dialect: &str, session: SessionId, position: Position) {
        let mut unkept = self.unkept_seen.lock();
        let noted = unkept.entry(seen_key(dialect, session)).or_insert(position);
        *noted = position.max(*noted);
    }

    /// Writes that to the shelf. A failure is logged: the client will see something twice.
    pub(crate) async fn keep_seen(&self, dialect: &str, session: SessionId) {
        let key = seen_key(dialect, session);
        while let Some(position) = self.noted_seen(&key) {
            let now = self.clock.now();
            let (value, expires_at) = (position.0.to_string(), Some(now.plus(limits::SEEN_LIFE)));
            if let Err(error) = self.store.put(&key, value.as_bytes(), Expect::Any, expires_at, now).await {
                warn!(session.id = %session, error = chain(&error), "Could not remember how far a client has come");
            }
            // If more was recorded meanwhile, that is written too.
            self.unkept_seen.lock().retain(|noted, at| *noted != key || *at != position);
        }
    }

    /// Returns how far a client of this dialect had come when it was last here.
    pub(crate) async fn seen(&self, dialect: &str, session: SessionId) -> Option<Position> {
        let key = seen_key(dialect, session);
        if let Some(noted) = self.noted_seen(&key) {
            return Some(noted);
        }
        let item = self.store.get(&key, self.clock.now()).await.ok()??;
        std::str::from_utf8(&item.value).ok()?.parse().ok().map(Position)
    }

    fn noted_seen(&self, key: &str) -> Option<Position> {
        self.unkept_seen.lock().get(key).copied()
    }
}

fn seen_key(dialect: &str, session: SessionId) -> String {
    format!("seen/{dialect}/{session}")
}

pub(crate) fn read(message: &Message) -> Option<HubMessage> {
    let SeatNotice { session, dialect, connection } = serde_json::from_slice(&message.body).ok()?;
    Some(HubMessage::Seat { session: session.parse().ok()?, dialect, connection })
}
