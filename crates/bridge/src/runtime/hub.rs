//! The hub: one reader of the journal, any number of subscribers. It never waits for a slow one: it drops the
//! subscription, and the subscriber reads on from the journal.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use askbridge_core::event::Event;
use askbridge_core::ids::{PartyId, SessionId};
use askbridge_core::limits;
use askbridge_journal::bus::{Bus, Topic};
use askbridge_journal::journal::{Followed, Journal};
use askbridge_journal::{Cursor, Stored};
use futures_util::StreamExt;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::error;

use super::claims::NewestClaims;
use super::error::chain;
use super::gate::sees;
use super::handle::Handle;
use super::hub_message::HubMessage;
use super::{deltas, drafts, gone, looks, own, seats, whispers};
use crate::auth::{Access, Caller, Role};

/// What a subscriber wants to be told.
#[derive(Debug, Clone)]
pub enum Interest {
    /// Everything that this caller may see.
    Inbox(Caller),
    /// One session. The caller's right to see it was checked before.
    Session(SessionId),
}

#[derive(Debug)]
pub(crate) struct Hub {
    listeners: Mutex<Listeners>,
}

#[derive(Debug)]
struct Listeners {
    /// Everything up to here has been told.
    told: Cursor,
    /// In the order of their arrival, so that a simulation tells them in the same order every time.
    inbox: BTreeMap<u64, Listener>,
    /// Agents see only what is theirs. There may be ten thousand of them, so an entry is looked up by its owner instead
    /// of being offered to each.
    agents: HashMap<PartyId, BTreeMap<u64, Listener>>,
    sessions: HashMap<SessionId, BTreeMap<u64, Listener>>,
    made: u64,
}

#[derive(Debug)]
struct Listener {
    caller: Option<Caller>,
    queue: mpsc::Sender<Arc<HubMessage>>,
    waiting_bytes: Arc<AtomicUsize>,
    let_go: Arc<OnceLock<LetGo>>,
}

/// Where a subscriber was dropped that did not keep up.
#[derive(Debug, Clone)]
pub(crate) struct LetGo {
    /// The news that did not fit into its queue.
    pub(crate) news: Arc<HubMessage>,
    /// The journal up to there was told to it, except `news`.
    pub(crate) told: Cursor,
}

/// Where a subscriber is registered.
#[derive(Debug)]
enum SubscriptionKey {
    Inbox,
    Agent(PartyId),
    Session(SessionId),
}

/// The receiving end of a subscription. Unsubscribes when dropped.
#[derive(Debug)]
pub(crate) struct Subscription {
    hub: Arc<Hub>,
    id: u64,
    key: SubscriptionKey,
    queue: mpsc::Receiver<Arc<HubMessage>>,
    waiting_bytes: Arc<AtomicUsize>,
    let_go: Arc<OnceLock<LetGo>>,
}

impl Hub {
    pub(crate) fn new(told: Cursor) -> Self {
        let listeners =
            Listeners { told, inbox: BTreeMap::new(), agents: HashMap::new(), sessions: HashMap::new(), made: 0 };
        Self { listeners: Mutex::new(listeners) }
    }

    /// Subscribes from now on. Also returns up to where everything was told before.
    pub(crate) fn listen(self: &Arc<Self>, interest: &Interest) -> (Subscription, Cursor) {
        let (sender, queue) = mpsc::channel(limits::FOLLOWER_QUEUE_MAX);
        let (waiting_bytes, let_go) = (Arc::new(AtomicUsize::new(0)), Arc::new(OnceLock::new()));
        let mut listeners = self.listeners.lock();
        listeners.made += 1;
        let id = listeners.made;
        let listener = |caller| {
            let (waiting_bytes, let_go) = (Arc::clone(&waiting_bytes), Arc::clone(&let_go));
            Listener { caller, queue: sender, waiting_bytes, let_go }
        };
        let key = match interest {
            Interest::Inbox(caller) if caller.role == Role::Agent => {
                listeners.agents.entry(caller.party.clone()).or_default().insert(id, listener(Some(caller.clone())));
                SubscriptionKey::Agent(caller.party.clone())
            }
            Interest::Inbox(caller) => {
                listeners.inbox.insert(id, listener(Some(caller.clone())));
                SubscriptionKey::Inbox
            }
            Interest::Session(session) => {
                listeners.sessions.entry(*session).or_default().insert(id, listener(None));
                SubscriptionKey::Session(*session)
            }
        };
        let subscription = Subscription { hub: Arc::clone(self), id, key, queue, waiting_bytes, let_go };
        (subscription, listeners.told.clone())
    }

