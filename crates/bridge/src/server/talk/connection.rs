//! A connection as an endpoint of the driver: the caller at the other end, what it watches, and what it may do.

use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, Epoch, Position, SessionId};
use askbridge_core::limits;
use askbridge_peers::peer::{EndsWith, Record, Streamed, Tag};
use askbridge_peers::wish::{Query, Rejection, Watch, Wish};
use tokio::sync::mpsc;
use tracing::warn;

use super::super::app::App;
use super::super::codes::redeem_code;
use super::super::guest::Guest;
use super::super::look::look;
use super::super::seen::{Keep, Seen};
use crate::auth::{Caller, Role};
use crate::driver::{Endpoint, Lost, Order, Replies, Watched};
use crate::ringing::Gaze;
use crate::runtime::{Batch, Follower, Handle, HubMessage, Interest, Present, Right, chain};

/// Pieces of content that one frame may make.
const RECORDS_AT_ONCE: usize = 64;
const TRY_AGAIN_LATER: u16 = 1013;
const POLICY: u16 = 1008;

/// The other end of a conversation, without its transport.
pub(super) struct Connection {
    pub(super) app: App,
    pub(super) guest: Guest,
    /// The session that is followed from its beginning.
    chat: Option<Chat>,
    seat: Option<Seat>,
    /// What the page at the other end shows.
    gaze: Option<Gaze>,
    /// Stores what an agent says, one record after the other.
    recorder: Option<mpsc::Sender<Record>>,
    seen: Seen,
    /// The other side is gone: nothing is followed any more, and no seat is taken from another connection.
    has_left: bool,
}

/// How far a client has come in a session.
#[derive(Debug, Clone, Copy)]
struct Chat {
    session: SessionId,
    /// `None`: the past is still being told.
    told: Option<Position>,
    /// Is this stored? Not once another connection took our seat: that one stores it from then on.
    remembered: bool,
}

/// The seat of the only connection of a dialect in a session.
#[derive(Debug)]
struct Seat {
    connection: u64,
    /// Our own announcement has come back over the bus.
    is_seated: bool,
    /// Shows others that the seat is taken.
    _present: Present,
}

impl Connection {
    pub(super) fn new(app: App, guest: Guest) -> Self {
        Self { app, guest, chat: None, seat: None, gaze: None, recorder: None, seen: Seen::default(), has_left: false }
    }

    pub(super) fn is_catching_up(&self) -> bool {
        self.chat.as_ref().is_some_and(|chat| chat.told.is_none())
    }

    /// Is there room in the queue for the records of one more frame?
    pub(super) fn can_record(&self) -> bool {
        self.recorder.as_ref().is_none_or(|recorder| recorder.capacity() > RECORDS_AT_ONCE)
    }

