//! Follows sessions that have grown long and continue as new ones, under the name that the page keeps.

use std::sync::Arc;

use askbridge_core::ids::SessionId;
use askbridge_core::session::End;

use super::names;
use super::peer::{Gobby, PendingReply};
use crate::peer::Outbox;
use crate::uuid;
use crate::wish::{Query, Receipt};

impl Gobby {
    /// The latest known session of a conversation.
    pub(super) fn session_named(&self, name: &str) -> SessionId {
        self.newest(names::session_of(name))
    }

    pub(super) fn newest(&self, mut session: SessionId) -> SessionId {
        // Terminates: a session continues only as a new one.
        while let Some(newer) = self.moved.get(&session) {
            session = *newer;
        }
        session
    }

    /// It may have continued before this page connected.
    pub(super) fn ask_where_it_goes_on(&mut self, session: SessionId, out: &mut Outbox) {
        self.query(PendingReply::Whereabouts(session), Query::Session(session), out);
    }

    pub(super) fn found(&mut self, session: SessionId, receipt: &Receipt, out: &mut Outbox) {
        if let Some(End::Continued { to, .. }) = receipt.session_view.as_ref().and_then(|view| view.end.as_ref()) {
            self.moves(session, *to, out);
            self.ask_where_it_goes_on(*to, out);
        }
    }

    /// A conversation of this page continues as another session; the asks that are open there are drawn.
    pub(super) fn moves(&mut self, from: SessionId, to: SessionId, out: &mut Outbox) {
        let is_looked_at = self.current == Some(from);
        if from == to || !(is_looked_at || self.chats.contains_key(&from)) {
            return;
        }
        self.moved.insert(from, to);
        self.hold_on_in(from, to);
        let before = self.chats.remove(&from).unwrap_or_default();
        let chat = self.chats.entry(to).or_default();
        chat.name = Some(before.name.unwrap_or_else(|| uuid::of_session(from)));
        chat.own_request = before.own_request.or(chat.own_request.take());
        // The newer session has the later message.
        chat.known_request = chat.known_request.take().or(before.known_request);
        if is_looked_at {
            self.current = Some(to);
        }
        self.keep_request(to, out);
        self.draw_what_is_open(to, out);
    }

    /// Draws the open asks of a session, which were not drawn because the page did not show it.
    pub(super) fn draw_what_is_open(&mut self, session: SessionId, out: &mut Outbox) {
        let open = self.open.values().filter(|open| open.ask.id.session == session);
        let open: Vec<_> = open.map(|open| (Arc::clone(&open.ask), open.times)).collect();
        open.iter().for_each(|(ask, times)| self.draw(ask, *times, out));
    }
}