    fn tell(&self, stored: &Stored, access: Option<&Access>) {
        let mut listeners = self.listeners.lock();
        listeners.told.advance(stored);
        let owned = access.is_some_and(|access| listeners.agents.contains_key(&access.owner));
        if !owned && listeners.inbox.is_empty() && !listeners.sessions.contains_key(&stored.entry.session) {
            return;
        }
        let news = Arc::new(HubMessage::of(stored, &listeners.told));
        let bytes = news.bytes();
        listeners.tell(stored.entry.session, access, &news, bytes);
    }

    /// Counts an entry as told that is not to be shown.
    fn pass_over(&self, stored: &Stored) {
        self.listeners.lock().told.advance(stored);
    }

    /// Tells the connections that watch this one session, and those of its owner: no other can hold a seat in it.
    fn tell_seat(&self, news: HubMessage, access: Option<&Access>) {
        let HubMessage::Seat { session, .. } = &news else { return };
        let (session, bytes, news) = (*session, news.bytes(), Arc::new(news));
        let mut listeners = self.listeners.lock();
        let Listeners { sessions, agents, told, .. } = &mut *listeners;
        let owner = access.and_then(|access| agents.get_mut(&access.owner));
        for watching in sessions.get_mut(&session).into_iter().chain(owner) {
            watching.retain(|_, listener| listener.take(&news, bytes, told));
        }
    }

    /// Tells those who could see these sessions that they are gone.
    fn tell_gone(&self, sessions: Vec<SessionId>, access: &Access) {
        let news = Arc::new(HubMessage::Gone { sessions });
        let HubMessage::Gone { sessions } = &*news else { return };
        let bytes = news.bytes();
        let mut listeners = self.listeners.lock();
        listeners.tell_seeing(Some(access), &news, bytes);
        for session in sessions {
            listeners.tell_watching(*session, &news, bytes);
        }
    }

    /// Tells the connections that watch this one session.
    fn tell_whisper(&self, news: HubMessage) {
        let HubMessage::Whisper { session, .. } = &news else { return };
        let (session, bytes, news) = (*session, news.bytes(), Arc::new(news));
        let Listeners { sessions, told, .. } = &mut *self.listeners.lock();
        if let Some(watching) = sessions.get_mut(&session) {
            watching.retain(|_, listener| listener.take(&news, bytes, told));
        }
    }

    /// Tells the connections of one token that watch everything.
    fn tell_look(&self, news: HubMessage) {
        let HubMessage::Look { party, .. } = &news else { return };
        let (party, bytes, news) = (party.clone(), news.bytes(), Arc::new(news));
        let Listeners { inbox, told, .. } = &mut *self.listeners.lock();
        inbox.retain(|_, listener| {
            let theirs = listener.caller.as_ref().is_some_and(|caller| caller.party == party);
            !theirs || listener.take(&news, bytes, told)
        });
    }

    /// Tells the devices of one person only.
    fn tell_person(&self, news: HubMessage) {
        let (HubMessage::Draft { person, .. } | HubMessage::Own { person, .. }) = &news else { return };
        let person = person.clone();
        let bytes = news.bytes();
        let news = Arc::new(news);
        let Listeners { inbox, told, .. } = &mut *self.listeners.lock();
        inbox.retain(|_, listener| {
            let theirs = listener.caller.as_ref().is_some_and(|caller| caller.is_person() && *caller.name == *person);
            !theirs || listener.take(&news, bytes, told)
        });
    }
}

