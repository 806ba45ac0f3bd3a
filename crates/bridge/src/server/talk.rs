//! One conversation with one peer, whatever carries it: grants its wishes, answers its queries, tells it the news.

mod logins;

use std::time::Duration;

use askbridge_core::event::Event;
use askbridge_core::ids::{Epoch, Position, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_peers::peer::{Cx, Frame, Garbled, Outbox, Peer, Record, Streamed, Tag};
use askbridge_peers::told::Told;
use askbridge_peers::wish::{Query, Receipt, Rejection, Watch, Wish};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tracing::warn;

use super::app::App;
use super::codes::redeem_code;
use super::granting::grant;
use super::guest::Guest;
use super::look::look;
use super::seen::{Keep, Seen};
use crate::auth::Action;
use crate::chance::Chance;
use crate::runtime::{Follower, Heard, Interest, News, Present, chain};

/// How long a peer whose other side is gone may still wish. Beyond: what is in flight is dropped.
const FAREWELL_MAX: Duration = Duration::from_secs(5);
/// What a peer is told before what it said to that is written: news and rulings that are ready at the same moment.
const AT_ONCE_MAX: usize = 64;
/// Bytes of what it said to that. Beyond: they are written first, so that as much is in memory as the other side takes.
const AT_ONCE_BYTES: usize = 256 * 1024;
/// Pieces of content that one frame may make.
const RECORDS_AT_ONCE: usize = 64;
const TRY_AGAIN_LATER: u16 = 1013;
const POLICY: u16 = 1008;
pub(super) const REVOKED: u16 = 4401;

/// Everything about one conversation, except the bytes.
pub(crate) struct Talk {
    pub(crate) app: App,
    guest: Guest,
    peer: Box<dyn Peer>,
    out: Outbox,
    chance: Chance,
    follower: Option<Follower>,
    /// The session that is followed from its beginning.
    chat: Option<Chat>,
    seat: Option<Place>,
    rulings: FuturesUnordered<BoxFuture<'static, (Tag, Result<Receipt, Rejection>)>>,
    /// Rulings whose events have not been told yet: first the news, then the receipt.
    held: Vec<(SessionId, Position, Tag, Receipt)>,
    wake_at: Option<Timestamp>,
    hang_up: Option<(u16, String)>,
    token_changes: watch::Receiver<u64>,
    /// Stores what an agent says, one thing after the other.
    recorder: Option<mpsc::Sender<Record>>,
    seen: Seen,
    /// The other side is gone: whatever is still ruled on, it listens to nothing and takes nobody's place.
    has_left: bool,
}

/// How far a client has come in a session.
#[derive(Debug, Clone, Copy)]
struct Chat {
    session: SessionId,
    /// `None`: what happened before is still being told.
    told: Option<Position>,
    /// Is this to be kept? Not once another connection took our place: that one remembers from then on.
    remembered: bool,
}

/// The place of the only connection of a language to a session.
#[derive(Debug)]
struct Place {
    connection: u64,
    /// Our own turn has come round.
    is_seated: bool,
    /// Others can see that somebody is there.
    _present: Present,
}

impl Talk {
    pub(crate) fn new(app: App, guest: Guest, peer: Box<dyn Peer>) -> Self {
        let (chance, token_changes) = (app.handle.chance.clone(), app.tokens.changes());
        Self {
            app,
            guest,
            peer,
            out: Outbox::default(),
            chance,
            follower: None,
            chat: None,
            seat: None,
            rulings: FuturesUnordered::new(),
            held: Vec::new(),
            wake_at: None,
            hang_up: None,
            token_changes,
            recorder: None,
            seen: Seen::default(),
            has_left: false,
        }
    }

    /// Passes on what the other side said.
    pub(crate) fn hear(&mut self, frame: Frame<'_>) -> Result<(), Garbled> {
        self.with_peer(|peer, cx| peer.hear(frame, cx))
    }

    pub(crate) fn wake(&mut self) {
        self.wake_at = None;
        if let Some(at) = self.with_peer(|peer, cx| peer.wake(cx)) {
            self.wake_at = Some(at);
        }
    }

    pub(crate) fn hang_up(&mut self, code: u16, reason: impl Into<String>) {
        self.hang_up = Some((code, reason.into()));
    }

    pub(crate) fn take_hang_up(&mut self) -> Option<(u16, String)> {
        self.hang_up.take()
    }

    /// Takes what the peer wants written.
    pub(crate) fn take_frames(&mut self) -> Vec<Frame<'static>> {
        std::mem::take(&mut self.out.frames)
    }

    /// Should the other side be listened to? Not while too much of what it said is in flight, nor after the last word, nor
    /// before the peer knows how the session stands that it is about: it would answer for one in which nothing happened.
    pub(crate) fn has_room(&self) -> bool {
        let is_catching_up = self.follower.is_some() && self.chat.as_ref().is_some_and(|chat| chat.told.is_none());
        let can_record = self.recorder.as_ref().is_none_or(|recorder| recorder.capacity() > RECORDS_AT_ONCE);
        self.rulings.len() < limits::IN_FLIGHT_MAX && can_record && self.hang_up.is_none() && !is_catching_up
    }

    /// Will anything ever happen here, unless the other side speaks?
    pub(crate) fn is_idle(&self) -> bool {
        self.follower.is_none() && self.rulings.is_empty() && self.held.is_empty() && self.wake_at.is_none()
    }

    /// Waits for one thing that concerns the peer, and tells it. Nothing is lost if this is dropped half-way.
    pub(crate) async fn step(&mut self) {
        let (clock, wake_at) = (self.app.handle.clock.clone(), self.wake_at);
        tokio::select! {
            biased;
            // First: whoever is somebody else now, or nobody, hears the rest as that.
            Ok(()) = self.token_changes.changed() => self.look_again(),
            heard = hear(&mut self.follower) => self.told(heard),
            Some((tag, ruling)) = self.rulings.next(), if !self.rulings.is_empty() => self.ruled(tag, ruling),
            () = async { Box::pin(clock.sleep_until(wake_at.unwrap_or_default())).await }, if wake_at.is_some() => self.wake(),
        }
    }

    /// Takes what else is ready by now, up to a bound, without waiting for anything.
    pub(crate) fn step_while_ready(&mut self) {
        for _ in 0..AT_ONCE_MAX {
            // Whose token was revoked hears nothing that is ready at the same moment.
            if self.token_changes.has_changed().unwrap_or_default() {
                self.token_changes.mark_unchanged();
                self.look_again();
            }
            if self.hang_up.is_some() || self.out.bytes() > AT_ONCE_BYTES {
                return;
            }
            if let Some(heard) = self.follower.as_mut().and_then(Follower::next_if_ready) {
                self.told(heard);
            } else if let Some(Some((tag, ruling))) = self.rulings.next().now_or_never() {
                self.ruled(tag, ruling);
            } else {
                return;
            }
        }
    }

    /// Somebody's token was revoked, their device has another name, or a page logged out. Whoever holds neither a token nor a login
    /// cookie any more has to go.
    fn look_again(&mut self) {
        let Some(caller) = self.guest.caller.as_ref().filter(|caller| !caller.has_no_token()) else { return };
        let cookie = self.guest.cookie.as_ref().filter(|cookie| cookie.let_in);
        let is_logged_out = cookie.is_some_and(|cookie| !self.app.tokens.knows_cookie(&cookie.secret));
        self.guest.caller = self.app.tokens.holder(&caller.party).filter(|_| !is_logged_out);
        if self.guest.caller.is_none() {
            self.follower = None;
            let why = if is_logged_out { "this page was logged out" } else { "this token was revoked" };
            self.hang_up(REVOKED, why);
        }
    }

    /// Tells the peer that the other side is gone, and grants what it still wishes for.
    ///
    /// An ask may be in flight at this moment. It is not dropped: its receipt reaches the peer, which can then say what
    /// is to become of it.
    pub(crate) async fn farewell(mut self, code: u16, reason: &str) {
        self.keep_seen(Keep::Now);
        self.follower = None;
        self.seat = None;
        self.has_left = true;
        // What is garbled in a farewell has nobody left to hear about it.
        let _ = self.hear(Frame::Close(code, reason.into()));
        let last_wishes = async {
            loop {
                for (_, _, tag, receipt) in std::mem::take(&mut self.held) {
                    self.with_peer(|peer, cx| peer.reply(tag, Ok(receipt), cx));
                }
                match self.rulings.next().await {
                    Some((tag, ruling)) => self.with_peer(|peer, cx| peer.reply(tag, ruling, cx)),
                    None => return,
                }
            }
        };
        if timeout(FAREWELL_MAX, last_wishes).await.is_err() {
            warn!(peer = self.guest.via, "The last wishes of a connection took too long and were dropped");
        }
    }

    /// Lets the peer act, then takes what it wants done.
    fn with_peer<T>(&mut self, act: impl FnOnce(&mut dyn Peer, &mut Cx<'_>) -> T) -> T {
        let now = self.app.handle.clock.now();
        let mut cx = Cx { now, ids: &mut self.chance, out: &mut self.out };
        let result = act(&mut *self.peer, &mut cx);
        for (tag, wish) in std::mem::take(&mut self.out.wishes) {
            self.wish(tag, wish);
        }
        for (tag, query) in std::mem::take(&mut self.out.queries) {
            self.query(tag, query);
        }
        for watch in std::mem::take(&mut self.out.watches) {
            self.watch(watch);
        }
        for record in std::mem::take(&mut self.out.records) {
            self.record(record);
        }
        for Streamed { session, block, kind, offset, text } in std::mem::take(&mut self.out.streams) {
            if self.may_ask_in(session) {
                self.app.handle.stream(session, block, kind, offset, &text);
            }
        }
        for (session, words) in std::mem::take(&mut self.out.whispers) {
            if self.may_ask_in(session) {
                self.app.handle.whisper(self.guest.via, session, &words);
            }
        }
        for (session, ends) in std::mem::take(&mut self.out.endings) {
            if self.may_ask_in(session) {
                self.app.end_with(session, ends, self.guest.process);
            }
        }
        if let Some(at) = self.out.wake_at.take() {
            self.wake_at = Some(at);
        }
        if let Some(hang_up) = self.out.hang_up.take() {
            self.hang_up = Some(hang_up);
        }
        result
    }

    fn wish(&mut self, tag: Tag, wish: Wish) {
        let (app, caller, via) = (self.app.clone(), self.guest.now(&self.app), self.guest.via);
        self.rulings.push(Box::pin(async move { (tag, grant(&app, caller, via, wish).await) }));
    }

    /// Stores what an agent said, in order. Nobody waits for that; what cannot be stored is logged.
    fn record(&mut self, record: Record) {
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
        // One frame makes few records, and no frame is heard while there is little room.
        if let Err(error) = recorder.try_send(record) {
            warn!(peer = self.guest.via, %error, "Could not store what an agent said");
        }
    }

    fn may_ask_in(&self, session: SessionId) -> bool {
        let caller = self.guest.caller.as_ref();
        caller.is_some_and(|caller| self.app.handle.guarded(caller, Action::Ask, session).is_ok())
    }

    fn query(&mut self, tag: Tag, query: Query) {
        match &query {
            Query::Login { token } => return self.log_in(tag, token),
            Query::Logout => return self.log_out(tag),
            _ => {}
        }
        let (app, caller, via) = (self.app.clone(), self.guest.caller.clone(), self.guest.via);
        if let Query::Redeem { code } = query {
            self.rulings.push(Box::pin(async move { (tag, redeem_code(&app, code, via).await) }));
            return;
        }
        self.rulings.push(Box::pin(async move {
            let look = async {
                let caller = caller.ok_or(Rejection::Unauthorized)?;
                look(&app, &caller, via, query).await
            };
            (tag, look.await)
        }));
    }

    fn watch(&mut self, watch: Watch) {
        if self.has_left {
            return;
        }
        let Some(caller) = self.guest.caller.clone() else {
            self.hang_up(POLICY, "sign in first");
            return;
        };
        let handle = &self.app.handle;
        match watch {
            // A cursor that cannot be read is one that is not of this journal: a snapshot follows.
            Watch::Inbox { after } => {
                let after = after.and_then(|cursor| cursor.parse().ok());
                self.follower = Some(handle.follow(Interest::Inbox(caller), after));
            }
            Watch::News => self.follower = Some(handle.follow_live(Interest::Inbox(caller))),
            Watch::Session { session } => match handle.guarded(&caller, Action::See, session) {
                Ok(()) => self.follower = Some(handle.follow(Interest::Session(session), None)),
                Err(rejection) => self.hang_up(POLICY, rejection.to_string()),
            },
            Watch::Chat { session, remembered } => match handle.guarded(&caller, Action::See, session) {
                Ok(()) => {
                    self.follower = Some(handle.follow_from_the_beginning(session, self.guest.via));
                    self.chat = Some(Chat { session, told: None, remembered });
                }
                Err(rejection) => self.hang_up(POLICY, rejection.to_string()),
            },
            // Whoever may not see it hears nothing of who sits in it either.
            Watch::Seat { session } => match handle.guarded(&caller, Action::See, session) {
                Ok(()) => {
                    let connection = self.chance.u64();
                    let present = handle.present(self.guest.via, session);
                    self.seat = Some(Place { connection, is_seated: false, _present: present });
                    handle.sit(self.guest.via, session, connection);
                }
                Err(rejection) => self.hang_up(POLICY, rejection.to_string()),
            },
        }
    }

    /// Somebody sat down. Only what comes after our own turn displaces us: of two at the same moment one stays.
    fn seated(&mut self, session: SessionId, connection: u64) {
        let Some(place) = &mut self.seat else { return };
        if place.connection == connection {
            place.is_seated = true;
        } else if place.is_seated {
            self.seat = None;
            if let Some(chat) = &mut self.chat {
                chat.remembered = false;
            }
            self.with_peer(|peer, cx| peer.tell(&Told::Displaced { session }, cx));
        }
    }

    /// Remembers how far this client has come, for the next connection.
    fn keep_seen(&mut self, when: Keep) {
        if let Some(Chat { session, told: Some(position), remembered: true }) = self.chat {
            self.seen.keep(&self.app, self.guest.via, (session, position), when);
        }
    }

    fn told(&mut self, heard: Result<Heard, Rejection>) {
        match heard {
            Ok(Heard::Snapshot(snapshot)) => {
                self.with_peer(|peer, cx| peer.tell(&Told::Snapshot(&snapshot), cx));
                self.release();
            }
            Ok(Heard::News(news)) => match &*news {
                News::Entry(batch) => {
                    for happened in &batch.happened {
                        self.with_peer(|peer, cx| peer.tell(&Told::Event(happened), cx));
                    }
                    if let Some(chat) = self.chat.as_mut().filter(|chat| chat.session == batch.session) {
                        let is_live = chat.told.is_some();
                        chat.told = is_live.then_some(batch.position);
                        if is_live && batch.happened.iter().any(|happened| is_a_step(&happened.event)) {
                            self.keep_seen(Keep::Soon);
                        }
                    }
                    self.release();
                }
                News::Draft { ask, draft, .. } => {
                    self.with_peer(|peer, cx| peer.tell(&Told::Draft { ask: *ask, draft }, cx));
                }
                News::Gone { sessions } => self.with_peer(|peer, cx| peer.tell(&Told::Gone { sessions }, cx)),
                News::Own { own, .. } => self.with_peer(|peer, cx| peer.tell(&Told::Own(own), cx)),
                News::Delta { session, block, kind, offset, text } => {
                    let told = Told::Delta { session: *session, block: *block, kind: *kind, offset: *offset, text };
                    self.with_peer(|peer, cx| peer.tell(&told, cx));
                }
                News::Seat { session, dialect, connection } if dialect == self.guest.via => {
                    self.seated(*session, *connection);
                }
                News::Whisper { session, dialect, words } if dialect == self.guest.via => {
                    self.with_peer(|peer, cx| peer.tell(&Told::Whispered { session: *session, words }, cx));
                }
                News::Look { dialect, session, screen, .. } if dialect == self.guest.via => {
                    let told = Told::Looked { session: *session, screen: *screen };
                    self.with_peer(|peer, cx| peer.tell(&told, cx));
                }
                News::Seat { .. } | News::Whisper { .. } | News::Look { .. } => {}
            },
            Ok(Heard::CaughtUp(seen)) => {
                let Some(session) = self.chat.as_ref().map(|chat| chat.session) else { return };
                self.with_peer(|peer, cx| peer.tell(&Told::CaughtUp { session, seen }, cx));
                if let (Some(chat), Some(follower)) = (&mut self.chat, &self.follower) {
                    chat.told = Some(follower.told_in(session));
                }
                self.keep_seen(Keep::Now);
                self.release();
            }
            Ok(Heard::Lagged) => {
                self.follower = None;
                self.with_peer(|peer, cx| peer.tell(&Told::Lagged, cx));
                self.hang_up(TRY_AGAIN_LATER, "nothing more is told here; connect again with the last cursor");
            }
            Err(rejection) => {
                self.follower = None;
                self.hang_up(TRY_AGAIN_LATER, rejection.to_string());
            }
        }
    }

    fn ruled(&mut self, tag: Tag, ruling: Result<Receipt, Rejection>) {
        if let Ok(receipt) = &ruling
            && let (Some(session), Some(position)) = (receipt.session, receipt.position)
            && !self.has_told(session, position)
        {
            self.held.push((session, position, tag, receipt.clone()));
            return;
        }
        self.count(&ruling);
        self.with_peer(|peer, cx| peer.reply(tag, ruling, cx));
    }

    fn count(&self, ruling: &Result<Receipt, Rejection>) {
        if let Err(rejection) = ruling {
            self.app.handle.meters.refusal(rejection.code());
        }
    }

    /// Passes on the receipts whose news have been told.
    fn release(&mut self) {
        let mut place = 0;
        while place < self.held.len() {
            let (session, position, ..) = self.held[place];
            if self.has_told(session, position) {
                let (_, _, tag, receipt) = self.held.remove(place);
                self.with_peer(|peer, cx| peer.reply(tag, Ok(receipt), cx));
            } else {
                place += 1;
            }
        }
    }

    fn has_told(&self, session: SessionId, position: Position) -> bool {
        self.follower.as_ref().is_none_or(|follower| follower.has_told(session, position))
    }
}

async fn hear(follower: &mut Option<Follower>) -> Result<Heard, Rejection> {
    match follower {
        Some(follower) => follower.next().await,
        None => std::future::pending().await,
    }
}

/// Is this worth remembering that a client saw it? What a kill takes is told twice, so not much should lie between.
fn is_a_step(event: &Event) -> bool {
    matches!(event, Event::Said(_) | Event::TurnEnded { .. } | Event::Asked(_) | Event::Settled(_))
}

#[cfg(test)]
mod tests;
