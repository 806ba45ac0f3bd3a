//! The machine of one connection: hello, then everything else.

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;

use super::hear::{ClientCommand, hear};
use super::tell::{self, SnapshotParts};
use super::wire::{ClientFrame, ServerFrame};
use crate::peer::{Cx, Frame, Garbled, Peer, Tag};
use crate::told::Told;
use crate::wish::{Query, Receipt, Rejection, Watch};

/// Closes a connection that did not sign in. In the range that RFC 6455 leaves to applications.
const CLOSE_UNAUTHORIZED: u16 = 4401;
/// Closes a connection that sent something we cannot parse.
const CLOSE_BAD_FRAME: u16 = 1007;
/// The tag of our own query, the login. Clients' tags are passed through unchanged.
const LOGIN: Tag = Tag(u64::MAX);

/// One native connection.
#[derive(Debug)]
pub struct Native {
    stage: ConnectionStage,
    /// Whether the first timer was set.
    timed: bool,
    /// The cursor that came with hello.
    cursor: Option<String>,
    /// The parts of a snapshot that have come so far.
    gathered: SnapshotParts,
}

#[derive(Debug, PartialEq, Eq)]
enum ConnectionStage {
    /// `known`: a bearer token came with the upgrade, so hello need not bring one.
    Knocking {
        known: bool,
    },
    SigningIn,
    Inside,
}

impl Native {
    pub fn new(known: bool) -> Self {
        Self {
            stage: ConnectionStage::Knocking { known },
            timed: false,
            cursor: None,
            gathered: SnapshotParts::default(),
        }
    }

    fn hello(&mut self, token: Option<String>, cursor: Option<String>, cx: &mut Cx<'_>) {
        let ConnectionStage::Knocking { known } = self.stage else {
            let why = "hello was said before; connect again to be somebody else".to_owned();
            tell::refuse(None, &Rejection::Refused(bad_request(why)), cx.out);
            return;
        };
        self.cursor = cursor;
        match (token, known) {
            (None, false) => self.turn_away(None, cx),
            (token, _) => {
                self.stage = ConnectionStage::SigningIn;
                cx.out.queries.push((LOGIN, Query::Login { token: token.unwrap_or_default() }));
            }
        }
    }

    fn turn_away(&mut self, tag: Option<u64>, cx: &mut Cx<'_>) {
        tell::refuse(tag, &Rejection::Unauthorized, cx.out);
        cx.out.hang_up = Some((CLOSE_UNAUTHORIZED, "say hello with a token that this server knows".to_owned()));
    }
}

impl Peer for Native {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        let Frame::Text(text) = frame else { return Ok(()) };
        let heard: ClientFrame = match serde_json::from_str(&text) {
            Ok(heard) => heard,
            Err(error) if error.is_data() && self.stage == ConnectionStage::Inside => {
                // JSON, but not a frame that we know: report it and go on, because the client may be newer than we are.
                let why = format!("not a frame of this protocol: {error}");
                tell::refuse(tag_of(&text), &Rejection::Refused(bad_request(why)), cx.out);
                return Ok(());
            }
            Err(error) => {
                return Err(Garbled { code: CLOSE_BAD_FRAME, why: format!("not a frame: {error}") });
            }
        };
        match hear(heard) {
            Ok(ClientCommand::Hello { token, cursor }) => self.hello(token, cursor, cx),
            Ok(ClientCommand::Ping(tag)) => tell::send(cx.out, &ServerFrame::Pong { tag }),
            Ok(ClientCommand::Nothing) => {}
            Ok(ClientCommand::Wish(tag, _) | ClientCommand::Query(tag, _)) if self.stage != ConnectionStage::Inside => {
                self.turn_away(Some(tag), cx);
            }
            Err((tag, _)) if self.stage != ConnectionStage::Inside => self.turn_away(tag, cx),
            Ok(ClientCommand::Watch(_)) if self.stage != ConnectionStage::Inside => self.turn_away(None, cx),
            Ok(ClientCommand::Watch(watch)) => cx.out.watches.push(watch),
            Ok(ClientCommand::Wish(tag, wish)) => cx.out.wishes.push((Tag(tag), *wish)),
            Ok(ClientCommand::Query(tag, query)) => cx.out.queries.push((Tag(tag), query)),
            Err((tag, rejection)) => tell::refuse(tag, &rejection, cx.out),
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        tell::tell(told, &mut self.gathered, cx.out);
    }

    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        // After the login, the highest tag is a client's like any other.
        if tag != LOGIN || self.stage == ConnectionStage::Inside {
            tell::reply(tag.0, reply, cx.out);
            return;
        }
        match reply.map(|receipt| receipt.caller) {
            Ok(Some(caller)) => {
                self.stage = ConnectionStage::Inside;
                let heartbeat_seconds = limits::HEARTBEAT.as_secs();
                let (name, role, now) = (&*caller.name, caller.role, cx.now.0);
                let welcome = ServerFrame::Welcome { protocol: 1, name, role, heartbeat_seconds, now };
                tell::send(cx.out, &welcome);
                cx.out.watches.push(Watch::Inbox { after: self.cursor.take() });
            }
            Ok(None) | Err(Rejection::Unauthorized) => self.turn_away(None, cx),
            Err(other) => {
                tell::refuse(None, &other, cx.out);
                cx.out.hang_up = Some((1013, other.to_string()));
            }
        }
    }

    /// First the time limit for hello, then regular pings.
    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if !self.timed {
            self.timed = true;
            return Some(cx.now.plus(limits::HELLO_MAX));
        }
        if self.stage != ConnectionStage::Inside {
            self.turn_away(None, cx);
            return None;
        }
        tell::send(cx.out, &ServerFrame::Ping { now: cx.now.0 });
        Some(cx.now.plus(limits::HEARTBEAT))
    }
}

/// Finds the tag of a frame that could not be parsed otherwise, so that its sender learns which one it was.
fn tag_of(text: &str) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct OnlyTag {
        tag: Option<u64>,
    }
    serde_json::from_str::<OnlyTag>(text).ok()?.tag
}

fn bad_request(why: String) -> askbridge_core::refusal::Refusal {
    askbridge_core::refusal::Refusal::BadRequest(why)
}