    /// Looks the caller up again. Returns why it is unknown now, if it is.
    pub(super) fn lost_its_caller(&mut self) -> Option<&'static str> {
        let caller = self.guest.caller.as_ref().filter(|caller| !caller.has_no_token())?;
        let cookie = self.guest.cookie.as_ref().filter(|cookie| cookie.let_in);
        let is_logged_out = cookie.is_some_and(|cookie| !self.app.tokens.knows_cookie(&cookie.secret));
        self.guest.caller = self.app.tokens.holder(&caller.party).filter(|_| !is_logged_out);
        if self.guest.caller.is_none() {
            self.gaze = None;
        }
        let why = if is_logged_out { "this page was logged out" } else { "this token was revoked" };
        self.guest.caller.is_none().then_some(why)
    }

    /// The other side is gone.
    pub(super) fn leave(&mut self) {
        self.keep_seen(Keep::Now);
        (self.seat, self.gaze) = (None, None);
        self.has_left = true;
    }

    fn may_ask_in(&self, session: SessionId) -> bool {
        let caller = self.guest.caller.as_ref();
        caller.is_some_and(|caller| self.app.handle.may(caller, Right::RecordIn(session)))
    }

    /// Stores how far this client has come, for the next connection.
    fn keep_seen(&mut self, when: Keep) {
        if let Some(Chat { session, told: Some(position), remembered: true }) = self.chat {
            self.seen.keep(&self.app, self.guest.via, (session, position), when);
        }
    }

    /// The page shows these cards now. What rang for the person before was seen.
    fn look_at(&mut self, caller: &Caller, asks: Vec<AskId>) {
        if !matches!(caller.role, Role::Person | Role::Operator) {
            return;
        }
        let handle = &self.app.handle;
        let may_see = |ask: &AskId| handle.may(caller, Right::ReadSession(ask.session));
        let asks: Vec<_> = asks.into_iter().filter(may_see).collect();
        let gaze = self.gaze.get_or_insert_with(|| self.app.ringing().eyes.open(&self.app.handle));
        let new = gaze.shows(&caller.name, &asks, handle.now());
        if new.is_empty() {
            return;
        }
        let (app, person) = (self.app.clone(), caller.name.clone());
        self.app.tasks.spawn(async move {
            for ask in new {
                if let Err(error) = app.ringing().seen(&app.handle, &person, ask).await {
                    warn!(error = chain(&error), "That a ring was seen could not be stored");
                }
            }
        });
    }

    fn follow(&mut self, watch: Watch) -> Result<Option<Follower>, Rejection> {
        let caller = self.guest.caller.clone().ok_or(Rejection::Unauthorized)?;
        let handle = &self.app.handle;
        Ok(match watch {
            // A cursor that cannot be parsed is of another journal: a snapshot follows.
            Watch::Inbox { after } => {
                let after = after.and_then(|cursor| cursor.parse().ok());
                Some(handle.follow(Interest::Inbox(caller), after))
            }
            Watch::News => Some(handle.follow_live(Interest::Inbox(caller))),
            Watch::Session { session } => {
                handle.check(&caller, Right::ReadSession(session))?;
                Some(handle.follow(Interest::Session(session), None))
            }
            Watch::Chat { session, remembered } => {
                handle.check(&caller, Right::ReadSession(session))?;
                self.chat = Some(Chat { session, told: None, remembered });
                Some(handle.follow_from_the_beginning(session, self.guest.via))
            }
            // A caller that may not see a session is not told which connections are in it either.
            Watch::Seat { session } => {
                handle.check(&caller, Right::ReadSession(session))?;
                let connection = handle.chance.u64();
                let present = handle.present(self.guest.via, session);
                self.seat = Some(Seat { connection, is_seated: false, _present: present });
                handle.sit(self.guest.via, session, connection);
                None
            }
            Watch::Cards { asks } => {
                self.look_at(&caller, asks);
                None
            }
        })
    }
}

impl Endpoint for Connection {
    const ORDER: Order = Order::NewsBeforeReceipt;

    fn handle(&self) -> &Handle {
        &self.app.handle
    }

    fn wish(&mut self, tag: Tag, wish: Wish, replies: &mut Replies) {
        let (app, caller, entrance) = (self.app.clone(), self.guest.now(&self.app), self.guest.entrance());
        replies.wait_for(async move {
            let Some(caller) = caller else { return (tag, Err(Rejection::Unauthorized)) };
            (tag, app.gate().grant(&caller, entrance, wish).await)
        });
    }

    fn query(&mut self, tag: Tag, query: Query, replies: &mut Replies) {
        match &query {
            Query::Login { token } => return self.log_in(tag, token, replies),
            Query::Logout => return self.log_out(tag, replies),
            _ => {}
        }
        let (app, caller, via) = (self.app.clone(), self.guest.caller.clone(), self.guest.via);
        if let Query::Redeem { code } = query {
            replies.wait_for(async move { (tag, redeem_code(&app, code, via).await) });
            return;
        }
        replies.wait_for(async move {
            let look = async {
                let caller = caller.ok_or(Rejection::Unauthorized)?;
                look(&app, &caller, via, query).await
            };
            (tag, look.await)
        });
    }

