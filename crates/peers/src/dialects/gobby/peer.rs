//! The machine of one socket: every conversation that its person may see.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use askbridge_core::ask::Ask;
use askbridge_core::ids::{AskId, CallId, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;

use super::events::Subscribed;
use super::holding::{FrameOrigin, Holding};
use super::looking::{self, Looking};
use super::streams::Piece;
use super::wire::GobbyEvent;
use super::{quirks, tell};
use crate::awaiting::Awaiting;
use crate::listing::hosted_door;
use crate::peer::{Cx, Frame, Garbled, Outbox, Peer, Tag};
use crate::stream::Streams;
use crate::told::Told;
use crate::turn::Turn;
use crate::uuid;
use crate::wish::{Finds, Query, Receipt, Rejection, Watch, Wish};

/// Conversations that a page is told of when it connects. Beyond: it lists them.
const CONVERSATIONS_MAX: usize = 100;

/// One connection.
#[derive(Default)]
pub struct Gobby {
    begun: bool,
    /// The conversation that the page shows.
    pub(super) current: Option<SessionId>,
    pub(super) looking: Looking,
    /// While the page loads the messages of a conversation.
    pub(super) holding: Option<Holding>,
    pub(super) chats: BTreeMap<SessionId, Chat>,
    /// Conversations that continue as another session.
    pub(super) moved: BTreeMap<SessionId, SessionId>,
    pub(super) open: BTreeMap<AskId, Open>,
    /// Ended asks that may still be answered late, the newest last.
    pub(super) over: VecDeque<Arc<Ask>>,
    /// Calls that have a card of their own, by their session: their results are not shown again. An agent's id of a call
    /// says nothing about those of another agent.
    pub(super) asked_calls: BTreeSet<(SessionId, CallId)>,
    /// Frames that came before we knew what is open. The page expects its greeting first, and may answer at once.
    early: Vec<String>,
    knows_what_is_open: bool,
    pub(super) subscribed: Subscribed,
    awaiting: Awaiting<PendingReply>,
}

/// What this socket knows of one conversation.
#[derive(Debug, Default)]
pub(super) struct Chat {
    /// The client's name for it, if that is not its UUID.
    pub(super) name: Option<String>,
    /// The id of the last message that this socket sent.
    pub(super) own_request: Option<String>,
    /// The id of the last message that any socket sent.
    pub(super) known_request: Option<String>,
    pub(super) turn: Turn,
    pub(super) is_interrupted: bool,
    pub(super) tool_calls: u32,
    /// The message that the end of the turn is reported in.
    pub(super) last_message: Option<String>,
    pub(super) streams: Streams,
    /// Blocks up to this one are complete. Deltas take another path than stored text, and may be late.
    pub(super) whole: Option<u32>,
}

/// An ask that is drawn.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) ask: Arc<Ask>,
    /// How often an answer to it was refused.
    pub(super) times: u32,
}

/// What a reply is about.
#[derive(Debug)]
pub(super) enum PendingReply {
    Conversations,
    Requests,
    /// Whether its conversation still continues in this session.
    Whereabouts(SessionId),
    /// The turn is being stopped; then this is sent.
    StopThenSay(SessionId, Box<ChatMessage>),
    Say(SessionId, Box<ChatMessage>),
    StartThenSay(SessionId, Box<ChatMessage>),
    Answer(AskId),
    /// A conversation being opened in the chat.
    GoOn(SessionId),
    Delete(SessionId),
    Other,
}

/// A message to send, and the settings of its session if there is none yet.
#[derive(Debug, Clone)]
pub(super) struct ChatMessage {
    pub(super) text: String,
    pub(super) request: Option<String>,
    pub(super) model: Option<String>,
    pub(super) mode: Option<String>,
    /// Starting the session was tried.
    pub(super) has_started: bool,
}

impl Gobby {
    pub(super) fn wish(&mut self, awaited: PendingReply, wish: Wish, out: &mut Outbox) {
        self.awaiting.wish(awaited, wish, out);
    }

    pub(super) fn query(&mut self, awaited: PendingReply, query: Query, out: &mut Outbox) {
        self.awaiting.query(awaited, query, out);
    }

    pub(super) fn name_of(&self, session: SessionId) -> String {
        let name = self.chats.get(&session).and_then(|chat| chat.name.clone());
        name.unwrap_or_else(|| uuid::of_session(session))
    }

    /// The ids under which a page may accept frames of a conversation.
    pub(super) fn requests(&self, session: SessionId) -> Vec<Option<String>> {
        let chat = self.chats.get(&session);
        quirks::candidates(
            chat.and_then(|chat| chat.own_request.as_ref()),
            chat.and_then(|chat| chat.known_request.as_ref()),
            self.current == Some(session),
        )
    }

    fn greeted(&mut self, finds: &Finds, cx: &mut Cx<'_>) {
        let running = finds.sessions.iter().filter(|line| hosted_door(&line.door).is_some() && !line.is_over);
        let said = GobbyEvent::ConnectionEstablished {
            client_id: uuid::write(cx.ids.fresh()),
            user_id: format!("local-{:08x}", cx.ids.fresh() as u32),
            latency: 0,
            conversation_ids: running.map(|line| uuid::of_session(line.id)).collect(),
        };
        tell::send(&said, cx.out);
        self.query(PendingReply::Requests, Query::Kept(super::hear::REQUESTS.to_owned()), cx.out);
    }

