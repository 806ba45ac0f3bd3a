//! `/v1/channels`: the ways in which a person is reached while away.

use std::collections::BTreeSet;
use std::sync::Arc;

use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::Hours;
use askbridge_peers::json::Rfc3339;
use askbridge_peers::wish::Rejection;
use askbridge_ringing::channel::{
    Channel, Command, Content, Decides, Ntfy, Service, Slack, Telegram, WebPush, Webhook,
};
use askbridge_ringing::news::NewsKind;
use askbridge_ringing::notice::Ticket;
use askbridge_ringing::telegram;
use askbridge_ringing::webhook;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as example;

use super::asks::WaitQuery;
use super::paging::Page;
use super::taps::tap_request;
use crate::auth::{Caller, checked_name};
use crate::ringing::{Channels, NewChannel as Made, check};
use crate::runtime::{Right, chain};
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::identify::Remote;
use crate::server::problem::Trouble;
use crate::server::query::Query;
use crate::server::taps::{Purpose, tapped};

/// Channels that one person may have. Beyond: a further one is refused.
const CHANNELS_MAX: usize = 16;
const TELEGRAM: &str = "https://api.telegram.org";
const SLACK: &str = "https://slack.com/api";

/// A channel to be added.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewChannel {
    #[serde(flatten)]
    service: NewService,
    /// What you call it: 1 to 64 characters.
    #[schemars(length(min = 1, max = 64))]
    name: Option<String>,
    /// Whom it reaches; without it, the caller.
    person: Option<String>,
    /// Whether notices show the question itself. Without it, as is safe for the service.
    content: Option<Content>,
    /// What may be decided from a notice. Without it, as is safe for the service.
    decides: Option<Decides>,
    /// Times of day at which only urgent asks ring, like `22:00-07:00`.
    quiet: Option<String>,
    /// What it tells of besides asks. Without it: failed agents, expired asks, channels that stopped working.
    tells: Option<BTreeSet<NewsKind>>,
}

/// The service, and our credentials there.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum NewService {
    Ntfy {
        server: String,
        topic: String,
        token: Option<String>,
    },
    Telegram {
        bot_token: String,
        api: Option<String>,
    },
    Slack {
        app_token: String,
        bot_token: String,
        api: Option<String>,
    },
    Webhook {
        url: String,
        secret: Option<String>,
    },
    Command {
        program: String,
        #[serde(default)]
        args: Vec<String>,
    },
    WebPush {
        endpoint: String,
        keys: BrowserKeys,
        #[serde(default)]
        actions_max: u8,
    },
}

/// A browser's keys, as `PushSubscription.toJSON()` has them.
#[derive(Deserialize, JsonSchema)]
struct BrowserKeys {
    p256dh: String,
    auth: String,
}

/// A channel, without its secrets.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Channel")]
pub(super) struct ChannelJson {
    id: String,
    kind: &'static str,
    name: String,
    person: String,
    /// Where it leads, without secrets.
    to: String,
    content: Content,
    decides: Decides,
    #[serde(skip_serializing_if = "Option::is_none")]
    quiet: Option<String>,
    /// What it tells of besides asks.
    tells: BTreeSet<NewsKind>,
    /// Why it does not work, and since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<BrokenJson>,
    /// Does it lead to a person yet? Telegram and Slack have to be paired first.
    paired: bool,
    /// How to pair it; only when it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<PairJson>,
    added_at: Rfc3339,
}

/// Why a channel does not work.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChannelBroken")]
struct BrokenJson {
    since: Rfc3339,
    /// As the service said it.
    why: String,
}

/// How a chat becomes this person's.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChannelPairing")]
pub(super) struct PairJson {
    /// Valid once, for a quarter of an hour.
    code: String,
    /// The link to open on the phone.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// What to do, in words.
    says: String,
}

pub(crate) async fn list(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::KeepChannels)?;
    let channels = app.ringing().channels.all();
    let own = channels.iter().filter(|channel| app.handle.may(&caller, Right::KeepChannelOf(&channel.person)));
    Ok(json(StatusCode::OK, &Page { items: own.map(|it| ChannelJson::of(it, None)).collect(), next: None }))
}

