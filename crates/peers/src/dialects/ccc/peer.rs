//! The machine of one socket.
//!
//! The page draws the card inside a streaming message, so each question follows a `thinking`. An error ends that message
//! for the page, and so does `result`: after an error `thinking` is sent again while the agent works or something is open,
//! and when neither is the case any more without the end of a turn, a `result` is sent that no agent has reported.

use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use askbridge_core::refusal::Refusal;

use super::wire::CccEvent;
use super::{quirks, tell};
use crate::awaiting::Awaiting;
use crate::peer::{Cx, Frame, Garbled, Outbox, Peer, Tag};
use crate::slot::Slot;
use crate::story::Story;
use crate::told::{Happened, Told};
use crate::wish::{Receipt, Rejection, Watch, Wish};

/// One connection.
#[derive(Debug)]
pub struct Ccc {
    begun: bool,
    /// The client's name for the session.
    pub(super) name: String,
    pub(super) session: Option<SessionId>,
    pub(super) slot: Slot,
    pub(super) story: Story,
    pub(super) is_caught_up: bool,
    /// A message was sent, and may not be in the story yet.
    pub(super) has_said: bool,
    /// The agent has said something in this turn.
    pub(super) has_text: bool,
    pub(super) is_interrupted: bool,
    /// The page draws a streaming message: it was told that the agent thinks, and not yet that this is over.
    pub(super) is_drawn: bool,
    /// The page appends the next text to the one before, without a break.
    pub(super) has_open_text: bool,
    /// The client asked whether a turn is running before the session's past was told.
    pub(super) wants_resume: bool,
    awaiting: Awaiting<PendingReply>,
}

/// What a reply is about.
#[derive(Debug)]
pub(super) enum PendingReply {
    Say,
    Interrupt,
    Answer(AskId),
}

impl Ccc {
    /// `session`: the one with that name, if the caller may see it.
    pub fn new(name: String, session: Option<SessionId>) -> Self {
        Self {
            begun: false,
            name,
            session,
            slot: Slot::default(),
            story: Story::default(),
            is_caught_up: false,
            has_said: false,
            has_text: false,
            is_interrupted: false,
            is_drawn: false,
            has_open_text: false,
            wants_resume: false,
            awaiting: Awaiting::default(),
        }
    }

    pub(super) fn wish(&mut self, awaited: PendingReply, wish: Wish, out: &mut Outbox) {
        self.awaiting.wish(awaited, wish, out);
    }

    fn begin(&mut self, cx: &mut Cx<'_>) {
        match self.session {
            Some(session) => {
                tell::send(cx, CccEvent::Connected { session_id: &self.name });
                cx.out.watches.push(Watch::Chat { session, remembered: false });
            }
            None => {
                tell::no_session(cx, &self.name);
                cx.out.hang_up = Some((1000, String::new()));
            }
        }
    }

    fn happened(&mut self, happened: &Happened, cx: &mut Cx<'_>) {
        self.story.hear(happened);
        match &*happened.event {
            Event::Said(_) => self.has_said = false,
            Event::Text { .. } => self.has_text = true,
            Event::Interrupted { .. } => self.is_interrupted = self.story.is_running,
            _ => {}
        }
        if self.is_caught_up {
            self.content(happened, cx);
        }
        self.follow(happened, cx);
        if !matches!(&*happened.event, Event::Continued { .. }) {
            self.close(cx);
        }
        match &*happened.event {
            Event::TurnEnded { .. } => {
                self.has_text = false;
                self.is_interrupted = false;
            }
            // The conversation continues as another session; the client keeps its name.
            Event::Continued { to, .. } => {
                self.session = Some(*to);
                self.is_caught_up = false;
                self.story = Story::default();
                cx.out.watches.push(Watch::Chat { session: *to, remembered: false });
            }
            _ => {}
        }
    }

    fn caught_up(&mut self, cx: &mut Cx<'_>) {
        self.is_caught_up = true;
        match self.slot.show_next() {
            Some(ask) => self.question(&ask, cx),
            None if self.story.is_running => self.think(cx),
            // The conversation has continued as another session in the middle of a turn.
            None if self.is_drawn => {}
            // A page that lost its connection in a turn that is over by now would wait for its end for ever.
            None => self.wants_resume = true,
        }
        if std::mem::take(&mut self.wants_resume) {
            self.resume(cx);
        }
    }
}

impl Peer for Ccc {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        if let Frame::Text(text) = frame {
            self.heard(&text, cx);
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        match told {
            Told::Event(happened) if self.session == Some(happened.session) => self.happened(happened, cx),
            Told::CaughtUp { session, .. } if self.session == Some(*session) => self.caught_up(cx),
            _ => {}
        }
    }

    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        match (self.awaiting.take(tag), reply) {
            (Some(PendingReply::Interrupt), Ok(_)) => {
                let partial_saved = self.has_text;
                self.is_drawn = false;
                tell::send(cx, CccEvent::Interrupted { message: "Processing interrupted", partial_saved });
            }
            (Some(PendingReply::Say), Err(why)) => {
                self.has_said = false;
                self.complain(&why.to_string(), code(&why), cx);
            }
            (Some(PendingReply::Interrupt), Err(why)) => self.complain(&why.to_string(), code(&why), cx),
            (Some(PendingReply::Answer(ask)), Err(why)) => {
                let text = match &why {
                    Rejection::Refused(Refusal::Conflict { .. } | Refusal::Gone { .. }) => {
                        "No pending question to answer".to_owned()
                    }
                    why => why.in_words(),
                };
                self.error(&text, code(&why), cx);
                self.show_again(ask, cx);
            }
            (Some(PendingReply::Say | PendingReply::Answer(_)), Ok(_)) | (None, _) => {}
        }
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if !std::mem::replace(&mut self.begun, true) {
            self.begin(cx);
        } else {
            tell::send(cx, CccEvent::Ping);
        }
        self.session.map(|_| cx.now.plus(quirks::PING_EVERY))
    }
}

fn code(why: &Rejection) -> &'static str {
    match why {
        Rejection::Down(_) => "internal_error",
        _ => "processing_error",
    }
}
