//! The loop: hears what happens, asks the machine what is due, and has it carried out.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, PersonId, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_core::rules::asks::Hours;
use askbridge_journal::shelf::ShelfError;
use askbridge_peers::slot::Ending;
use askbridge_peers::told::Happened;
use askbridge_peers::wish::Rejection;
use askbridge_ringing::channel::Broken;
use askbridge_ringing::news::News;
use askbridge_ringing::ringer::{ChannelId, ChannelTerms, Effect, Held, OpenAsk, Ringer};
use askbridge_ringing::text::is_urgent;
use askbridge_ringing::wire::Fate;
use tokio::sync::mpsc;
use tracing::{info, warn};

use super::around::Around;
use super::happened::{Occurrence, broken, news_of};
use super::listen::Listeners;
use super::open::{StillOpen, audience, open_asks};
use super::send::{close, hold, ring_once};
use super::tell::tell_once;
use super::{RingingOptions, alarm, apps, doubt};
use crate::auth::Caller;
use crate::cluster::Lease;
use crate::hooks::presence;
use crate::runtime::{FollowUpdate, Follower, HubMessage, Interest, chain};
use crate::server::App;

/// Delay before the journal is followed again after an error.
const TRY_AGAIN: Duration = Duration::from_secs(1);
/// Events that are taken in before the timers are looked at again.
const HEARD_TOGETHER: usize = 64;

/// What became of an effect.
#[derive(Debug)]
enum Report {
    /// No fate: none of them was open any longer.
    Rang {
        channel: ChannelId,
        asks: Arc<[AskId]>,
        fate: Option<Fate>,
    },
    /// No fate: there was nothing to send.
    Closed {
        channel: ChannelId,
        ask: AskId,
        fate: Option<Fate>,
    },
    Told {
        channel: ChannelId,
        news: Vec<News>,
        fate: Fate,
    },
}

/// Rings people from now on, until the server stops.
pub async fn ring(app: &App, options: RingingOptions) -> Result<(), ShelfError> {
    let ringing = app.ringing();
    ringing.channels.load(&app.handle).await?;
    ringing.load_rings(&app.handle).await?;
    if let Ok(presence) = presence(app).await {
        ringing.away(presence.mode);
    }
    let (app_of_task, options) = (app.clone(), Arc::new(options));
    app.ring_as(Arc::clone(&options));
    apps::adopt(app).await;
    app.tasks.spawn(alarm::look_after(app.clone()));
    if !app.handle.nodes.is_alone() {
        let (eyes, handle, stop) = (Arc::clone(&ringing.eyes), app.handle.clone(), app.stop.clone());
        app.tasks.spawn(async move { stop.run_until_cancelled(eyes.hear_others(handle)).await.unwrap_or_default() });
    }
    app.tasks.spawn(async move {
        let app = app_of_task;
        let mut lease = Lease::new("ringing", app.handle.store().clone(), app.handle.nodes.clone());
        tokio::select! {
            biased;
            () = app.stop.cancelled() => {}
            () = ring_while_it_is_ours(&app, options, &mut lease) => {}
        }
        lease.release(app.handle.now()).await;
    });
    Ok(())
}

/// Runs the loop. Where several nodes share the journal, only one of them rings at a time: the one with the lease.
async fn ring_while_it_is_ours(app: &App, options: Arc<RingingOptions>, lease: &mut Lease) {
    if app.handle.nodes.is_alone() {
        return Loop::new(app.clone(), options).run().await;
    }
    loop {
        while lease.left().is_none() {
            lease.renew(app.handle.now()).await;
            if lease.left().is_none() {
                tokio::time::sleep(limits::NODE_RENEWS_EVERY).await;
            }
        }
        // What other nodes rang while they had the lease.
        if let Err(error) = app.ringing().load_rings(&app.handle).await {
            warn!(error = chain(&error), "What was rung could not be read; trying again");
            tokio::time::sleep(TRY_AGAIN).await;
            continue;
        }
        let ringing = Loop::new(app.clone(), Arc::clone(&options)).run();
        tokio::select! {
            () = ringing => return,
            () = keep(lease, app) => warn!("Another node may ring now: this one could not renew its lease"),
        }
    }
}