    fn remembered(&mut self, finds: &Finds, out: &mut Outbox) {
        for (name, request) in &finds.kept {
            let session = name.strip_prefix(super::hear::REQUESTS).and_then(|id| id.parse().ok());
            let request = serde_json::from_str::<String>(request.as_str()).ok();
            if let (Some(session), Some(request)) = (session, request) {
                self.chats.entry(session).or_default().known_request = Some(request);
            }
        }
        out.watches.push(Watch::Inbox { after: None });
    }
}

impl Peer for Gobby {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        match frame {
            Frame::Text(text) if self.knows_what_is_open => self.heard(&text, cx),
            Frame::Text(text) if self.early.len() < limits::IN_FLIGHT_MAX => self.early.push(text.into_owned()),
            Frame::Text(_) => return Err(Garbled { code: 1008, why: "too much at once".to_owned() }),
            Frame::Close(..) => self.announce(None, cx.out),
            _ => {}
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        match told {
            Told::Snapshot(snapshot) => {
                for view in snapshot.asks.iter().filter(|view| view.state.is_open()) {
                    self.asked(&view.ask, cx.out);
                }
                if snapshot.goes_on {
                    return;
                }
                self.knows_what_is_open = true;
                for text in std::mem::take(&mut self.early) {
                    self.heard(&text, cx);
                }
            }
            Told::Event(happened) => self.tell_event(happened, cx),
            Told::Looked { session: Some(session), screen: None, loaded_to: Some(to) } => {
                self.loaded(self.newest(*session), *to, cx.now, cx.out);
            }
            Told::Looked { session, screen, .. } => self.looked(*session, *screen, cx),
            Told::Gone { sessions } => self.gone(sessions, cx.out),
            Told::Delta { session, block, kind, offset, text } => {
                self.begin_telling(*session, FrameOrigin::Delta { block: *block });
                self.streams(Piece { session: *session, block: *block, kind: *kind }, *offset, text, cx.out);
                self.end_telling(cx.out);
            }
            _ => {}
        }
    }

    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        let Some(awaited) = self.awaiting.take(tag) else { return };
        match (awaited, reply) {
            // Without the kept ids, a page that still has its own would silently drop every card.
            (PendingReply::Conversations | PendingReply::Requests, Err(why)) if why.retry() => {
                cx.out.hang_up = Some((looking::COME_BACK, why.to_string()));
            }
            (PendingReply::Conversations, reply) => {
                let finds = reply.ok().and_then(|receipt| receipt.finds).unwrap_or_default();
                self.greeted(&finds, cx);
            }
            (PendingReply::Requests, reply) => {
                let finds = reply.ok().and_then(|receipt| receipt.finds).unwrap_or_default();
                self.remembered(&finds, cx.out);
            }
            (PendingReply::Whereabouts(session), Ok(receipt)) => self.found(session, &receipt, cx.out),
            // A turn that could not be stopped is over.
            (PendingReply::StopThenSay(session, saying), _) | (PendingReply::StartThenSay(session, saying), Ok(_)) => {
                self.say(session, *saying, cx.out);
            }
            (PendingReply::Say(session, saying), Err(Rejection::Refused(Refusal::UnknownSession(_))))
                if !saying.has_started =>
            {
                self.start(session, *saying, cx.out);
            }
            (PendingReply::Say(session, _) | PendingReply::StartThenSay(session, _), Err(why)) => {
                self.not_said(session, &why.to_string(), cx.out);
            }
            (PendingReply::Answer(ask), Err(why)) => self.refused(ask, &why, cx.out),
            (PendingReply::Delete(session), Err(why)) => self.not_deleted(session, &why, cx.out),
            (PendingReply::Other | PendingReply::GoOn(_), Err(why)) => tell::error(&why.to_string(), cx.out),
            (PendingReply::GoOn(session), Ok(receipt)) => {
                if let Some(view) = receipt.session_view {
                    self.goes_on(session, &view, cx.out);
                }
            }
            (PendingReply::Say(session, _), Ok(receipt)) => {
                self.moves(session, receipt.session.unwrap_or(session), cx.out);
            }
            // There is no such session yet, or it is another person's.
            (PendingReply::Whereabouts(_), Err(_))
            | (PendingReply::Answer(_) | PendingReply::Delete(_) | PendingReply::Other, Ok(_)) => {}
        }
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if !std::mem::replace(&mut self.begun, true) {
            self.looking.screen = cx.ids.fresh() as u64;
            let sessions = Query::Sessions { after: None, limit: CONVERSATIONS_MAX };
            self.query(PendingReply::Conversations, sessions, cx.out);
        }
        self.release_if_due(cx.now, cx.out)
    }
}

impl std::fmt::Debug for Gobby {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(super::NAME).finish_non_exhaustive()
    }
}
