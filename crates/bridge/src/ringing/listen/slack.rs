//! Holds a Socket Mode connection of a Slack app, and hears its buttons.

use std::sync::Arc;
use std::time::Duration;

use askbridge_ringing::channel::{Channel, Service, Slack};
use askbridge_ringing::notice::Ticket;
use askbridge_ringing::slack::{self, Envelope, Sender, What};
use askbridge_ringing::wire::Fate;
use tracing::{debug, info, warn};

use super::Backoff;
use crate::outbound::Socket;
use crate::ringing::deliver::{call, exchange, response};
use crate::ringing::redeem::{Along, Redeemed, redeem};
use crate::server::App;

/// Silence after which the connection counts as lost. Slack pings more often.
const IDLE: Duration = Duration::from_secs(60);

pub(super) async fn listen(app: &App, channel: &Channel, wait: &mut Backoff) {
    let Service::Slack(settings) = &channel.service else { return };
    loop {
        let after = match connect(app, channel, settings).await {
            Ok(socket) => {
                wait.worked();
                if !hear(app, channel, socket).await {
                    warn!(channel = channel.id, "Socket Mode is switched off in the Slack app's settings");
                    Some(Duration::from_secs(600))
                } else {
                    None
                }
            }
            Err(why) => {
                debug!(channel = channel.id, why, "Slack cannot be reached; trying again");
                None
            }
        };
        wait.failed(after).await;
    }
}

async fn connect(app: &App, channel: &Channel, settings: &Slack) -> Result<Socket, String> {
    let answered = call(app, channel, slack::open(settings), None).await.map_err(|error| error.to_string())?;
    let url = slack::opened(&response(&answered)).map_err(|fate| match fate {
        Fate::Later { why, .. } | Fate::Refused { why } | Fate::Gone { why } => why,
        Fate::Sent { .. } => String::new(),
    })?;
    let outbound = app.outbound().ok_or("this server makes no outgoing calls")?;
    // Slack says where to connect. Only the operator's own server may send us to itself.
    let host = |url: &str| url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let named = channel.named_by_operator && host(&url) == host(&settings.api);
    let opened = outbound.socket(&url, Vec::new(), IDLE, named).await;
    opened.map_err(|error| error.to_string())
}

/// Hears until the connection ends. Returns `false` if another one would fail.
async fn hear(app: &App, channel: &Channel, mut socket: Socket) -> bool {
    while let Some(Ok(text)) = socket.next().await {
        let Envelope { ack, what } = slack::envelope(&text);
        // First: Slack wants it within three seconds.
        if let Some(ack) = ack
            && socket.send(ack).await.is_err()
        {
            return true;
        }
        match what {
            What::Refresh => return true,
            What::Disabled => return false,
            What::Hello | What::Other => {}
            What::Command { text, sender, .. } => pair(app, channel, &text, &sender).await,
            What::Tap(tap) => {
                decide(app, channel, &tap.sender, &tap.ticket, None, &tap.chosen).await;
            }
            What::Words { ticket, text, sender } => {
                decide(app, channel, &sender, &ticket, Some(text), &[]).await;
            }
            What::WantsWords { ticket, sender } => {
                if let (Some((own, settings)), Some(trigger)) = (bound(app, channel, &sender), &sender.trigger) {
                    let request = slack::modal(&settings, trigger, &ticket, "Your answer");
                    let fate = exchange(app, &own, Some(request), slack::sent).await;
                    debug!(?fate, "Opened a window for words");
                }
            }
        }
    }
    true
}

/// Decides as the person to whom this Slack user is bound.
async fn decide(
    app: &App,
    channel: &Channel,
    sender: &Sender,
    ticket: &Ticket,
    words: Option<String>,
    chosen: &[Ticket],
) {
    let Some((own, _)) = bound(app, channel, sender) else {
        info!(channel = channel.id, "A Slack user who is bound to no channel tapped a button; nothing was decided");
        return;
    };
    let along = Along { words, marked: app.ringing().options_of(chosen) };
    if let Redeemed::Refused { why } = redeem(app, Some(&own), ticket, along).await {
        say(app, &own, sender, &why).await;
    }
}

/// The channel that is bound to this Slack user. Several people may be reached through one app.
fn bound(app: &App, channel: &Channel, sender: &Sender) -> Option<(Arc<Channel>, Slack)> {
    let Service::Slack(ours) = &channel.service else { return None };
    app.ringing().channels.all().into_iter().find_map(|channel| match &channel.service {
        Service::Slack(it) if it.api == ours.api && it.app_token == ours.app_token && sender.is_bound(it) => {
            Some((Arc::clone(&channel), it.clone()))
        }
        _ => None,
    })
}

/// Binds a Slack user to the person whose code they bring.
async fn pair(app: &App, channel: &Channel, code: &str, sender: &Sender) {
    let paired = app.ringing().take_code(code, app.handle.now()).and_then(|id| app.ringing().channels.get(&id));
    let Some((own, settings)) = paired.and_then(|own| match own.service.clone() {
        Service::Slack(settings) => Some((own, settings)),
        _ => None,
    }) else {
        say(app, channel, sender, "This code is used, too old, or not one of askbridge").await;
        return;
    };
    let (to, user) = (Some(sender.user.clone()), Some(sender.user.clone()));
    let bound = Channel {
        service: Service::Slack(Slack { to, user, ..settings }),
        added_at: app.handle.now().0,
        ..(*own).clone()
    };
    match app.ringing().channels.put(&app.handle, bound).await {
        Ok(own) => {
            info!(channel = own.id, "A Slack user is paired");
            app.ringing().changed();
            say(app, &own, sender, "Paired: askbridge reaches you here").await;
        }
        Err(error) => warn!(%error, "A paired Slack user could not be stored"),
    }
}

/// Says something that only this user sees.
async fn say(app: &App, channel: &Channel, sender: &Sender, line: &str) {
    if let Some(request) = slack::reply(sender, line) {
        // The address came in the envelope: the operator named only the server that sent it.
        let host = |url: &str| url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let Service::Slack(it) = &channel.service else { return };
        let named_by_operator = channel.named_by_operator && host(&request.url) == host(&it.api);
        let channel = &Channel { named_by_operator, ..channel.clone() };
        let fate = exchange(app, channel, Some(request), slack::sent).await;
        debug!(?fate, "Said something in Slack");
    }
}
