//! The loop of one agent's process and its machine: reads lines, writes lines, submits wishes, tells news.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use askbridge_core::event::Level;
use askbridge_core::ids::{Epoch, PartyId, Position, SessionId};
use askbridge_core::limits;
use askbridge_journal::journal::Journal;
use askbridge_peers::consult::OccurrenceKinds;
use askbridge_peers::peer::Frame;
use askbridge_peers::wish::Rejection;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesOrdered, FuturesUnordered};
use futures_util::{FutureExt, StreamExt};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::agent_folder::{AgentFolder, Rest};
use super::content::{Gathered, Order, Returning, StoredPieces};
use super::endpoint::AgentProcess;
use super::machine::Machine;
use super::memory::MemoryUse;
use super::pipe::Pipe;
use super::pool::HostPool;
use super::process::Running;
use super::spool::{Spool, SpoolLine};
use crate::auth::{Caller, ProcessId, Role};
use crate::consult::looked_at;
use crate::driver::{Driver, Stepped};
use crate::runtime::Interest;

/// How often to read the spool without a notification.
const LOOK_ANYWAY: Duration = Duration::from_secs(2);

/// What a host starts from.
pub(super) struct Hosted<M: Machine> {
    pub(super) session: SessionId,
    pub(super) agent_folder: AgentFolder,
    pub(super) rest: Rest<M::Carry>,
    pub(super) spool: Spool,
    pub(super) pipe: Pipe,
    pub(super) process: ProcessId,
    /// `None`: it has exited, and only its output is left.
    pub(super) running: Option<Running>,
    pub(super) machine: M,
    /// It resumes no earlier conversation, and has not written anything yet.
    pub(super) is_new: bool,
    pub(super) epoch: Epoch,
    /// The agent's own name for the conversation.
    pub(super) conversation: String,
}

/// How a process ended, which says whether it is started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessEnd {
    /// It had received something, or was not needed any more.
    WithProgress,
    Fruitless,
    /// It still runs, for the next server.
    LeftRunning,
    /// Another node has claimed its session, so it was ended, and none is started here.
    Displaced,
}

/// One process and its machine.
pub(super) struct Host<M: Machine> {
    pub(super) driver: Driver<M, AgentProcess>,
    pub(super) pool: Arc<HostPool>,
    pub(super) session: SessionId,
    pub(super) agent_folder: AgentFolder,
    rest: Rest<M::Carry>,
    running: Option<Arc<Running>>,
    /// Rare futures (at most one), kept in a separate `FuturesUnordered` so that a step does not poll them.
    rare_events: FuturesUnordered<BoxFuture<'static, RareEvent>>,
    /// Notified when the spool has grown.
    spooled: Arc<Notify>,
    /// May the spool hold lines that were not read?
    unread: bool,
    /// The process has written nothing for a while, or is about to be left.
    pub(super) is_quiet: bool,
    pub(super) woken: bool,
    pub(super) idle_since: Option<Instant>,
    pub(super) conversation: String,
    /// How much memory it uses, if that is limited.
    pub(super) memory_use: Option<Arc<MemoryUse>>,
    /// It uses too much memory, so its questions are parked at once.
    pub(super) hurried: bool,
    /// It used too much memory, and was stopped.
    pub(super) too_heavy: bool,
    /// The pool knows that this process could leave.
    pub(super) offers_room: bool,
    /// It was told to leave, because another session waits for its slot.
    pub(super) making_room: bool,
}

