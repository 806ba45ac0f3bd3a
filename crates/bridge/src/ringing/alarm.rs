//! Lets ntfy tell people that askbridge is down: its server keeps a message for later, and we replace it with a later one
//! as long as we live. At an orderly stop it is cancelled.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_ringing::channel::{Channel, Service};
use askbridge_ringing::news::NewsKind;
use askbridge_ringing::notice::Ticket;
use askbridge_ringing::ntfy;
use askbridge_ringing::wire::Fate;
use tokio::time::timeout;
use tracing::{debug, warn};

use super::deliver::exchange;
use super::digest::{is_daily, tell_daily};
use crate::server::App;

/// How long cancelling the alarms may hold up a stop.
const CANCEL_MAX: Duration = Duration::from_secs(5);
/// How often it is looked what is due.
const LOOK_AGAIN: Duration = limits::DIGEST_LOOK;

const TEXT: &str = "askbridge has not been heard of for half an hour. Its machine may be off or offline, or askbridge \
                    stopped. Agents that ask wait until it is back.";

/// The alarms that are set.
#[derive(Debug, Default)]
struct Alarms {
    set: BTreeMap<String, (Arc<Channel>, Timestamp)>,
    /// Channels whose server cannot replace a message, by the channel's id.
    refused: BTreeMap<String, String>,
    is_wanted: bool,
}

/// Looks after the alarms, and the daily digest, until the server stops.
pub(super) async fn look_after(app: App) {
    let mut alarms = Alarms::default();
    let stop = app.stop.clone();
    let caring = async {
        loop {
            let looked_at = app.handle.now();
            alarms.set_all(&app).await;
            tell_daily(&app).await;
            let clock = app.handle.clock.clone();
            let has_work = alarms.is_wanted || is_daily(&app);
            let timer = async {
                match has_work {
                    true => clock.sleep_until(looked_at.plus(LOOK_AGAIN)).await,
                    false => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = timer => {}
                () = app.ringing().alarms.notified() => {}
            }
        }
    };
    tokio::select! {
        biased;
        () = stop.cancelled() => {}
        () = caring => {}
    }
    if timeout(CANCEL_MAX, alarms.cancel_all(&app)).await.is_err() {
        warn!("An alarm could not be cancelled in time; it will tell that askbridge is down");
    }
}

impl Alarms {
    /// Sets an alarm for each channel that wants one, later than the one before, and cancels those of others.
    async fn set_all(&mut self, app: &App) {
        let channels = app.ringing().channels.all();
        let wanted: BTreeMap<_, _> = channels
            .into_iter()
            .filter(|channel| channel.tells.contains(&NewsKind::Down) && matches!(channel.service, Service::Ntfy(_)))
            .map(|channel| (channel.id.clone(), channel))
            .collect();
        let gone: Vec<_> = self.set.keys().filter(|id| !wanted.contains_key(*id)).cloned().collect();
        for id in gone {
            if let Some((channel, _)) = self.set.remove(&id) {
                cancel(app, &channel).await;
            }
        }
        self.is_wanted = !wanted.is_empty();
        let now = app.handle.now();
        for (id, channel) in wanted {
            let Service::Ntfy(it) = &channel.service else { continue };
            let is_fresh = self.set.get(&id).is_some_and(|(_, at)| now.since(*at) < limits::ALARM_EVERY);
            if is_fresh || self.refused.get(&id) == Some(&it.server) {
                continue;
            }
            let request = ntfy::schedule(it, &tag(&channel), limits::ALARM_DELAY, TEXT);
            match exchange(app, &channel, Some(request), ntfy::sent).await {
                Fate::Sent { reference: Some(_) } => drop(self.set.insert(id, (channel, now))),
                // Each further message would be delivered too.
                Fate::Sent { reference: None } => {
                    warn!(
                        channel = id,
                        "This ntfy server is too old for alarms (before 2.16); one false alarm follows"
                    );
                    self.refused.insert(id, it.server.clone());
                }
                fate => debug!(channel = id, ?fate, "An alarm could not be set; trying again"),
            }
        }
    }

    async fn cancel_all(&mut self, app: &App) {
        for (_, (channel, _)) in std::mem::take(&mut self.set) {
            cancel(app, &channel).await;
        }
    }
}

async fn cancel(app: &App, channel: &Channel) {
    let Service::Ntfy(it) = &channel.service else { return };
    let fate = exchange(app, channel, Some(ntfy::cancel(it, &tag(channel))), ntfy::sent).await;
    if !matches!(fate, Fate::Sent { .. }) {
        warn!(channel = channel.id, ?fate, "An alarm could not be cancelled; it will tell that askbridge is down");
    }
}

/// The same in every life of the server, so that a restart replaces the alarm of the life before.
fn tag(channel: &Channel) -> String {
    Ticket(format!("alarm/{}", channel.id)).hash()[..24].to_owned()
}
