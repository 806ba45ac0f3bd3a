//! What is known of people at one moment: who is away, present, or has snoozed what.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use askbridge_core::ids::{AskId, PersonId, SessionId, Timestamp};
use askbridge_ringing::channel::Service;
use askbridge_ringing::ringer::{ChannelId, Held, Surroundings};

use super::RingingOptions;
use crate::hooks::{AwayMode, presence};
use crate::runtime::person_key;
use crate::server::App;

#[derive(Debug, Default)]
pub(super) struct Around {
    is_away: bool,
    /// The person at a terminal of this machine, while it is in use.
    at_a_terminal: Option<String>,
    /// The cards that each person looks at.
    looking: BTreeMap<String, BTreeSet<AskId>>,
    snoozed: BTreeMap<String, HashSet<AskId>>,
    proposed: BTreeSet<AskId>,
    /// The sessions in which a client of each app channel's language is.
    in_apps: BTreeMap<ChannelId, BTreeSet<SessionId>>,
    minute: u16,
}

impl Around {
    /// For asks that have just been made: only whether a person is away matters.
    pub(super) fn away(is_away: bool) -> Self {
        Self { is_away, ..Self::default() }
    }

    /// Looks around. What cannot be found out counts as not present: in doubt it rings.
    pub(super) async fn look(app: &App, options: &RingingOptions, proposed: &BTreeSet<AskId>, now: Timestamp) -> Self {
        let presence = presence(app).await.ok();
        let is_away = presence.is_some_and(|presence| presence.mode == AwayMode::On);
        let is_here = presence.is_some_and(|presence| match presence.mode {
            AwayMode::On => false,
            AwayMode::Off => true,
            AwayMode::Auto => presence.quiet.is_some() && !presence.is_away,
        });
        let people: BTreeSet<_> = app.ringing().channels.all().iter().map(|channel| channel.person.clone()).collect();
        let mut all = app.handle.snoozes_of_all().await.unwrap_or_default();
        let snoozed =
            people.into_iter().filter_map(|person| all.remove(&person_key(&person)).map(|asks| (person, asks)));
        let snoozed = snoozed.collect();
        let minute = minute(app, now);
        let at_a_terminal = is_here.then(|| options.user.clone());
        let looking = app.ringing().eyes.now(now);
        let in_apps = in_apps(app);
        Self { is_away, at_a_terminal, looking, snoozed, proposed: proposed.clone(), in_apps, minute }
    }
}

/// Where clients of other systems are, for the channels that ring their devices.
fn in_apps(app: &App) -> BTreeMap<ChannelId, BTreeSet<SessionId>> {
    let channels = app.ringing().channels.all();
    let apps = channels.iter().filter_map(|channel| match &channel.service {
        Service::App(it) => Some((ChannelId(channel.id.clone()), app.handle.sessions_with(&it.dialect))),
        _ => None,
    });
    apps.collect()
}

/// The minute of the day by the operator's clock, or by UTC where the machine does not say which that is.
pub(super) fn minute(app: &App, now: Timestamp) -> u16 {
    let utc = || u16::try_from(now.0.div_euclid(60_000).rem_euclid(24 * 60)).unwrap_or_default();
    app.handle.rules.minute(now).unwrap_or_else(utc)
}

impl Around {
    /// Is a client of the channel's own language in that session? It shows the card, as its original does.
    fn is_in_app(&self, channel: &ChannelId, session: SessionId) -> bool {
        self.in_apps.get(channel).is_some_and(|sessions| sessions.contains(&session))
    }
}

impl Surroundings for Around {
    fn is_away(&self) -> bool {
        self.is_away
    }

    fn held(&self, channel: &ChannelId, person: &PersonId, ask: AskId) -> Option<Held> {
        if self.proposed.contains(&ask) {
            return Some(Held::Proposed);
        }
        if self.snoozed.get(person.as_str()).is_some_and(|asks| asks.contains(&ask)) {
            return Some(Held::Snoozed);
        }
        if self.looking.get(person.as_str()).is_some_and(|cards| cards.contains(&ask)) {
            return Some(Held::Looking);
        }
        if self.is_in_app(channel, ask.session) {
            return Some(Held::Looking);
        }
        (self.at_a_terminal.as_deref() == Some(person.as_str())).then_some(Held::Present)
    }

    fn is_present(&self, channel: &ChannelId, person: &PersonId, session: Option<SessionId>) -> bool {
        if session.is_some_and(|session| self.is_in_app(channel, session)) {
            return true;
        }
        self.at_a_terminal.as_deref() == Some(person.as_str()) || self.looking.contains_key(person.as_str())
    }

    fn minute(&self) -> u16 {
        self.minute
    }
}