/// Renews the lease until it is lost.
async fn keep(lease: &mut Lease, app: &App) {
    while let Some(left) = lease.left() {
        tokio::time::sleep(limits::NODE_RENEWS_EVERY.min(left)).await;
        let renewing = lease.renew(app.handle.now());
        // A renewal that takes too long must not keep the loop running.
        let _ = tokio::time::timeout(limits::NODE_RENEWS_EVERY, renewing).await;
    }
}

struct Loop {
    app: App,
    options: Arc<RingingOptions>,
    ringer: Ringer,
    /// Asks with an answer that waits for its undo time to pass.
    proposed: BTreeSet<AskId>,
    listeners: Listeners,
    known: BTreeSet<String>,
    was_away: bool,
    reports: (mpsc::Sender<Report>, mpsc::Receiver<Report>),
}

impl Loop {
    fn new(app: App, options: Arc<RingingOptions>) -> Self {
        let ringer = Ringer::new(options.when.clone());
        Self {
            listeners: Listeners::new(app.clone()),
            app,
            options,
            ringer,
            proposed: BTreeSet::new(),
            known: BTreeSet::new(),
            was_away: false,
            reports: mpsc::channel(limits::RING_REPORTS_MAX),
        }
    }

    async fn run(mut self) {
        doubt::settle(&self.app).await;
        self.take_channels();
        let mut follower: Option<Follower> = None;
        loop {
            // Without a channel nothing is followed, so that ringing costs nothing where it is not used.
            if self.ringer.has_channels() && follower.is_none() {
                // First the live news, then what is open: what happens in between is in both.
                let live = self.app.handle.follow_live(Interest::Inbox(Caller::ourselves()));
                if let Err(error) = self.read_open().await {
                    warn!(%error, "What is open could not be read; trying again");
                    tokio::time::sleep(TRY_AGAIN).await;
                    continue;
                }
                follower = Some(live);
            }
            let clock = self.app.handle.clock.clone();
            let now = clock.now();
            let mut next = self.ringer.next_at(now);
            if next.is_some_and(|at| at <= now) {
                self.poll(now).await;
                next = self.ringer.next_at(clock.now());
            }
            let timer = async {
                match next {
                    Some(at) => clock.sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            let heard = async {
                match &mut follower {
                    Some(follower) => follower.next().await,
                    None => std::future::pending().await,
                }
            };
            let ringing = self.app.ringing();
            // In a fixed order, so that a simulation runs the same way every time. What happens comes last: there may be
            // no end of it, and of the others there is.
            tokio::select! {
                biased;
                Some(report) = self.reports.1.recv() => self.report(report).await,
                () = ringing.changed.notified() => self.take_over(),
                () = ringing.eyes.less.notified() => self.ringer.look_again(),
                () = self.app.handle.left.notified() => self.ringer.look_again(),
                () = timer => {}
                update = heard => {
                    if let Some(follower_so_far) = follower.take() {
                        follower = self.hear_all(update, follower_so_far).await;
                    }
                }
            }
        }
    }

    /// Takes what the follower said, and what it has ready besides, so that the timers are looked at once for many events.
    /// `None`: it has to be followed anew.
    async fn hear_all(&mut self, first: Result<FollowUpdate, Rejection>, mut follower: Follower) -> Option<Follower> {
        let mut update = first;
        for _ in 0..HEARD_TOGETHER {
            match update {
                Ok(FollowUpdate::Lagged) | Err(_) => {
                    tokio::time::sleep(TRY_AGAIN).await;
                    return None;
                }
                Ok(FollowUpdate::Snapshot(_)) => return None,
                Ok(message) => self.hear(message).await,
            }
            match follower.next_if_ready() {
                Some(next) => update = next,
                None => break,
            }
        }
        Some(follower)
    }

    /// Takes over which channels there are, whether a person is away, and what people are told.
    fn take_over(&mut self) {
        self.take_channels();
        let news = std::mem::take(&mut *self.app.ringing().news.lock());
        let around = Around::away(self.app.ringing().is_away());
        news.iter().for_each(|news| self.ringer.happened(news, |_| true, &around));
    }

    fn take_channels(&mut self) {
        let ringing = self.app.ringing();
        let channels = ringing.channels.all();
        let ids: BTreeSet<_> = channels.iter().map(|channel| channel.id.clone()).collect();
        for gone in self.known.difference(&ids) {
            self.ringer.remove_channel(&ChannelId(gone.clone()));
        }
        self.known = ids;
        for channel in &channels {
            let quiet = channel.quiet.as_deref().and_then(Hours::read).or(self.options.quiet);
            let (person, added_at) = (PersonId::from(channel.person.as_str()), channel.added_at());
            let (tells, is_broken) = (channel.tells.clone(), channel.broken.is_some());
            let terms = ChannelTerms { person, added_at, quiet, tells, is_broken };
            self.ringer.set_channel(ChannelId(channel.id.clone()), terms);
        }
        self.listeners.listen_to(&channels);
        let is_away = ringing.is_away();
        if is_away && !self.was_away {
            self.ringer.away();
        }
        self.was_away = is_away;
    }

    /// Reads everything that is open, after a restart or when the news were not kept up with. What is not open any
    /// longer was settled meanwhile.
    async fn read_open(&mut self) -> Result<(), Rejection> {
        let (mut after, mut open) = (None, BTreeSet::new());
        loop {
            let (page, next) = open_asks(&self.app.handle, after).await?;
            for StillOpen { ask, is_proposed } in page {
                match is_proposed {
                    true => self.proposed.insert(ask.id),
                    false => self.proposed.remove(&ask.id),
                };
                open.insert(ask.id);
                self.opened(ask);
            }
            after = next;
            if after.is_none() {
                break;
            }
        }
        let known = self.ringer.open_in(|_| true);
        known.into_iter().filter(|ask| !open.contains(ask)).for_each(|ask| self.over(ask));
        // A server that was killed between an answer and its message left the message as it was.
        let out = self.app.ringing().rings.lock().out();
        for (channel, ask) in out.into_iter().filter(|(_, ask)| !open.contains(ask)) {
            self.ringer.take_back(&channel, ask);
        }
        Ok(())
    }

    async fn hear(&mut self, update: FollowUpdate) {
        let FollowUpdate::Message(news) = update else { return };
        match &*news {
            HubMessage::Entry(batch) => {
                for happened in &batch.happened {
                    self.happened(happened).await;
                }
            }
            HubMessage::Gone { sessions } => {
                let gone: Vec<_> = self.ringer.open_in(|session| sessions.contains(&session));
                gone.into_iter().for_each(|ask| self.over(ask));
            }
            _ => {}
        }
    }

    async fn happened(&mut self, happened: &Happened) {
        let Happened { session, at, event, settled_at_once, .. } = happened;
        match &**event {
            Event::Asked(ask) if !settled_at_once => {
                self.ringer.goes_on(*session);
                let audience = audience(&self.app.handle, *session);
                self.opened(OpenAsk { id: ask.id, at: ask.at, audience, is_urgent: is_urgent(ask) });
            }
            Event::Proposed { ask, .. } => drop(self.proposed.insert(*ask)),
            Event::Undone { ask, .. } => drop(self.proposed.remove(ask)),
            Event::Said(_) => self.ringer.goes_on(*session),
            event => {
                if let Some((ask, _)) = Ending::of(event) {
                    self.over(ask);
                }
                let Some(occurrence) = Occurrence::of(event) else { return };
                self.tell(*session, *at, &occurrence).await;
            }
        }
    }

    /// Tells of something that happened in a session, if a channel tells of it.
    async fn tell(&mut self, session: SessionId, at: Timestamp, occurrence: &Occurrence) {
        if !self.ringer.tells(occurrence.kind()) {
            return;
        }
        // An agent that waits for an answer has not finished.
        let has_ended = matches!(occurrence, Occurrence::TurnEnded(_));
        if has_ended && !self.ringer.open_in(|other| other == session).is_empty() {
            return;
        }
        if let Some(news) = news_of(&self.app.handle, session, at, occurrence).await {
            let around = Around::away(self.app.ringing().is_away());
            let elsewhere = if has_ended { apps::elsewhere(&self.app, session).await } else { BTreeSet::new() };
            self.ringer.happened(&news, |channel| !elsewhere.contains(channel), &around);
        }
    }

    fn opened(&mut self, open: OpenAsk) {
        let ringing = self.app.ringing();
        let rung = ringing.rings.lock().rung(open.id);
        self.ringer.opened(open, rung, &Around::away(ringing.is_away()));
    }

    fn over(&mut self, ask: AskId) {
        self.proposed.remove(&ask);
        self.ringer.settled(ask);
    }

    async fn poll(&mut self, now: Timestamp) {
        let mut effects = self.ringer.close(now);
        if self.ringer.is_due(now) {
            let around = Around::look(&self.app, &self.options, &self.proposed, now).await;
            effects.extend(self.ringer.poll(now, &around));
        }
        for effect in effects {
            let (app, reports) = (self.app.clone(), self.reports.0.clone());
            match effect {
                Effect::Ring { channel, asks, nth } => {
                    self.app.tasks.spawn(async move {
                        let fate = ring_once(&app, &channel, &asks, nth).await;
                        // The loop ends with the server.
                        let _ = reports.send(Report::Rang { channel, asks, fate }).await;
                    });
                }
                Effect::Close { channel, ask } => {
                    self.app.tasks.spawn(async move {
                        let fate = close(&app, &channel, ask).await;
                        let _ = reports.send(Report::Closed { channel, ask, fate }).await;
                    });
                }
                Effect::Hold { channel, ask, why: Held::Proposed } => drop((channel, ask)),
                Effect::Hold { channel, ask, why } => {
                    self.app.tasks.spawn(async move { hold(&app, &channel, ask, &why).await });
                }
                Effect::Tell { channel, news } => {
                    self.app.tasks.spawn(async move {
                        let fate = tell_once(&app, &channel, &news).await;
                        let _ = reports.send(Report::Told { channel, news, fate }).await;
                    });
                }
                Effect::Broken { .. } | Effect::Works { .. } => self.health(effect, false).await,
            }
        }
    }

    /// Notes that a channel does not work any longer, or works again, and has the person's other channels tell of it.
    async fn health(&mut self, effect: Effect, is_gone: bool) {
        let (id, broken_why) = match effect {
            Effect::Broken { channel, why } => (channel, Some(why)),
            Effect::Works { channel } => (channel, None),
            _ => return,
        };
        let (app, now) = (self.app.clone(), self.app.handle.now());
        let Some(channel) = app.ringing().channels.get(&id.0) else { return };
        let note = broken_why.clone().map(|why| Broken { since: now.0, why });
        if let Err(error) = app.ringing().channels.note(&app.handle, &id.0, note).await {
            warn!(error = chain(&error), "Whether a channel works could not be stored");
        }
        if let Some(why) = broken_why {
            info!(channel = id.0, why, "A channel does not work any longer");
            let news = broken(&app.handle, &channel, &why, is_gone);
            self.ringer.happened(&news, |other| *other != id, &Around::away(app.ringing().is_away()));
        }
        self.take_channels();
    }

    async fn report(&mut self, report: Report) {
        let now = self.app.handle.now();
        let (channel, fate, health) = match report {
            Report::Rang { channel, asks, fate: Some(fate) } => {
                let health = self.ringer.rang(&channel, &asks, &fate, now);
                (channel, fate, health)
            }
            Report::Rang { channel, asks, fate: None } => {
                asks.iter().for_each(|ask| self.over(*ask));
                self.ringer.idle(&channel);
                return;
            }
            Report::Closed { channel, fate: None, .. } => return self.ringer.idle(&channel),
            Report::Closed { channel, ask, fate: Some(fate) } => {
                let health = self.ringer.closed(&channel, ask, &fate, now);
                (channel, fate, health)
            }
            Report::Told { channel, news, fate } => {
                let health = self.ringer.told(&channel, news, &fate, now);
                (channel, fate, health)
            }
        };
        if let Some(health) = health {
            self.health(health, matches!(fate, Fate::Gone { .. })).await;
        }
        if let Fate::Gone { why } = fate {
            warn!(channel = channel.0, why, "A channel's address does not exist any longer; the channel is removed");
            let ringing = self.app.ringing();
            if let Err(error) = ringing.channels.remove(&self.app.handle, &channel.0).await {
                warn!(%error, "The channel could not be removed");
            }
            self.take_channels();
        }
    }
}
