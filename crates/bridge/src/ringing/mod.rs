//! Rings people who are away, and takes their answers. `askbridge_ringing` decides when and writes what; this carries it
//! out: `channels.rs` keeps the channels, `rings.rs` what was rung, `run.rs` is the loop, `open.rs` reads what is open, `doubt.rs` finds out what a kill left open,
//! `eyes.rs` knows who looks at what, `send.rs` carries one ring out and `tell.rs` one notice about something else, which
//! `happened.rs` writes, `deliver.rs` speaks to the services, `listen/` hears their buttons, `redeem.rs` turns a ticket
//! into a decision. `alarm.rs` lets ntfy tell that we are down, `digest.rs` sums up a day, `try_out.rs` tests a channel, `apps.rs`
//! makes channels of the devices that apps of other systems register, `badge.rs` counts what waits.
//!
//! A ring is stored before it is sent, so that a kill between any two steps leads to no second one. Why so:
//! `docs/design/0012-ringing.md`.

mod alarm;
mod apps;
mod around;
mod badge;
mod channels;
mod chats;
mod deliver;
mod digest;
mod doubt;
mod eyes;
mod happened;
mod listen;
mod open;
mod redeem;
mod rings;
mod run;
mod send;
mod tell;
mod try_out;
mod web_push;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use askbridge_core::limits;
use askbridge_core::rules::asks::Hours;
use askbridge_ringing::news::News;
use askbridge_ringing::notice::Ticket;
use askbridge_ringing::record::Action;
pub use askbridge_ringing::ringer::RingOptions;
use parking_lot::Mutex;
use tokio::sync::Notify;

pub(crate) use apps::adopt;
pub(crate) use badge::waiting_for_owner;
pub(crate) use channels::{Changes, Channels, NewChannel};
use chats::Chats;
pub(crate) use deliver::check;
pub(crate) use eyes::{Eyes, Gaze};
pub(crate) use redeem::{Along, Redeemed, delivered, redeem};
use rings::{Rings, Writers};
pub use run::ring;
pub(crate) use try_out::try_out;
pub(crate) use web_push::keys as web_push_keys;

use crate::hooks::{AWAY_KEY, AwayMode};

/// How people are rung.
#[derive(Debug, Clone, Default)]
pub struct RingingOptions {
    pub when: RingOptions,
    /// Times of day at which only urgent asks ring, on channels that have none of their own.
    pub quiet: Option<Hours>,
    /// Our address as seen from outside, without a slash at the end.
    pub public_url: Option<String>,
    /// The user of this machine: present while a terminal here is in use.
    pub user: String,
    /// The time of day at which channels tell what rules decided, once. `None`: never.
    pub digest: Option<Hours>,
}

/// What of ringing a key of the shelf belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShelfPart<'a> {
    Channel,
    /// A ring, by its own key.
    Ring(&'a str),
    Away,
}

impl<'a> ShelfPart<'a> {
    pub(crate) fn of(key: &'a str) -> Option<Self> {
        if let Some(ring) = key.strip_prefix(rings::PREFIX) {
            return Some(Self::Ring(ring));
        }
        match key {
            AWAY_KEY => Some(Self::Away),
            key if key.starts_with(channels::PREFIX) => Some(Self::Channel),
            _ => None,
        }
    }
}

/// What the loop and the addresses share.
#[derive(Debug, Default)]
pub(crate) struct Ringing {
    pub(crate) channels: Channels,
    pub(crate) rings: Mutex<Rings>,
    /// What people look at.
    pub(crate) eyes: Arc<Eyes>,
    writers: Writers,
    /// Held while the devices of other systems' apps become channels.
    adopting: tokio::sync::Mutex<()>,
    chats: Mutex<Chats>,
    /// What the loop has not taken over yet.
    news: Mutex<Vec<News>>,
    /// A channel came or went, a person said that they are away, or there is news.
    changed: Notify,
    /// The same, for the alarms.
    alarms: Notify,
    /// Something became of a ring.
    rang: Notify,
    is_away: AtomicBool,
}

impl Ringing {
    /// Tells the loop to look again.
    pub(crate) fn changed(&self) {
        self.changed.notify_one();
        self.alarms.notify_one();
    }

    /// Has people told of something. Beyond what the loop has not taken over yet, it is left out.
    fn tell(&self, news: News) {
        let mut waiting = self.news.lock();
        if waiting.len() < limits::RING_REPORTS_MAX {
            waiting.push(news);
        }
        drop(waiting);
        self.changed.notify_one();
    }

    /// A person said whether they are away.
    pub(crate) fn away(&self, mode: AwayMode) {
        self.is_away.store(mode == AwayMode::On, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// The options that tickets stand for.
    fn options_of(&self, tickets: &[Ticket]) -> Vec<usize> {
        let rings = self.rings.lock();
        let options = tickets.iter().filter_map(|ticket| match rings.find(ticket)?.2 {
            Action::Choose(option) => Some(option),
            _ => None,
        });
        options.collect()
    }

    /// The ring of a ticket, and what the ticket stands for.
    fn action_of(&self, ticket: &Ticket) -> Option<(String, Action)> {
        let (key, _, action) = self.rings.lock().find(ticket)?;
        Some((key, action))
    }

    /// Does this ring offer options of which several can be chosen?
    fn is_several(&self, key: &str) -> bool {
        let rings = self.rings.lock();
        rings.get(key).is_some_and(|ring| ring.tickets.iter().any(|ticket| ticket.action == Action::Done))
    }

    /// The ring whose message has this name.
    fn ring_of(&self, channel: &str, reference: &str) -> Option<String> {
        self.rings.lock().by_reference(channel, reference)
    }

    fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Relaxed)
    }
}
