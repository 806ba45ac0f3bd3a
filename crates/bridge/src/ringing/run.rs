//! The loop: hears what happens, asks the machine what is due, and has it carried out.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::event::{Audience, Event};
use askbridge_core::ids::{AskId, PersonId, Timestamp};
use askbridge_core::limits;
use askbridge_core::rules::asks::Hours;
use askbridge_journal::shelf::ShelfError;
use askbridge_peers::slot::Ending;
use askbridge_ringing::ringer::{ChannelId, ChannelTerms, Effect, Held, OpenAsk, Ringer};
use askbridge_ringing::text::is_urgent;
use askbridge_ringing::wire::Fate;
use tokio::sync::mpsc;
use tracing::warn;

use super::RingingOptions;
use super::around::Around;
use super::listen::Listeners;
use super::send::{close, hold, ring_once};
use crate::auth::Caller;
use crate::hooks::presence;
use crate::runtime::{FollowUpdate, Follower, Interest, News};
use crate::server::App;

/// Delay before the journal is followed again after an error.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// What became of an effect.
enum Report {
    /// No fate: none of them was open any longer.
    Rang {
        channel: ChannelId,
        asks: Vec<AskId>,
        fate: Option<Fate>,
    },
    Closed {
        channel: ChannelId,
        ask: AskId,
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
    app.tasks.spawn(async move {
        let stop = app_of_task.stop.clone();
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = Loop::new(app_of_task, options).run() => {}
        }
    });
    Ok(())
}

struct Loop {
    app: App,
    options: Arc<RingingOptions>,
    ringer: Ringer,
    /// Asks with an answer that waits for its undo time to pass.
    proposed: BTreeSet<AskId>,
    /// Open asks, from the parts of a snapshot that have come so far.
    open: BTreeSet<AskId>,
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
            open: BTreeSet::new(),
            known: BTreeSet::new(),
            was_away: false,
            reports: mpsc::channel(limits::RING_REPORTS_MAX),
        }
    }

    async fn run(mut self) {
        self.take_channels();
        let mut follower: Option<Follower> = None;
        loop {
            // Without a channel nothing is followed, so that ringing costs nothing where it is not used.
            if self.ringer.has_channels() && follower.is_none() {
                follower = Some(self.app.handle.follow(Interest::Inbox(Caller::ourselves()), None));
            }
            let clock = self.app.handle.clock.clone();
            let now = clock.now();
            let next = self.ringer.next_at(now);
            if next.is_some_and(|at| at <= now) {
                self.poll(now).await;
            }
            let next = self.ringer.next_at(clock.now());
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
            tokio::select! {
                update = heard => match update {
                    Ok(FollowUpdate::Lagged) | Err(_) => {
                        follower = None;
                        tokio::time::sleep(TRY_AGAIN).await;
                    }
                    Ok(update) => self.hear(update),
                },
                () = timer => {}
                Some(report) = self.reports.1.recv() => self.report(report).await,
                () = ringing.changed.notified() => self.take_channels(),
            }
        }
    }

    /// Takes over which channels there are, and whether a person is away.
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
            self.ringer.set_channel(ChannelId(channel.id.clone()), ChannelTerms { person, added_at, quiet });
        }
        self.listeners.listen_to(&channels);
        let is_away = ringing.is_away();
        if is_away && !self.was_away {
            self.ringer.away();
        }
        self.was_away = is_away;
    }

    fn hear(&mut self, update: FollowUpdate) {
        match update {
            FollowUpdate::Snapshot(snapshot) => {
                for view in snapshot.asks.iter().filter(|view| view.state.is_open()) {
                    match view.undo_until {
                        Some(_) => self.proposed.insert(view.ask.id),
                        None => self.proposed.remove(&view.ask.id),
                    };
                    self.open.insert(view.ask.id);
                    self.opened(&view.ask);
                }
                if !snapshot.goes_on {
                    let open = std::mem::take(&mut self.open);
                    // What was settled while nothing was followed is not told any more.
                    if !snapshot.more {
                        let known = self.ringer.open_in(|_| true);
                        known.into_iter().filter(|ask| !open.contains(ask)).for_each(|ask| self.over(ask));
                    }
                }
            }
            FollowUpdate::News(news) => match &*news {
                News::Entry(batch) => {
                    for happened in &batch.happened {
                        match &*happened.event {
                            Event::Asked(ask) if !happened.settled_at_once => self.opened(ask),
                            Event::Proposed { ask, .. } => drop(self.proposed.insert(*ask)),
                            Event::Undone { ask, .. } => drop(self.proposed.remove(ask)),
                            event => {
                                if let Some((ask, _)) = Ending::of(event) {
                                    self.over(ask);
                                }
                            }
                        }
                    }
                }
                News::Gone { sessions } => {
                    let gone: Vec<_> = self.ringer.open_in(|session| sessions.contains(&session));
                    gone.into_iter().for_each(|ask| self.over(ask));
                }
                _ => {}
            },
            FollowUpdate::CaughtUp(_) | FollowUpdate::Lagged => {}
        }
    }

    fn opened(&mut self, ask: &askbridge_core::ask::Ask) {
        let access = self.app.handle.access(ask.id.session);
        let audience = access.as_ref().map_or(Audience::Everyone, |access| access.audience.clone());
        let ringing = self.app.ringing();
        let rung = ringing.rings.lock().rung(ask.id);
        let open = OpenAsk { id: ask.id, at: ask.at, audience, is_urgent: is_urgent(ask) };
        self.ringer.opened(open, rung, &Around::away(ringing.is_away()));
    }

    fn over(&mut self, ask: AskId) {
        self.proposed.remove(&ask);
        self.ringer.settled(ask);
    }

    async fn poll(&mut self, now: Timestamp) {
        let around = Around::look(&self.app, &self.options, &self.proposed, now).await;
        for effect in self.ringer.poll(now, &around) {
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
            }
        }
    }

    async fn report(&mut self, report: Report) {
        let now = self.app.handle.now();
        let (channel, fate) = match &report {
            Report::Rang { channel, asks, fate: Some(fate) } => {
                self.ringer.rang(channel, asks, fate, now);
                (channel, fate)
            }
            Report::Rang { channel, asks, fate: None } => {
                asks.iter().for_each(|ask| self.over(*ask));
                self.ringer.idle(channel);
                return;
            }
            Report::Closed { channel, ask, fate } => {
                self.ringer.closed(channel, *ask, fate, now);
                (channel, fate)
            }
        };
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
