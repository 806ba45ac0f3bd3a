//! One agent's process and its machine: lines in, lines out, wishes granted, news told.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::event::{Lane, Level};
use askbridge_core::ids::{Epoch, PartyId, SessionId, Timestamp};
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use askbridge_peers::doors::claude::{self, Begin, Claude, Process};
use askbridge_peers::peer::{BlockKind, Cx, Frame, Outbox, Peer, Streamed, Tag};
use askbridge_peers::told::Told;
use askbridge_peers::wish::{Query, Receipt, Rejection, Wish};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesOrdered, FuturesUnordered};
use futures_util::{FutureExt, StreamExt};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::content::{Known, Order, Returning};
use super::conversation;
use super::desk::Inner;
use super::memory::Scale;
use super::pipe::Pipe;
use super::place::{Place, Rest};
use super::process::Running;
use super::spool::{Line, Spool};
use crate::auth::{Caller, ProcessId, Role};
use crate::chance::Chance;
use crate::runtime::{Entrance, Follower, Gate, Heard, Interest, News};

/// How often to look at the spool although nobody said that it has grown.
const LOOK_ANYWAY: Duration = Duration::from_secs(2);

/// What a process brings along.
pub(super) struct Hosted {
    pub(super) session: SessionId,
    pub(super) place: Place,
    pub(super) rest: Rest,
    pub(super) spool: Spool,
    pub(super) pipe: Pipe,
    pub(super) process: ProcessId,
    /// `None`: it is gone, and only what it said is left.
    pub(super) running: Option<Running>,
    pub(super) begin: Begin,
    pub(super) epoch: Epoch,
    /// Under which name Claude Code keeps it.
    pub(super) conversation: String,
}

/// How a process ended, for whoever may start it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It had heard something, or was not needed any more.
    WithProgress,
    Fruitless,
    /// It runs on, for whoever comes after us.
    LeftRunning,
}

type Ruling = (Tag, Result<Receipt, Rejection>);

pub(super) struct Host {
    pub(super) desk: Arc<Inner>,
    pub(super) session: SessionId,
    pub(super) place: Place,
    rest: Rest,
    pub(super) spool: Spool,
    pub(super) pipe: Pipe,
    pub(super) process: ProcessId,
    running: Option<Arc<Running>>,
    /// What hardly ever happens. One at most; in a crowd of its own, because that is not looked at before something happened to it.
    seldom: FuturesUnordered<BoxFuture<'static, Seldom>>,
    pub(super) epoch: Epoch,
    caller: Caller,
    pub(super) claude: Claude,
    out: Outbox,
    chance: Chance,
    news: Arc<Notify>,
    follower: Follower,
    pub(super) rulings: FuturesUnordered<BoxFuture<'static, Ruling>>,
    /// Rulings that are known already.
    pub(super) ruled: VecDeque<Ruling>,
    pub(super) records: FuturesOrdered<BoxFuture<'static, ()>>,
    pub(super) returning: Returning,
    pub(super) order: Order,
    /// What an earlier askbridge, or an earlier process, has stored together with decisions. Nothing once all of that was heard
    /// again.
    pub(super) known: Known,
    /// May there be something in the spool that was not read?
    unread: bool,
    wake_at: Option<Timestamp>,
    /// The alarm, and what it is set to: most steps leave it as it is.
    alarm: Option<(Timestamp, BoxFuture<'static, ()>)>,
    pub(super) hang_up: Option<u16>,
    pub(super) woken: bool,
    /// Has the agent shown that it heard something?
    pub(super) has_progressed: bool,
    pub(super) idle_since: Option<Instant>,
    pub(super) conversation: String,
    /// What it takes of the machine's memory, if somebody looks.
    pub(super) scale: Option<Arc<Scale>>,
    /// It takes too much, so nothing is kept warm any more.
    pub(super) hurried: bool,
    /// It took too much, and was stopped.
    pub(super) too_heavy: bool,
    /// The desk knows that this process could go.
    pub(super) offers_room: bool,
    /// It was told to go, because somebody waits for its place.
    pub(super) making_room: bool,
}

impl Host {
    pub(super) async fn open(desk: &Arc<Inner>, hosted: Hosted) -> Result<Self, Rejection> {
        let Hosted { session, place, rest, spool, pipe, process, running, begin, epoch, conversation } = hosted;
        let started = desk.handle.look(session, |state| state.session.started.clone()).await?;
        let (owner, agent) = match started {
            Some(started) => (started.owner.clone(), started.agent.clone()),
            None => (PartyId::from(""), claude::NAME.to_owned()),
        };
        let known = match begin.process {
            Process::New => Known::default(),
            Process::Resumed | Process::Adopted => Known::of(&desk.handle, session).await?,
        };
        Ok(Self {
            news: desk.eyes.on(place.spool_name()),
            scale: desk.options.memory_max.map(|_| desk.scales.on(process.pid)),
            follower: desk.handle.follow_live(Interest::Session(session)),
            caller: Caller { party: owner, role: Role::Agent, name: agent.into(), device: "process".into() },
            chance: desk.handle.chance().clone(),
            claude: Claude::new(begin),
            desk: Arc::clone(desk),
            session,
            place,
            rest,
            spool,
            pipe,
            process,
            running: running.map(Arc::new),
            seldom: FuturesUnordered::new(),
            epoch,
            out: Outbox::default(),
            rulings: FuturesUnordered::new(),
            ruled: VecDeque::new(),
            records: FuturesOrdered::new(),
            returning: Returning::default(),
            order: Order::default(),
            known,
            unread: true,
            wake_at: None,
            alarm: None,
            hang_up: None,
            woken: false,
            has_progressed: false,
            idle_since: None,
            conversation,
            hurried: false,
            too_heavy: false,
            offers_room: false,
            making_room: false,
        })
    }

