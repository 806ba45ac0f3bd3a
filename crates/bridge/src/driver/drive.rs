//! The driver: runs a machine, carries out what it requests, and tells it what happens.

use std::collections::VecDeque;

use askbridge_core::ids::{Position, SessionId, Timestamp};
use askbridge_peers::peer::{Cx, Frame, Garbled, Outbox, Peer, Tag};
use askbridge_peers::told::Told;
use askbridge_peers::wish::{Receipt, Rejection};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};

use super::endpoint::{Endpoint, Lost, Order, Watched};
use super::replies::Replies;
use crate::chance::Chance;
use crate::runtime::{FollowUpdate, Follower, HubMessage};

/// One machine and everything that it waits for.
pub(crate) struct Driver<P, E> {
    pub(crate) peer: P,
    pub(crate) endpoint: E,
    out: Outbox,
    chance: Chance,
    follower: Option<Follower>,
    pub(crate) replies: Replies,
    /// Receipts that are held back until their events were told. Empty unless [`Order::NewsBeforeReceipt`]. They are
    /// released at the front nearly always.
    held: VecDeque<(SessionId, Position, Tag, Receipt)>,
    wake_at: Option<Timestamp>,
    /// The timer, and the time it is set to. Kept across steps, since most leave it as it is.
    alarm: Option<(Timestamp, BoxFuture<'static, ()>)>,
    hang_up: Option<(u16, String)>,
}

/// What ended a call of `step`.
pub(crate) enum Stepped<F, T> {
    First(F),
    Then(T),
    /// The machine was told something, or a record was stored.
    Machine,
}

impl<P: Peer, E: Endpoint> Driver<P, E> {
    pub(crate) fn new(peer: P, endpoint: E, follower: Option<Follower>) -> Self {
        Self {
            chance: endpoint.handle().chance.clone(),
            peer,
            endpoint,
            out: Outbox::default(),
            follower,
            replies: Replies::default(),
            held: VecDeque::new(),
            wake_at: None,
            alarm: None,
            hang_up: None,
        }
    }

    /// Passes a frame of the other side to the machine.
    pub(crate) fn hear(&mut self, frame: Frame<'_>) -> Result<(), Garbled> {
        self.act(|peer, cx| peer.hear(frame, cx))
    }

    pub(crate) fn wake(&mut self) {
        self.wake_at = None;
        if let Some(at) = self.act(|peer, cx| peer.wake(cx)) {
            self.wake_at = Some(at);
        }
    }

    /// Takes the frames that the machine wants written.
    pub(crate) fn take_frames(&mut self) -> Vec<Frame<'static>> {
        std::mem::take(&mut self.out.frames)
    }

    pub(crate) fn frame_bytes(&self) -> usize {
        self.out.bytes()
    }

    /// Ends the conversation once the frames are written.
    pub(crate) fn hang_up(&mut self, code: u16, reason: impl Into<String>) {
        self.hang_up = Some((code, reason.into()));
    }

    pub(crate) fn hangs_up(&self) -> bool {
        self.hang_up.is_some()
    }

    pub(crate) fn take_hang_up(&mut self) -> Option<(u16, String)> {
        self.hang_up.take()
    }

    pub(crate) fn is_following(&self) -> bool {
        self.follower.is_some()
    }

    /// Stops telling the machine news.
    pub(crate) fn stop_following(&mut self) {
        self.follower = None;
    }

    /// Will nothing happen here unless the other side sends something?
    pub(crate) fn is_idle(&self) -> bool {
        self.follower.is_none() && self.replies.is_empty() && self.held.is_empty() && self.wake_at.is_none()
    }

    /// Are all records stored, and all replies passed on?
    pub(crate) fn is_settled(&self) -> bool {
        self.replies.is_empty() && !self.endpoint.is_storing()
    }