pub(crate) async fn add(
    State(app): State<App>,
    caller: Caller,
    remote: Option<Extension<Remote>>,
    Query(waiting): Query<WaitQuery>,
    Json(new): Json<NewChannel>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::KeepChannels)?;
    let bad = |why: String| Trouble::new(422, "bad_request", why);
    let NewChannel { service, name, person, content, decides, quiet, tells } = new;
    let person = person.unwrap_or_else(|| caller.name.to_string());
    app.handle.check(&caller, Right::KeepChannelOf(&person))?;
    for text in name.iter().chain([&person]) {
        checked_name(text).map_err(|error| bad(error.to_string()))?;
    }
    check_hours(quiet.as_deref())?;
    let service = service.read(&app).map_err(bad)?;
    // A person's device may name public addresses; the operator, and this machine, their own servers as well.
    let named_by_operator = app.handle.may(&caller, Right::ReachByProgram);
    if matches!(service, Service::Command(_)) && !named_by_operator {
        return Err(Trouble::new(
            403,
            "forbidden",
            "running a program here needs an operator's device or this machine",
        ));
    }
    // Devices of apps have a limit of their own.
    let counts = |channel: &&Arc<Channel>| channel.person == person && !matches!(channel.service, Service::App(_));
    let theirs = app.ringing().channels.all().iter().filter(counts).count();
    if theirs >= CHANNELS_MAX {
        return Err(Trouble::new(409, "channel_refused", format!("{person} has {theirs} channels; remove one first")));
    }
    let added_by = caller.holds_a_device().then(|| caller.party.to_string());
    let made = Made { person, name, service, content, decides, quiet, added_by, named_by_operator, tells };
    let channel = Channels::make(&app.handle, made);
    let (person, kind, to) = (channel.person.clone(), channel.service.kind().to_owned(), target(&channel));
    let purpose = Purpose::Channel { person, kind, to };
    as_a_device(&app, &caller, remote, &waiting, purpose).await?;
    let known = check(&app, &channel).await.map_err(|why| Trouble::new(409, "channel_refused", why))?;
    let pair = pairing(&app, &channel, known);
    let stored = app.ringing().channels.put(&app.handle, channel).await;
    let stored = stored.map_err(|error| Rejection::Down(chain(&error)))?;
    app.ringing().changed();
    Ok(json(StatusCode::CREATED, &ChannelJson::of(&stored, pair)))
}

pub(super) fn check_hours(quiet: Option<&str>) -> Result<(), Trouble> {
    match quiet.filter(|hours| Hours::read(hours).is_none()) {
        Some(hours) => {
            Err(Trouble::new(422, "bad_request", format!("`{hours}` is not a time of day like 22:00-07:00")))
        }
        None => Ok(()),
    }
}

/// A channel decides as a device does, so it comes and goes as a device does: on this machine with a tap, once a device
/// is paired. Otherwise an agent could silence the person's phone.
pub(super) async fn as_a_device(
    app: &App,
    caller: &Caller,
    remote: Option<Extension<Remote>>,
    waiting: &WaitQuery,
    purpose: Purpose,
) -> Result<(), Trouble> {
    if caller.holds_a_device() || !app.tokens.taps_are_needed() {
        return Ok(());
    }
    tapped(app, tap_request(app, caller, remote, purpose)?, waiting.span()?).await
}

/// Makes the code that binds a chat to the person, for services that need one.
fn pairing(app: &App, channel: &Channel, known: Option<String>) -> Option<PairJson> {
    let (link, says) = match &channel.service {
        Service::Telegram(_) => {
            let code = app.ringing().new_code(&app.handle, &channel.id);
            let link = telegram::link(&known?, &code);
            return Some(PairJson {
                code,
                says: format!("Open {link} on your phone and press Start"),
                link: Some(link),
            });
        }
        Service::Slack(it) if it.user.is_none() => (None, "In Slack, type: /askbridge "),
        _ => return None,
    };
    let code = app.ringing().new_code(&app.handle, &channel.id);
    Some(PairJson { says: format!("{says}{code}"), code, link })
}

pub(crate) async fn remove(
    State(app): State<App>,
    caller: Caller,
    remote: Option<Extension<Remote>>,
    Path(id): Path<String>,
    Query(waiting): Query<WaitQuery>,
) -> Result<Response, Trouble> {
    let channel = own(&app, &caller, &id)?;
    let (person, kind, to) = (channel.person.clone(), channel.service.kind().to_owned(), target(&channel));
    as_a_device(&app, &caller, remote, &waiting, Purpose::RemoveChannel { person, kind, to }).await?;
    let removed = app.ringing().channels.remove(&app.handle, &channel.id).await;
    removed.map_err(|error| Rejection::Down(chain(&error)))?;
    app.ringing().changed();
    Ok(json(StatusCode::OK, &ChannelJson::of(&channel, None)))
}

/// Finds a channel that the caller may change; others' are unknown to them.
pub(super) fn own(app: &App, caller: &Caller, id: &str) -> Result<Arc<Channel>, Trouble> {
    app.handle.check(caller, Right::KeepChannels)?;
    let found =
        app.ringing().channels.get(id).filter(|channel| app.handle.may(caller, Right::KeepChannelOf(&channel.person)));
    found.ok_or_else(|| Trouble::new(404, "unknown_channel", format!("you have no channel `{id}`")))
}