    /// Hosts the process until it ends, is to end, or we do.
    pub(super) async fn run(mut self) -> Ended {
        let stop = self.desk.stop.clone();
        while let Some(running) = self.running.take() {
            match self.step(&running, &stop).await {
                Step::GoOn => self.running = Some(running),
                Step::Died => {}
                Step::LetGo => {
                    self.wait_for_the_record().await;
                    running.end().await;
                }
                Step::Leave if self.desk.stops_agents() => running.end().await,
                Step::Leave => {
                    if self.leave(&running).await {
                        self.desk.eyes.off(&self.place.spool_name());
                        self.desk.scales.off(self.process.pid);
                        return Ended::LeftRunning;
                    }
                }
            }
        }
        self.finish().await
    }

    pub(super) async fn step(&mut self, running: &Arc<Running>, stop: &CancellationToken) -> Step {
        if let Err(error) = self.read() {
            warn!(session.id = %self.session, %error, "Could not read what an agent wrote; it is ended");
            return Step::LetGo;
        }
        while let Some((tag, ruling)) = self.ruled.pop_front() {
            self.with_claude(|claude, cx| claude.reply(tag, ruling, cx));
        }
        let write_again = match self.pipe.flush() {
            Ok(again) => again,
            Err(error) => {
                warn!(session.id = %self.session, %error, "Could not write to an agent; it is ended");
                return Step::LetGo;
            }
        };
        if self.hang_up.is_some() && self.rulings.is_empty() && self.records.is_empty() {
            return Step::LetGo;
        }
        self.take_a_rest().await;
        if let Some(step) = self.weigh() {
            return step;
        }
        // Listened for before the look, so that no call is missed between the two.
        let desk = Arc::clone(&self.desk);
        let crowded = desk.crowded.notified();
        if self.makes_room() || self.is_to_sleep().await {
            info!(session.id = %self.session, "Agent has nothing to do and is let go");
            return Step::LetGo;
        }
        if !self.ruled.is_empty() {
            return Step::GoOn;
        }
        self.set_the_alarm();
        let news = Arc::clone(&self.news);
        let has_room = self.has_room();
        let sleep_at = self.idle_since.map(|since| since + self.desk.options.idle);
        if self.seldom.is_empty() {
            self.seldom.push(seldom(Arc::clone(running), stop.clone(), self.scale.clone()).boxed());
        }
        tokio::select! {
            biased;
            Some(happened) = self.seldom.next() => match happened {
                Seldom::Ended => return Step::Died,
                Seldom::Stopping => return Step::Leave,
                Seldom::Weighed => {}
                Seldom::Quiet => self.look_again(),
            },
            heard = self.follower.next() => self.told(heard),
            // Before the rulings: what was said before a question stands before it in the journal.
            Some(()) = self.records.next(), if !self.records.is_empty() => {}
            Some(ruling) = self.rulings.next(), if !self.rulings.is_empty() => self.ruled.push_back(ruling),
            () = news.notified(), if has_room => self.look_again(),
            () = async { sleep(write_again.unwrap_or_default()).await }, if write_again.is_some() => {}
            () = rung(&mut self.alarm) => {
                self.alarm = None;
                self.wake();
            }
            () = async { sleep_until(sleep_at.unwrap_or_else(Instant::now)).await }, if sleep_at.is_some() => {}
            () = crowded, if self.offers_room => {}
        }
        self.take_what_is_ready();
        Step::GoOn
    }