    /// Lets the machine act, then carries out what it requests.
    ///
    /// Streams and records come before wishes: what an agent said before a question comes before it in the journal.
    pub(crate) fn act<T>(&mut self, act: impl FnOnce(&mut P, &mut Cx<'_>) -> T) -> T {
        let now = self.endpoint.handle().clock.now();
        let mut cx = Cx { now, ids: &mut self.chance, out: &mut self.out };
        let result = act(&mut self.peer, &mut cx);
        for streamed in std::mem::take(&mut self.out.streams) {
            self.endpoint.stream(streamed);
        }
        for (place, record) in std::mem::take(&mut self.out.records).into_iter().enumerate() {
            self.endpoint.record(record, place);
        }
        self.endpoint.write(&mut self.out.frames);
        for (tag, wish) in std::mem::take(&mut self.out.wishes) {
            self.endpoint.wish(tag, wish, &mut self.replies);
        }
        for (tag, query) in std::mem::take(&mut self.out.queries) {
            self.endpoint.query(tag, query, &mut self.replies);
        }
        if E::ORDER == Order::NewsBeforeReceipt {
            while let Some((tag, reply)) = self.replies.known.pop_front() {
                self.replied(tag, reply);
            }
        }
        for watch in std::mem::take(&mut self.out.watches) {
            match self.endpoint.watch(watch) {
                Watched::Follow(follower) => self.follower = Some(follower),
                Watched::Nothing => {}
                Watched::HangUp(code, reason) => self.hang_up(code, reason),
            }
        }
        for (session, words) in std::mem::take(&mut self.out.whispers) {
            self.endpoint.whisper(session, &words);
        }
        for (session, ends) in std::mem::take(&mut self.out.endings) {
            self.endpoint.end_with(session, ends);
        }
        if let Some(at) = self.out.wake_at.take() {
            self.wake_at = Some(at);
        }
        if let Some(hang_up) = self.out.hang_up.take() {
            self.hang_up = Some(hang_up);
        }
        result
    }

    /// Waits for one event that concerns the machine, and tells it. Cancel safe.
    ///
    /// If several are ready: `first` comes before everything else; `then` after the replies and before the alarm,
    /// because a frame that arrived in time counts even if the deadline has passed since.
    pub(crate) async fn step<F, T>(
        &mut self,
        first: impl Future<Output = F>,
        then: impl Future<Output = T>,
    ) -> Stepped<F, T> {
        self.set_the_alarm();
        let may_hear = self.may_hear();
        tokio::select! {
            biased;
            first = first => return Stepped::First(first),
            heard = next(&mut self.follower), if may_hear => self.heard(heard),
            // Before the replies: what was said before a question comes before it in the journal.
            () = self.endpoint.stored(), if self.endpoint.is_storing() => {}
            Some((tag, reply)) = self.replies.in_flight.next(), if !self.replies.in_flight.is_empty() => self.replied(tag, reply),
            then = then => return Stepped::Then(then),
            () = rung(&mut self.alarm) => {
                self.alarm = None;
                self.wake();
            }
        }
        Stepped::Machine
    }

    /// Handles one event that is ready now, without waiting. Returns whether there was one.
    pub(crate) fn step_if_ready(&mut self) -> bool {
        // With `Order::ReplyBeforeLaterNews`, news waits until the known replies are passed on; with the other order
        // none are kept.
        if self.replies.known.is_empty()
            && self.may_hear()
            && let Some(heard) = self.follower.as_mut().and_then(Follower::next_if_ready)
        {
            self.heard(heard);
            return true;
        }
        while self.endpoint.is_storing() && self.endpoint.stored().now_or_never().is_some() {}
        match self.replies.in_flight.next().now_or_never() {
            Some(Some((tag, reply))) => self.replied(tag, reply),
            _ => return false,
        }
        true
    }

    /// May the machine be told news now?
    ///
    /// Where several nodes share the journal, another may decide about an ask before this one has its own reply on making
    /// it. With [`Order::ReplyBeforeLaterNews`], the news waits for that reply: the machine would not know the ask.
    fn may_hear(&self) -> bool {
        let is_shared = E::ORDER == Order::ReplyBeforeLaterNews && !self.endpoint.handle().nodes.is_alone();
        !is_shared || self.replies.in_flight.is_empty()
    }

    /// Passes on all known replies, and those on wishes that the machine makes because of them.
    pub(crate) fn pass_on_replies(&mut self) {
        while let Some((tag, reply)) = self.replies.known.pop_front() {
            self.act(|peer, cx| peer.reply(tag, reply, cx));
        }
    }

    /// For a machine whose other side is gone: passes on one reply, or waits until a record is stored. Returns whether
    /// there was anything left.
    pub(crate) async fn finish_one(&mut self) -> bool {
        for (_, _, tag, receipt) in std::mem::take(&mut self.held) {
            self.act(|peer, cx| peer.reply(tag, Ok(receipt), cx));
        }
        if let Some((tag, reply)) = self.replies.known.pop_front() {
            self.act(|peer, cx| peer.reply(tag, reply, cx));
            return true;
        }
        tokio::select! {
            biased;
            () = self.endpoint.stored(), if self.endpoint.is_storing() => true,
            Some((tag, reply)) = self.replies.in_flight.next(), if !self.replies.in_flight.is_empty() => {
                self.act(|peer, cx| peer.reply(tag, reply, cx));
                true
            }
            else => false,
        }
    }

    fn set_the_alarm(&mut self) {
        if self.alarm.as_ref().map(|(at, _)| *at) != self.wake_at {
            let clock = self.endpoint.handle().clock.clone();
            self.alarm = self.wake_at.map(|at| (at, async move { clock.sleep_until(at).await }.boxed()));
        }
    }

    fn heard(&mut self, heard: Result<FollowUpdate, Rejection>) {
        match heard {
            Ok(FollowUpdate::Message(news)) => self.tell(&news),
            Ok(FollowUpdate::Snapshot(snapshot)) => {
                self.act(|peer, cx| peer.tell(&Told::Snapshot(&snapshot), cx));
                self.release();
            }
            Ok(FollowUpdate::CaughtUp(seen)) => {
                let Some(session) = self.endpoint.chat() else { return };
                self.act(|peer, cx| peer.tell(&Told::CaughtUp { session, seen }, cx));
                if let Some(follower) = &self.follower {
                    self.endpoint.caught_up(follower.told_in(session));
                }
                self.release();
            }
            Ok(FollowUpdate::Lagged) => {
                self.follower = None;
                self.act(|peer, cx| peer.tell(&Told::Lagged, cx));
                self.hang_up = Some(self.endpoint.lose_track(Lost::Lagged));
            }
            Err(rejection) => {
                self.follower = None;
                self.hang_up = Some(self.endpoint.lose_track(Lost::Failed(rejection)));
            }
        }
    }

    fn tell(&mut self, news: &HubMessage) {
        if !self.endpoint.hears(news) {
            return;
        }
        match news {
            HubMessage::Entry(batch) => {
                for happened in &batch.happened {
                    if self.endpoint.tells(happened) {
                        self.act(|peer, cx| peer.tell(&Told::Event(happened), cx));
                    }
                }
                self.endpoint.told(batch);
                self.release();
            }
            HubMessage::Draft { ask, draft, .. } => {
                self.act(|peer, cx| peer.tell(&Told::Draft { ask: *ask, draft }, cx));
            }
            HubMessage::Gone { sessions } => self.act(|peer, cx| peer.tell(&Told::Gone { sessions }, cx)),
            HubMessage::Own { own, .. } => self.act(|peer, cx| peer.tell(&Told::Own(own), cx)),
            HubMessage::Delta { session, block, kind, offset, text } => {
                let told = Told::Delta { session: *session, block: *block, kind: *kind, offset: *offset, text };
                self.act(|peer, cx| peer.tell(&told, cx));
            }
            HubMessage::Seat { session, connection, .. } => {
                if self.endpoint.is_displaced(*connection) {
                    self.act(|peer, cx| peer.tell(&Told::Displaced { session: *session }, cx));
                }
            }
            HubMessage::Whisper { session, words, .. } => {
                self.act(|peer, cx| peer.tell(&Told::Whispered { session: *session, words }, cx));
            }
            HubMessage::Look { session, screen, loaded_to, .. } => {
                let told = Told::Looked { session: *session, screen: *screen, loaded_to: *loaded_to };
                self.act(|peer, cx| peer.tell(&told, cx));
            }
        }
    }

    fn replied(&mut self, tag: Tag, reply: Result<Receipt, Rejection>) {
        if E::ORDER == Order::ReplyBeforeLaterNews {
            self.replies.know(tag, reply);
            return;
        }
        let reply = match reply {
            Ok(receipt) => match (receipt.session, receipt.position) {
                (Some(session), Some(position)) if !self.has_told(session, position) => {
                    self.held.push_back((session, position, tag, receipt));
                    return;
                }
                _ => Ok(receipt),
            },
            Err(rejection) => {
                self.endpoint.refused(&rejection);
                Err(rejection)
            }
        };
        self.act(|peer, cx| peer.reply(tag, reply, cx));
    }

    /// Passes on the receipts whose events have been told.
    fn release(&mut self) {
        let mut place = 0;
        while place < self.held.len() {
            let (session, position, ..) = self.held[place];
            if self.has_told(session, position) {
                let Some((_, _, tag, receipt)) = self.held.remove(place) else { return };
                self.act(|peer, cx| peer.reply(tag, Ok(receipt), cx));
            } else {
                place += 1;
            }
        }
    }

    fn has_told(&self, session: SessionId, position: Position) -> bool {
        self.follower.as_ref().is_none_or(|follower| follower.has_told(session, position))
    }
}

async fn next(follower: &mut Option<Follower>) -> Result<FollowUpdate, Rejection> {
    match follower {
        Some(follower) => follower.next().await,
        None => std::future::pending().await,
    }
}

async fn rung(alarm: &mut Option<(Timestamp, BoxFuture<'static, ()>)>) {
    match alarm {
        Some((_, rings)) => rings.await,
        None => std::future::pending().await,
    }
}