    fn watch(&mut self, watch: Watch) -> Watched {
        if self.has_left {
            return Watched::Nothing;
        }
        match self.follow(watch) {
            Ok(Some(follower)) => Watched::Follow(follower),
            Ok(None) => Watched::Nothing,
            Err(Rejection::Unauthorized) => Watched::HangUp(POLICY, "sign in first".to_owned()),
            Err(rejection) => Watched::HangUp(POLICY, rejection.to_string()),
        }
    }

    /// Stores what an agent said, in order. The conversation does not wait for that; a failure is logged.
    fn record(&mut self, record: Record, _: usize) {
        if !self.may_ask_in(record.session) {
            return;
        }
        let recorder = self.recorder.get_or_insert_with(|| {
            let (recorder, mut records) = mpsc::channel::<Record>(limits::AGENT_RECORDS_MAX);
            let handle = self.app.handle.clone();
            self.app.tasks.spawn(async move {
                while let Some(Record { session, event, .. }) = records.recv().await {
                    if let Err(error) = handle.record(session, None, Epoch(0), event).await {
                        warn!(session.id = %session, error = chain(&error), "Could not store what an agent said");
                    }
                }
            });
            recorder
        });
        // One frame makes few records, and no frame is read while there is little room.
        if let Err(error) = recorder.try_send(record) {
            warn!(peer = self.guest.via, %error, "Could not store what an agent said");
        }
    }

    fn stream(&mut self, streamed: Streamed) {
        if self.may_ask_in(streamed.session) {
            self.app.handle.stream(streamed);
        }
    }

    fn whisper(&mut self, session: SessionId, words: &str) {
        if self.may_ask_in(session) {
            self.app.handle.whisper(self.guest.via, session, words);
        }
    }

    fn end_with(&mut self, session: SessionId, ends: EndsWith) {
        if self.may_ask_in(session) {
            self.app.end_with(session, ends, self.guest.process);
        }
    }

    fn hears(&self, news: &HubMessage) -> bool {
        match news {
            HubMessage::Seat { dialect, .. }
            | HubMessage::Whisper { dialect, .. }
            | HubMessage::Look { dialect, .. } => dialect == self.guest.via,
            _ => true,
        }
    }

    fn told(&mut self, batch: &Batch) {
        if let Some(chat) = self.chat.as_mut().filter(|chat| chat.session == batch.session) {
            let is_live = chat.told.is_some();
            chat.told = is_live.then_some(batch.position);
            if is_live && batch.happened.iter().any(|happened| is_a_step(&happened.event)) {
                self.keep_seen(Keep::Soon);
            }
        }
    }

    /// Only a connection that comes after our own announcement displaces us: of two at the same moment one stays.
    fn is_displaced(&mut self, connection: u64) -> bool {
        match &mut self.seat {
            Some(seat) if seat.connection == connection => seat.is_seated = true,
            Some(seat) if seat.is_seated => {
                self.seat = None;
                if let Some(chat) = &mut self.chat {
                    chat.remembered = false;
                }
                return true;
            }
            _ => {}
        }
        false
    }

    fn chat(&self) -> Option<SessionId> {
        self.chat.as_ref().map(|chat| chat.session)
    }

    fn caught_up(&mut self, told: Position) {
        if let Some(chat) = &mut self.chat {
            chat.told = Some(told);
        }
        self.keep_seen(Keep::Now);
    }

    fn refused(&self, rejection: &Rejection) {
        self.app.handle.meters.refusal(rejection.code());
    }

    fn lose_track(&mut self, why: Lost) -> (u16, String) {
        match why {
            Lost::Lagged => {
                (TRY_AGAIN_LATER, "nothing more is told here; connect again with the last cursor".to_owned())
            }
            Lost::Failed(rejection) => (TRY_AGAIN_LATER, rejection.to_string()),
        }
    }
}

/// Is it worth storing that a client saw this? After a kill, what was told since the last stored step is told again, so
/// the steps must not be far apart.
fn is_a_step(event: &Event) -> bool {
    matches!(event, Event::Said(_) | Event::TurnEnded { .. } | Event::Asked(_) | Event::Settled(_))
}