    /// What is ready at the same moment is taken in one step.
    fn take_what_is_ready(&mut self) {
        // A ruling says how things stand when it is made, so what happens after that is told after it.
        while self.ruled.is_empty()
            && let Some(heard) = self.follower.next_if_ready()
        {
            self.told(heard);
        }
        while let Some(Some(())) = self.records.next().now_or_never() {}
        while let Some(Some(ruling)) = self.rulings.next().now_or_never() {
            self.ruled.push_back(ruling);
        }
    }

    fn has_room(&self) -> bool {
        self.records.len() < limits::AGENT_RECORDS_MAX && self.rulings.len() < limits::IN_FLIGHT_MAX
    }

    /// There may be more in the spool than when it was last read.
    pub(super) fn look_again(&mut self) {
        self.unread = true;
        self.spool.may_have_grown();
    }

    /// Hears every whole line there is, as long as there is room for what it means.
    pub(super) fn read(&mut self) -> std::io::Result<()> {
        while self.unread && self.has_room() && self.hang_up.is_none() {
            match self.spool.next()? {
                Some(Line::Text(text)) => {
                    self.with_claude(|claude, cx| claude.hear(Frame::Text(text.into()), cx).unwrap_or_default());
                }
                Some(Line::TooLong) => {
                    self.notice(Level::Warning, "A line of the agent was too long and was passed over.")
                }
                None => {
                    self.unread = false;
                    // What an earlier askbridge has heard is heard again before anything is said.
                    if !self.woken {
                        self.woken = true;
                        self.wake();
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn set_the_alarm(&mut self) {
        if self.alarm.as_ref().map(|(at, _)| *at) != self.wake_at {
            let clock = self.desk.handle.clock.clone();
            self.alarm = self.wake_at.map(|at| (at, async move { clock.sleep_until(at).await }.boxed()));
        }
    }

    fn wake(&mut self) {
        self.wake_at = None;
        let mut at = None;
        self.with_claude(|claude, cx| at = claude.wake(cx));
        self.wake_at = at;
    }

    fn told(&mut self, heard: Result<Heard, Rejection>) {
        match heard {
            Ok(Heard::News(news)) => {
                if let News::Entry(batch) = &*news {
                    for happened in batch.happened.iter().filter(|it| it.event.lane() == Lane::Decisions) {
                        self.returning.hear(&happened.event);
                        self.with_claude(|claude, cx| claude.tell(&Told::Event(happened), cx));
                    }
                }
            }
            Ok(Heard::Snapshot(_) | Heard::CaughtUp(_)) => {}
            // We cannot have kept up with one session. The machine is made anew from what is stored.
            Ok(Heard::Lagged) | Err(_) => {
                warn!(session.id = %self.session, "Lost track of a session; its agent is resumed");
                self.hang_up = Some(claude::PARKED);
            }
        }
    }

    /// Lets the machine act, then takes what it wants done.
    pub(super) fn with_claude(&mut self, act: impl FnOnce(&mut Claude, &mut Cx<'_>)) {
        let now = self.desk.handle.now();
        let mut cx = Cx { now, ids: &mut self.chance, out: &mut self.out };
        act(&mut self.claude, &mut cx);
        let out = std::mem::take(&mut self.out);
        // A question that is being written is no part of the story yet.
        if out.streams.iter().any(|streamed| streamed.kind != BlockKind::Asking) {
            self.store_what_returned();
        }
        for Streamed { session, block, kind, offset, text } in out.streams {
            self.desk.handle.stream(session, block, kind, offset, &text);
        }
        for (place, record) in out.records.into_iter().enumerate() {
            self.record(record, place);
        }
        for frame in out.frames {
            if let Frame::Text(line) = frame {
                self.pipe.push(&line);
            }
        }
        for (tag, wish) in out.wishes {
            self.wish(tag, wish);
        }
        for (tag, query) in out.queries {
            self.query(tag, query);
        }
        // Watching the session is what this host does anyway.
        self.wake_at = out.wake_at;
        if let Some((code, _)) = out.hang_up {
            self.hang_up = Some(code);
        }
    }

    fn wish(&mut self, tag: Tag, wish: Wish) {
        // What Claude Code hears twice it ignores, so nobody has to wait until it is noted that it was handed over.
        let noted = match &wish {
            Wish::Hand { parcel } => Some(Intent::Hand { parcel: *parcel }),
            Wish::Deliver { parcel, proof } => Some(Intent::Deliver { parcel: *parcel, proof: proof.clone() }),
            Wish::Return { ask, result } => {
                self.returning.add(*ask);
                Some(Intent::Return { ask: *ask, result: result.clone() })
            }
            _ => None,
        };
        self.has_progressed |= matches!(wish, Wish::Deliver { .. } | Wish::Return { .. } | Wish::Strand { .. });
        if let Some(intent) = noted {
            self.desk.handle.note(self.session, [intent]);
            self.ruled.push_back((tag, Ok(Receipt { session: Some(self.session), news: true, ..Receipt::default() })));
            return;
        }
        let (handle, caller) = (self.desk.handle.clone(), self.caller.clone());
        let entrance = Entrance::agent(claude::NAME, self.session);
        self.rulings
            .push(Box::pin(async move { (tag, Gate::for_a_host(&handle).grant(&caller, entrance, wish).await) }));
    }

    fn query(&mut self, tag: Tag, query: Query) {
        let handle = self.desk.handle.clone();
        self.rulings.push(Box::pin(async move {
            let receipt = match query {
                Query::Ask(ask) => {
                    let view = handle.ask(ask).await;
                    view.map(|view| Receipt { ask: Some(ask), view: Some(Box::new(view)), ..Receipt::default() })
                }
                Query::Session(session) => {
                    let view = handle.session(session).await;
                    view.map(|view| Receipt { session_view: Some(Box::new(view)), ..Receipt::default() })
                }
                // What only those ask who come from outside.
                _ => Err(Rejection::Unauthorized),
            };
            (tag, receipt)
        }));
    }

    /// Between turns, once everything is stored, what was heard need not be heard again.
    async fn take_a_rest(&mut self) {
        let carry =
            self.claude.rest().filter(|_| self.records.is_empty() && self.rulings.is_empty() && self.ruled.is_empty());
        let Some(carry) = carry else { return };
        let rest = Rest { offset: self.spool.offset(), carry, resumed: self.rest.resumed };
        if rest == self.rest {
            return;
        }
        // What was delivered has to be known before the proof of it is thrown away.
        if self.desk.handle.flush(self.session).await.is_ok() && self.place.keep_rest(&rest).is_ok() {
            self.spool.free(rest.offset);
            self.rest = rest;
            self.known = Known::default();
        }
    }

    async fn is_to_sleep(&mut self) -> bool {
        if !self.claude.is_idle() || !self.pipe.is_empty() || self.hang_up.is_some() {
            self.idle_since = None;
            return false;
        }
        let since = *self.idle_since.get_or_insert_with(Instant::now);
        if since.elapsed() >= self.desk.options.idle {
            return true;
        }
        // A session that has grown long goes on as a new one, and only one without a process can. What is in flight holds the
        // session, and goes on only once we are done here: so never look while something is.
        self.rulings.is_empty() && self.records.is_empty() && conversation::is_full(&self.desk, self.session).await
    }
}

async fn rung(alarm: &mut Option<(Timestamp, BoxFuture<'static, ()>)>) {
    match alarm {
        Some((_, rings)) => rings.await,
        None => std::future::pending().await,
    }
}

/// What hardly ever happens to a host.
enum Seldom {
    /// The process did.
    Ended,
    /// We are to.
    Stopping,
    /// The process takes more of the machine's memory than before, or less.
    Weighed,
    /// It is time to look at the spool although nobody said that it has grown.
    Quiet,
}

async fn seldom(running: Arc<Running>, stop: CancellationToken, scale: Option<Arc<Scale>>) -> Seldom {
    let weighed = async {
        match &scale {
            Some(scale) => scale.changed.notified().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        () = running.ended() => Seldom::Ended,
        () = stop.cancelled() => Seldom::Stopping,
        () = weighed => Seldom::Weighed,
        () = sleep(LOOK_ANYWAY) => Seldom::Quiet,
    }
}

/// What a host does after a step.
pub(super) enum Step {
    GoOn,
    Died,
    LetGo,
    /// We are to end.
    Leave,
}
