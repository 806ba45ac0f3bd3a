//! Which conversation a page looks at, and under which id it waits for what happens there.
//!
//! A page has one id, that of its last message, and takes nothing else; with it goes no conversation. It forgets the id when it
//! is stopped, when another conversation is opened in it, and when it is loaded again: then it takes `null`, of whichever
//! conversation it is. That another one was opened is not said on the socket. The page asks for its messages, and its next
//! heartbeat, up to a minute later, names it. Of that request every socket of the same token is told, and where there is
//! only one, it is that page's. Where there are several, we hang up: a page comes back in two seconds, and names its
//! conversation first.

use std::collections::BTreeMap;
use std::time::Duration;

use askbridge_core::ids::{SessionId, Timestamp};

use super::peer::Gobby;
use super::wire::Heard;
use crate::peer::{Cx, Outbox, Tag};
use crate::wish::Wish;

/// How long a page counts that was not heard of. A page that is hidden says that it is there every minute or two.
const SCREEN_LIFE: Duration = Duration::from_secs(150);
/// Pages of one token that a socket remembers. Beyond: the others are not counted.
const SCREENS_MAX: usize = 64;
/// What becomes of it is not waited for: the next heartbeat says it again.
const IN_PASSING: Tag = Tag(u64::MAX);
/// "Service restart": a page connects again.
const COME_BACK: u16 = 1012;

/// What a socket knows of its page, and of the others of the same token.
#[derive(Debug, Default)]
pub(super) struct Looking {
    /// This socket's own name among them.
    pub(super) screen: u64,
    /// It is the one on which a page talks; others only hear of lists.
    pub(super) is_chat: bool,
    others: BTreeMap<u64, (SessionId, Timestamp)>,
    /// Another conversation was opened by this page, or by one that has not come yet: then this was looked at before.
    supposed: Option<(SessionId, Option<SessionId>)>,
}

impl Gobby {
    /// A heartbeat names the conversation: what is asked in it is drawn, if it was not.
    pub(super) fn look_at(&mut self, heard: &Heard, out: &mut Outbox) {
        let Some(session) = self.session_in(heard) else { return };
        self.looking.is_chat = true;
        self.looking.supposed = None;
        self.announce(Some(session), out);
        if self.current != Some(session) {
            self.opened(session, out);
        }
    }

    /// Another conversation is shown now. The page has forgotten the id of its last message.
    pub(super) fn opened(&mut self, session: SessionId, out: &mut Outbox) {
        if self.current.replace(session).is_some() {
            self.forget_requests();
        }
        if let Some(chat) = self.chats.get_mut(&session) {
            // What grew while nobody looked is sent whole when it is stored.
            chat.streams = crate::stream::Streams::default();
        }
        self.draw_what_is_open(session, out);
        self.ask_where_it_goes_on(session, out);
    }

    /// The page waits under no id of its own any more.
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
            out.wishes.push((IN_PASSING, Wish::Look { session, screen }));
        }
    }

    /// A page of the same token looks at a conversation, or has gone.
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
                // It was that page, then, and not this one.
                if let Some((_, before)) = looking.supposed.take_if(|(supposed, _)| *supposed == session) {
                    self.current = before;
                }
            }
            (Some(session), None) if looking.is_chat => self.loaded(self.newest(session), cx.out),
            (_, None) => {}
        }
    }

    /// One page of this token loaded the messages of a conversation.
    fn loaded(&mut self, session: SessionId, out: &mut Outbox) {
        if self.current == Some(session) {
            return self.forget_requests();
        }
        if self.looking.others.values().any(|(at, _)| *at == session) {
            return;
        }
        if !self.looking.others.is_empty() {
            out.hang_up = Some((COME_BACK, "say which conversation you look at".to_owned()));
            return;
        }
        self.looking.supposed = Some((session, self.current));
        self.opened(session, out);
    }
}