impl NewService {
    fn read(self, app: &App) -> Result<Service, String> {
        let base = |url: String| url.trim().trim_end_matches('/').to_owned();
        let token = |text: String, what: &str| match text.trim() {
            "" => Err(format!("the {what} is empty")),
            text => Ok(text.to_owned()),
        };
        Ok(match self {
            Self::Ntfy { server, topic, token } => {
                let reply_topic = Ticket::of(app.handle.chance.u128()).0;
                let token = token.map(|token| token.trim().to_owned()).filter(|token| !token.is_empty());
                Service::Ntfy(Ntfy { server: base(server), topic: topic.trim().to_owned(), token, reply_topic })
            }
            Self::Telegram { bot_token, api } => {
                let (bot_token, api) =
                    (token(bot_token, "bot's token")?, base(api.unwrap_or_else(|| TELEGRAM.to_owned())));
                Service::Telegram(Telegram { api, bot_token, chat: None })
            }
            Self::Slack { app_token, bot_token, api } => {
                let (app_token, bot_token) = (token(app_token, "app's token")?, token(bot_token, "bot's token")?);
                let api = base(api.unwrap_or_else(|| SLACK.to_owned()));
                Service::Slack(Slack { api, app_token, bot_token, to: None, user: None })
            }
            Self::Webhook { url, secret } => {
                let secret = secret.map(|secret| webhook::secret(&secret)).transpose()?;
                Service::Webhook(Webhook { url: url.trim().to_owned(), secret })
            }
            Self::Command { program, args } => Service::Command(Command { program, args }),
            Self::WebPush { endpoint, keys, actions_max } => {
                Service::WebPush(WebPush { endpoint, p256dh: keys.p256dh, auth: keys.auth, actions_max })
            }
        })
    }
}

/// Where a channel leads, without secrets.
pub(super) fn target(channel: &Channel) -> String {
    let host =
        |url: &str| url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    match &channel.service {
        Service::Ntfy(it) => format!("{}/{}", it.server, it.topic),
        Service::Telegram(it) => match it.chat {
            Some(chat) => format!("chat {}", chat.chat),
            None => format!("a bot at {}, not paired yet", host(&it.api)),
        },
        Service::Slack(it) => it.user.clone().unwrap_or_else(|| format!("an app at {}, not paired yet", host(&it.api))),
        // The path of a webhook is often a secret.
        Service::Webhook(it) => host(&it.url),
        Service::Command(it) => [std::slice::from_ref(&it.program), &it.args].concat().join(" "),
        Service::WebPush(it) => host(&it.endpoint),
        Service::App(it) => format!("{} by {}", it.dialect, host(&it.push_url)),
    }
}

impl ChannelJson {
    pub(super) fn of(channel: &Channel, pair: Option<PairJson>) -> Self {
        let paired = match &channel.service {
            Service::Telegram(it) => it.chat.is_some(),
            Service::Slack(it) => it.user.is_some(),
            Service::Ntfy(_) | Service::Webhook(_) | Service::Command(_) | Service::WebPush(_) | Service::App(_) => {
                true
            }
        };
        Self {
            id: channel.id.clone(),
            kind: channel.service.kind(),
            name: channel.name.clone(),
            person: channel.person.clone(),
            to: target(channel),
            content: channel.content,
            decides: channel.decides,
            quiet: channel.quiet.clone(),
            tells: channel.tells.clone(),
            broken: channel
                .broken
                .as_ref()
                .map(|broken| BrokenJson { since: Rfc3339(Timestamp(broken.since)), why: broken.why.clone() }),
            paired,
            pair,
            added_at: Rfc3339(channel.added_at()),
        }
    }
}

pub(crate) fn list_doc(op: &mut Operation<'_>) {
    op.is("listChannels", "Channels", "Lists the ways in which you are reached while away.")
        .text("*People, their own; this machine, all.*")
        .returns::<Page<ChannelJson>>(200, "All of them, on one page.")
        .refuses(&["forbidden"]);
}

pub(crate) fn add_doc(op: &mut Operation<'_>) {
    op.is("addChannel", "Channels", "Adds a way in which you are reached while away.")
        .text(
            "*People; this machine, with a tap once a device is paired.* The service is asked first: a wrong token, \
             topic or address is refused with the reason that it gave. Telegram and Slack are paired afterwards, with \
             the code in `pair`.",
        )
        .query::<WaitQuery>()
        .body::<NewChannel>(example!({"kind": "ntfy", "server": "https://ntfy.example.org", "topic": "ada-asks"}))
        .returns::<ChannelJson>(201, "It rings from now on.")
        .refuses(&[
            "forbidden",
            "channel_refused",
            "tap_needed",
            "tap_denied",
            "tap_expired",
            "no_device_left",
            "down",
        ]);
}

pub(crate) fn remove_doc(op: &mut Operation<'_>) {
    op.is("removeChannel", "Channels", "Removes a channel. Its buttons have no effect any longer.")
        .text("*People, their own; this machine, with a tap once a device is paired.*")
        .query::<WaitQuery>()
        .returns::<ChannelJson>(200, "It does not ring any longer.")
        .refuses(&[
            "forbidden",
            "unknown_channel",
            "tap_needed",
            "tap_denied",
            "tap_expired",
            "no_device_left",
            "down",
        ]);
}
