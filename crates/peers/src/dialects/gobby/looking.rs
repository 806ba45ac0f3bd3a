//! Tracks which conversation a page shows, and under which request id it accepts frames.
//!
//! A page has one id, that of its last message, and accepts no other; the id does not name a conversation. The page
//! forgets it when it is stopped, when another conversation is opened in it, and when it is reloaded: then it accepts
//! `null`, from any conversation. The socket does not say that another conversation was opened. The page requests its
//! messages, and its next heartbeat, up to a minute later, names it. Every socket of the same token is told of that
//! request, and where there is only one, it is that page's. Where there are several, we hang up: a page reconnects in
//! two seconds, and names its conversation first.

use std::collections::BTreeMap;
use std::time::Duration;

use askbridge_core::ids::{SessionId, Timestamp};

use super::peer::Gobby;
use super::wire::GobbyFrame;
use crate::peer::{Cx, Outbox, Tag};
use crate::wish::Wish;

/// How long a silent page counts as open. A hidden page sends a heartbeat every minute or two.
const SCREEN_LIFE: Duration = Duration::from_secs(150);
/// Pages of one token that a socket remembers. Beyond: the others are not counted.
const SCREENS_MAX: usize = 64;
/// Tag of wishes whose reply is ignored: the next heartbeat repeats them.
const IN_PASSING: Tag = Tag(u64::MAX);
/// "Service restart": a page reconnects.
pub(super) const COME_BACK: u16 = 1012;

/// What a socket knows of its page, and of the other pages of the same token.
#[derive(Debug, Default)]
pub(super) struct Looking {
    /// This socket's own number among them.
    pub(super) screen: u64,
    /// This socket carries a page's chat; others only get news of lists.
    pub(super) is_chat: bool,
    others: BTreeMap<u64, (SessionId, Timestamp)>,
    /// A conversation opened by this page, or by one that has sent no heartbeat yet; and the one shown before.
    supposed: Option<(SessionId, Option<SessionId>)>,
}

impl Gobby {
    /// A heartbeat names the conversation: its open asks are drawn if they were not.
    pub(super) fn look_at(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let Some(session) = self.session_in(heard) else { return };
        self.looking.is_chat = true;
        self.looking.supposed = None;
        self.announce(Some(session), out);
        if self.current != Some(session) {
            self.opened(session, out);
        }
    }

    /// The page shows another conversation now, and has forgotten the id of its last message.
    pub(super) fn opened(&mut self, session: SessionId, out: &mut Outbox) {
        if self.current.replace(session).is_some() {
            self.forget_requests();
        }
        // Held frames are of the conversation that was shown before.
        self.holding = None;
        if let Some(chat) = self.chats.get_mut(&session) {
            // Text that streamed while it was not shown is sent whole when it is stored.
            chat.streams = crate::stream::Streams::default();
        }
        self.draw_what_is_open(session, out);
        self.ask_where_it_goes_on(session, out);
    }

    /// The page has no id of its own any more.
    pub(super) fn forget_requests(&mut self) {
        for chat in self.chats.values_mut() {
            if let Some(own) = chat.own_request.take() {
                chat.known_request = Some(own);
            }
        }
    }

    pub(super) fn announce(&mut self, session: Option<SessionId>, out: &mut Outbox) {
        if self.looking.is_chat {
            let screen = Some(self.looking.screen);
            out.wishes.push((IN_PASSING, Wish::Look { session, screen, loaded_to: None }));
        }
    }

    /// A page of the same token shows a conversation, or has gone.
    pub(super) fn looked(&mut self, session: Option<SessionId>, screen: Option<u64>, cx: &mut Cx<'_>) {
        let now = cx.now;
        let looking = &mut self.looking;
        looking.others.retain(|_, (_, at)| now.since(*at) < SCREEN_LIFE);
        match (session, screen) {
            (_, Some(screen)) if screen == looking.screen => {}
            (None, Some(screen)) => drop(looking.others.remove(&screen)),
            (Some(session), Some(screen)) => {
                if looking.others.len() < SCREENS_MAX {
                    looking.others.insert(screen, (session, now));
                }
                // So it was that page, and not this one.
                if let Some((_, before)) = looking.supposed.take_if(|(supposed, _)| *supposed == session) {
                    self.current = before;
                    self.holding = None;
                }
            }
            (Some(session), None) if looking.is_chat => self.loads(self.newest(session), cx),
            (_, None) => {}
        }
    }

    /// One of this token's pages loads the messages of a conversation. If there is only one, it is this one.
    fn loads(&mut self, session: SessionId, cx: &mut Cx<'_>) {
        if self.current == Some(session) {
            self.forget_requests();
            if self.looking.others.is_empty() {
                self.hold(session, cx.now, cx.out);
            }
            return;
        }
        if self.looking.others.values().any(|(at, _)| *at == session) {
            return;
        }
        if !self.looking.others.is_empty() {
            cx.out.hang_up = Some((COME_BACK, "say which conversation you look at".to_owned()));
            return;
        }
        self.looking.supposed = Some((session, self.current));
        self.opened(session, cx.out);
        self.hold(session, cx.now, cx.out);
    }
}