impl Handle {
    pub(super) fn tell_delta(&self, news: HubMessage) {
        let HubMessage::Delta { session, .. } = &news else { return };
        let (session, bytes) = (*session, news.bytes());
        let access = self.access(session);
        self.hub.listeners.lock().tell(session, access.as_deref(), &Arc::new(news), bytes);
    }
}

impl Listeners {
    /// Tells all who watch this session or may see it. A subscriber that cannot keep up is dropped.
    fn tell(&mut self, session: SessionId, access: Option<&Access>, news: &Arc<HubMessage>, bytes: usize) {
        self.tell_seeing(access, news, bytes);
        self.tell_watching(session, news, bytes);
    }

    fn tell_seeing(&mut self, access: Option<&Access>, news: &Arc<HubMessage>, bytes: usize) {
        let Self { inbox, agents, told, .. } = self;
        inbox.retain(|_, listener| {
            let may_see = listener.caller.as_ref().is_none_or(|caller| sees(caller, access));
            !may_see || listener.take(news, bytes, told)
        });
        if let Some(own) = access.and_then(|access| agents.get_mut(&access.owner)) {
            own.retain(|_, listener| listener.take(news, bytes, told));
        }
    }

    fn tell_watching(&mut self, session: SessionId, news: &Arc<HubMessage>, bytes: usize) {
        let Self { sessions, told, .. } = self;
        if let Some(watching) = sessions.get_mut(&session) {
            watching.retain(|_, listener| listener.take(news, bytes, told));
        }
    }
}

impl Listener {
    /// Returns `false` if this subscriber cannot keep up; it will find its queue closed. The journal was told up to
    /// `told`.
    fn take(&self, news: &Arc<HubMessage>, bytes: usize, told: &Cursor) -> bool {
        let waiting = self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        let fits = waiting + bytes <= limits::FOLLOWER_BYTES_MAX && self.queue.try_send(Arc::clone(news)).is_ok();
        if !fits {
            // Set once: this subscriber is removed from the list.
            let _ = self.let_go.set(LetGo { news: Arc::clone(news), told: told.clone() });
        }
        fits
    }
}

impl Subscription {
    /// Returns the next news, or `None` once this subscriber was dropped because it could not keep up.
    pub(crate) async fn next(&mut self) -> Option<Arc<HubMessage>> {
        let news = self.queue.recv().await?;
        self.waiting_bytes.fetch_sub(news.bytes(), Ordering::Relaxed);
        Some(news)
    }

    /// Where it was dropped. What came before that is in the queue.
    pub(crate) fn let_go(&self) -> Option<LetGo> {
        self.let_go.get().cloned()
    }

    /// Returns the next news, if it is there already.
    pub(crate) fn next_if_ready(&mut self) -> Option<Arc<HubMessage>> {
        let news = self.queue.try_recv().ok()?;
        self.waiting_bytes.fetch_sub(news.bytes(), Ordering::Relaxed);
        Some(news)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut listeners = self.hub.listeners.lock();
        match &self.key {
            SubscriptionKey::Inbox => drop(listeners.inbox.remove(&self.id)),
            SubscriptionKey::Agent(party) => leave(&mut listeners.agents, party, self.id),
            SubscriptionKey::Session(session) => leave(&mut listeners.sessions, session, self.id),
        }
    }
}

/// Removes a subscriber, and the map's entry if it was the last.
fn leave<K: Hash + Eq>(listeners_of: &mut HashMap<K, BTreeMap<u64, Listener>>, key: &K, id: u64) {
    if let Some(listeners) = listeners_of.get_mut(key) {
        listeners.remove(&id);
        if listeners.is_empty() {
            listeners_of.remove(key);
        }
    }
}

