//! Hears what people tap: one listener per ntfy reply topic, per Telegram bot and per Slack app. None of them needs an
//! address of ours that can be reached from outside.

mod ntfy;
mod slack;
mod telegram;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use askbridge_ringing::channel::{Channel, Decides, Service};
use tokio_util::sync::CancellationToken;

use crate::server::App;

/// The first and the longest wait after a listener lost its connection; it doubles in between.
const RETRY_FIRST: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(60);

/// What one listener listens to. A bot has one poller, however many people it reaches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Ntfy { channel: String },
    Telegram { api: String, bot_token: String },
    Slack { api: String, app_token: String },
}

/// The listeners that run. Dropped with the loop, which ends them.
pub(super) struct Listeners {
    app: App,
    running: BTreeMap<Source, Running>,
}

struct Running(CancellationToken);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Listeners {
    pub(super) fn new(app: App) -> Self {
        Self { app, running: BTreeMap::new() }
    }

    /// Listens to these channels from now on, and to no others.
    pub(super) fn listen_to(&mut self, channels: &[Arc<Channel>]) {
        let wanted: BTreeMap<_, _> = channels.iter().filter_map(|it| Some((source(it)?, Arc::clone(it)))).collect();
        self.running.retain(|source, _| wanted.contains_key(source));
        for (source, channel) in wanted {
            if self.running.contains_key(&source) {
                continue;
            }
            let (stop, app) = (CancellationToken::new(), self.app.clone());
            let (stopped, of_server) = (stop.clone(), app.stop.clone());
            let listener = listen(app, source.clone(), channel);
            self.app.tasks.spawn(async move {
                tokio::select! {
                    biased;
                    () = stopped.cancelled() => {}
                    () = of_server.cancelled() => {}
                    () = listener => {}
                }
            });
            self.running.insert(source, Running(stop));
        }
    }
}

/// What has to be listened to for a channel.
fn source(channel: &Channel) -> Option<Source> {
    match &channel.service {
        Service::Ntfy(_) if channel.decides > Decides::Nothing => Some(Source::Ntfy { channel: channel.id.clone() }),
        Service::Telegram(it) => Some(Source::Telegram { api: it.api.clone(), bot_token: it.bot_token.clone() }),
        Service::Slack(it) => Some(Source::Slack { api: it.api.clone(), app_token: it.app_token.clone() }),
        Service::Ntfy(_) | Service::Webhook(_) | Service::Command(_) | Service::WebPush(_) | Service::App(_) => None,
    }
}

async fn listen(app: App, source: Source, channel: Arc<Channel>) {
    let mut wait = Backoff::default();
    match source {
        Source::Ntfy { .. } => ntfy::listen(&app, &channel, &mut wait).await,
        Source::Telegram { .. } => telegram::listen(&app, &channel, &mut wait).await,
        Source::Slack { .. } => slack::listen(&app, &channel, &mut wait).await,
    }
}

/// Waits ever longer while a connection fails.
#[derive(Debug, Default)]
struct Backoff(u32);

impl Backoff {
    fn worked(&mut self) {
        self.0 = 0;
    }

    async fn failed(&mut self, at_least: Option<Duration>) {
        let doubled = RETRY_FIRST.saturating_mul(1 << self.0.min(10)).min(RETRY_MAX);
        self.0 += 1;
        tokio::time::sleep(at_least.unwrap_or_default().max(doubled)).await;
    }
}