impl<M: Machine> Host<M> {
    pub(super) async fn open(pool: &Arc<HostPool>, hosted: Hosted<M>) -> Result<Self, Rejection> {
        let Hosted { session, agent_folder, rest, spool, pipe, process, running, machine, is_new, epoch, conversation } =
            hosted;
        let started = pool.handle.look(session, |state| state.session.started.clone()).await?;
        let (owner, agent) = match started {
            Some(started) => (started.owner.clone(), started.agent.clone()),
            None => (PartyId::from(""), M::DOOR.to_owned()),
        };
        let known = match is_new {
            true => StoredPieces::default(),
            false => StoredPieces::of(&pool.handle, session, process, rest.position.map(Position)).await?,
        };
        let endpoint = AgentProcess {
            pool: Arc::clone(pool),
            session,
            door: M::DOOR,
            parked: M::PARKED,
            caller: Caller { party: owner, role: Role::Agent, name: agent.into(), device: "process".into() },
            process,
            epoch,
            spool,
            pipe,
            records: FuturesOrdered::new(),
            returning: Returning::default(),
            gathered: Gathered::default(),
            streaming: None,
            order: Order::default(),
            known,
            has_progressed: false,
            displaced: Arc::default(),
        };
        let follower = pool.handle.follow_live(Interest::Session(session));
        // Another node may have claimed the session before we listened.
        if !pool.handle.store().exclusive() {
            let newest = pool.handle.look(session, |state| state.session.epoch).await?;
            endpoint.displaced.store(newest > epoch, Ordering::Relaxed);
        }
        Ok(Self {
            spooled: pool.spools.on(agent_folder.spool_name()),
            memory_use: pool.options.memory_max.map(|_| pool.memory.on(process.pid)),
            driver: Driver::new(machine, endpoint, Some(follower)),
            pool: Arc::clone(pool),
            session,
            agent_folder,
            rest,
            running: running.map(Arc::new),
            rare_events: FuturesUnordered::new(),
            unread: true,
            is_quiet: false,
            woken: false,
            idle_since: None,
            conversation,
            hurried: false,
            too_heavy: false,
            offers_room: false,
            making_room: false,
        })
    }

    /// Hosts the process until it exits, is to be ended, or the server stops.
    pub(super) async fn run(mut self) -> ProcessEnd {
        let stop = self.pool.stop.clone();
        while let Some(running) = self.running.take() {
            match self.step(&running, &stop).await {
                HostStep::GoOn => self.running = Some(running),
                HostStep::Died => {}
                HostStep::LetGo => {
                    self.wait_for_the_record().await;
                    running.end().await;
                }
                HostStep::Displaced => {
                    warn!(session.id = %self.session, "Another node has claimed this session; its agent here is ended");
                    running.end().await;
                    return self.give_up();
                }
                HostStep::Leave if self.pool.stops_agents() => running.end().await,
                HostStep::Leave => {
                    if self.leave(&running).await {
                        self.stop_watching();
                        return ProcessEnd::LeftRunning;
                    }
                }
            }
        }
        self.finish().await
    }

    pub(super) async fn step(&mut self, running: &Arc<Running>, stop: &CancellationToken) -> HostStep {
        if self.driver.endpoint.is_displaced() || self.pool.handle.nodes.is_gone() {
            return HostStep::Displaced;
        }
        if !self.pool.may_host() {
            return self.hold_back(running, stop).await;
        }
        if let Err(error) = self.read() {
            warn!(session.id = %self.session, %error, "Could not read what an agent wrote; it is ended");
            return HostStep::LetGo;
        }
        self.driver.pass_on_replies();
        // What the machine said because of them.
        self.driver.endpoint.end_burst();
        let write_again = match self.driver.endpoint.pipe.flush() {
            Ok(again) => again,
            Err(error) => {
                warn!(session.id = %self.session, %error, "Could not write to an agent; it is ended");
                return HostStep::LetGo;
            }
        };
        if self.driver.hangs_up() && self.driver.is_settled() {
            return HostStep::LetGo;
        }
        self.take_a_rest().await;
        if let Some(step) = self.weigh() {
            return step;
        }
        // Subscribe before checking, so that no notification in between is missed.
        let pool = Arc::clone(&self.pool);
        let crowded = pool.crowded.notified();
        if self.makes_room() || self.is_to_sleep().await {
            info!(session.id = %self.session, "Agent has nothing to do and is let go");
            return HostStep::LetGo;
        }
        if self.driver.replies.has_known() {
            return HostStep::GoOn;
        }
        if self.rare_events.is_empty() {
            self.rare_events.push(rare_event(Arc::clone(running), stop.clone(), self.memory_use.clone()).boxed());
        }
        let sleep_at = self.idle_since.map(|since| since + self.pool.options.idle);
        let (spooled, has_room, offers_room) = (Arc::clone(&self.spooled), self.has_room(), self.offers_room);
        let outside = async move {
            tokio::select! {
                biased;
                () = spooled.notified(), if has_room => true,
                () = async { sleep(write_again.unwrap_or_default()).await }, if write_again.is_some() => false,
                () = async { sleep_until(sleep_at.unwrap_or_else(Instant::now)).await }, if sleep_at.is_some() => false,
                () = crowded, if offers_room => false,
                else => std::future::pending().await,
            }
        };
        match self.driver.step(self.rare_events.next(), outside).await {
            Stepped::First(Some(RareEvent::Ended)) => return HostStep::Died,
            Stepped::First(Some(RareEvent::Stopping)) => return HostStep::Leave,
            Stepped::First(Some(RareEvent::Quiet)) => {
                self.is_quiet = true;
                self.look_again();
            }
            Stepped::Then(true) => {
                self.is_quiet = false;
                self.look_again();
            }
            Stepped::First(Some(RareEvent::Weighed) | None) | Stepped::Then(false) | Stepped::Machine => {}
        }
        // All that is ready now is handled in one step.
        while self.driver.step_if_ready() {}
        HostStep::GoOn
    }