/// Follows the journal from `from` on and tells the subscribers, until `stop`.
pub(crate) async fn run(handle: Handle, from: Cursor, stop: CancellationToken) {
    let mut drafts = handle.store.subscribe(Topic::Draft.into());
    let mut owns = handle.store.subscribe(Topic::Own.into());
    let mut gones = handle.store.subscribe(Topic::Gone.into());
    let mut deltas = handle.store.subscribe(Topic::Delta.into());
    let mut seats = handle.store.subscribe(Topic::Seat.into());
    let mut whispers = handle.store.subscribe(Topic::Whisper.into());
    let mut looks = handle.store.subscribe(Topic::Look.into());
    let (mut from, mut claims) = (from, NewestClaims::default());
    loop {
        let mut journal = Box::pin(handle.store.follow(from.clone()));
        loop {
            tokio::select! {
                // Durable entries first; bus messages may be lost.
                biased;
                () = stop.cancelled() => return,
                followed = journal.next() => match followed {
                    Some(Ok(Followed::Entry(stored))) => {
                        from.advance(&stored);
                        learn(&handle, &stored);
                        if !claims.shows(&handle, &stored).await {
                            handle.hub.pass_over(&stored);
                            continue;
                        }
                        let access = handle.access(stored.entry.session);
                        handle.hub.tell(&stored, access.as_deref());
                        stored.entry.events.iter().for_each(|written| handle.ends.hear(&written.event));
                    }
                    // This node gets that over the bus, even if it did it itself.
                    Some(Ok(Followed::CaughtUp | Followed::Forgotten(_))) => {}
                    Some(Ok(Followed::Gone(now))) => {
                        from = now;
                        handle.ends.wake_all();
                        handle.wakeups.wake_all();
                    }
                    Some(Err(error)) => {
                        error!(error = chain(&error), "Could not follow the journal; trying again");
                        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                        break;
                    }
                    None => break,
                },
                Some(message) = drafts.next() => {
                    if let Some(news) = drafts::read(&message) {
                        handle.hub.tell_person(news);
                    }
                }
                Some(message) = owns.next() => {
                    if let Some(news) = own::read(&message) {
                        handle.hub.tell_person(news);
                    }
                }
                Some(message) = gones.next() => {
                    if let Some((sessions, access)) = gone::read(&message) {
                        handle.hub.tell_gone(sessions, &access);
                    }
                }
                Some(message) = deltas.next() => {
                    if let Some(news) = deltas::read(&message) {
                        handle.tell_delta(news);
                    }
                }
                Some(message) = looks.next() => {
                    if let Some(news) = looks::read(&message) {
                        handle.hub.tell_look(news);
                    }
                }
                Some(message) = whispers.next() => {
                    if let Some(news) = whispers::read(&message) {
                        handle.hub.tell_whisper(news);
                    }
                }
                Some(message) = seats.next() => {
                    if let Some(news) = seats::read(&message) {
                        let access = match &news {
                            HubMessage::Seat { session, .. } => handle.access(*session),
                            _ => None,
                        };
                        handle.hub.tell_seat(news, access.as_deref());
                    }
                }
            }
        }
        if stop.is_cancelled() {
            return;
        }
    }
}

/// Takes from an entry what other parts need: who may see a new session, and when an ask is due.
fn learn(handle: &Handle, stored: &Stored) {
    for written in &stored.entry.events {
        handle.wakeups.note(stored.entry.session, &written.event, |started| handle.nodes.hosts(started));
        match &*written.event {
            Event::Started(started) => handle.remember_access(stored.entry.session, Access::of(started)),
            Event::Asked(ask) => handle.timer.due_at(ask.terms.deadline),
            Event::Extended { deadline, .. } => handle.timer.due_at(*deadline),
            Event::Proposed { until, .. } => handle.timer.due_at(Some(*until)),
            _ => {}
        }
    }
}