    /// Tells the agent nothing while others may take this node for down: what was heard before may no longer hold.
    async fn hold_back(&mut self, running: &Running, stop: &CancellationToken) -> HostStep {
        tokio::select! {
            biased;
            () = running.ended() => HostStep::Died,
            () = stop.cancelled() => HostStep::Leave,
            step = may_go_on(&self.pool, self.session, self.driver.endpoint.epoch) => step,
        }
    }

    fn has_room(&self) -> bool {
        let Driver { endpoint, replies, .. } = &self.driver;
        let records = endpoint.records.len() + endpoint.gathered.len();
        records < limits::AGENT_RECORDS_MAX && replies.in_flight() < limits::IN_FLIGHT_MAX
    }

    /// The spool may have grown since it was last read.
    pub(super) fn look_again(&mut self) {
        self.unread = true;
        self.driver.endpoint.spool.may_have_grown();
    }

    /// Reads complete lines, as long as the queues for what follows from them have room. What they hold is announced and
    /// stored together.
    pub(super) fn read(&mut self) -> std::io::Result<()> {
        let read = self.read_lines();
        self.driver.endpoint.announce();
        self.driver.endpoint.end_burst();
        read
    }

    fn read_lines(&mut self) -> std::io::Result<()> {
        while self.unread && self.has_room() && !self.driver.hangs_up() {
            match self.driver.endpoint.spool.next()? {
                // A machine skips what it cannot parse.
                Some(SpoolLine::Text(text)) => self.driver.hear(Frame::Text(text.into())).unwrap_or_default(),
                Some(SpoolLine::TooLong) => {
                    let text = "A line of the agent was too long and was passed over.";
                    self.driver.endpoint.notice(Level::Warning, text);
                }
                None => {
                    self.unread = false;
                    // What an earlier server has read is read again before anything is written.
                    if !self.woken {
                        self.woken = true;
                        self.driver.wake();
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Between turns, once everything is stored, records that the spool need not be read again up to here.
    ///
    /// A file is written for that, which costs more than storing a short turn. So it waits until the process is quiet or
    /// has written much; until then the next server would read a few turns again.
    pub(super) async fn take_a_rest(&mut self) {
        let offset = self.driver.endpoint.spool.offset();
        let is_little = offset - self.rest.offset < limits::SPOOL_AGAIN_BYTES && !self.is_quiet;
        let carry = self.driver.peer.rest().filter(|_| self.driver.is_settled());
        let Some(carry) = carry.filter(|carry| !is_little || M::must_be_kept(carry, &self.rest.carry)) else { return };
        let mut rest = Rest { offset, carry, resumed: self.rest.resumed, position: self.rest.position };
        // Nothing was read since, so nothing was stored.
        if rest == self.rest {
            return;
        }
        // What was read must be in the journal before it is discarded.
        if self.pool.handle.flush(self.session).await.is_err() {
            return;
        }
        let Ok(last) = self.pool.handle.store().read_back(self.session, None, 1).await else { return };
        rest.position = last.last().map(|stored| stored.position.0);
        if self.agent_folder.keep_rest(&rest).is_ok() {
            let spool = &mut self.driver.endpoint.spool;
            // The file system first writes what it then frees, and we wait for it.
            if self.is_quiet || spool.unfreed(rest.offset) >= limits::SPOOL_UNFREED_BYTES {
                spool.free(rest.offset);
            }
            self.rest = rest;
            self.driver.endpoint.known = StoredPieces::default();
        }
    }

    async fn is_to_sleep(&mut self) -> bool {
        if !self.driver.peer.is_idle() || !self.driver.endpoint.pipe.is_empty() || self.driver.hangs_up() {
            self.idle_since = None;
            return false;
        }
        let since = *self.idle_since.get_or_insert_with(Instant::now);
        if since.elapsed() >= self.pool.options.idle {
            return true;
        }
        // Rules that look at more than this process reports reach it by its next start.
        if self.driver.is_settled() {
            let looked_at = looked_at_in(&self.pool, self.session).await;
            if self.driver.peer.misses(looked_at) {
                info!(session.id = %self.session, "Agent does not report all that the rules look at; it is let go");
                return true;
            }
        }
        // A session that has grown long continues as a new one, but only without a process. Requests in flight hold the
        // session's lock and go on only after this step, so do not take it while there are any.
        self.driver.is_settled() && is_full(&self.pool, self.session).await
    }
}

/// Waits until this node may host again, and finds out whether another has claimed the session meanwhile.
async fn may_go_on(pool: &HostPool, session: SessionId, epoch: Epoch) -> HostStep {
    loop {
        if pool.handle.nodes.is_gone() {
            return HostStep::Displaced;
        }
        if pool.may_host() {
            // The news of a later claim may still be on its way.
            match pool.handle.look(session, |state| state.session.epoch).await {
                Ok(newest) if newest > epoch => return HostStep::Displaced,
                Ok(_) => return HostStep::GoOn,
                Err(_) => {}
            }
        }
        sleep(limits::NODE_RENEWS_EVERY).await;
    }
}

/// What the advisers look at in a session.
async fn looked_at_in(pool: &HostPool, session: SessionId) -> OccurrenceKinds {
    match pool.handle.look(session, |state| Arc::clone(&state.session.settings)).await {
        Ok(settings) => looked_at(&pool.handle, settings.folder.as_deref(), settings.mode.as_deref()).await,
        Err(_) => OccurrenceKinds::NONE,
    }
}

/// Has a session grown so long that it continues as another one, once its process has ended?
async fn is_full(pool: &HostPool, session: SessionId) -> bool {
    pool.handle.look(session, |state| state.session.decisions >= limits::DECISIONS_MAX).await.unwrap_or(false)
}

/// Rare events of a host.
enum RareEvent {
    /// The process has exited.
    Ended,
    /// The server stops.
    Stopping,
    /// The process uses more memory than before, or less.
    Weighed,
    /// It is time to read the spool without a notification.
    Quiet,
}

async fn rare_event(running: Arc<Running>, stop: CancellationToken, memory_use: Option<Arc<MemoryUse>>) -> RareEvent {
    let weighed = async {
        match &memory_use {
            Some(memory_use) => memory_use.changed.notified().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        () = running.ended() => RareEvent::Ended,
        () = stop.cancelled() => RareEvent::Stopping,
        () = weighed => RareEvent::Weighed,
        () = sleep(LOOK_ANYWAY) => RareEvent::Quiet,
    }
}

/// What a host does after a step.
pub(super) enum HostStep {
    GoOn,
    Died,
    LetGo,
    /// Another node has claimed the session.
    Displaced,
    /// The server stops.
    Leave,
}
