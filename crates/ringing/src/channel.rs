//! A channel: one way to reach one person, with what its service needs to know.

use std::collections::BTreeSet;

use askbridge_core::ids::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::news::{self, NewsKind};

/// One way to reach one person, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    pub id: String,
    /// Whom it reaches.
    pub person: String,
    /// What the person calls it.
    pub name: String,
    pub service: Service,
    pub content: Content,
    pub decides: Decides,
    /// Times of day at which only urgent asks ring, as they were written: `22:00-07:00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<String>,
    pub added_at: i64,
    /// The device that added it: the channel goes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_by: Option<String>,
    /// An operator, or a terminal of this machine, named its addresses: then they may be private ones.
    pub named_by_operator: bool,
    /// What it tells of besides asks.
    #[serde(default = "news::by_default")]
    pub tells: BTreeSet<NewsKind>,
    /// Since when it does not work, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<Broken>,
}

/// Why a channel does not work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    pub since: i64,
    pub why: String,
}

/// How much of an ask a notice shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// The question itself.
    Shown,
    /// That something waits, and nothing more: for services where others can read along.
    Hidden,
}

/// What may be decided from a notice, without opening the card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decides {
    Nothing,
    Questions,
    /// Questions, and single approvals that the notice shows whole.
    Approvals,
}

/// What a service's notices can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    pub buttons_max: usize,
    /// Several buttons can be chosen before one sends them.
    pub many: bool,
    /// A person can answer in words.
    pub words: bool,
    /// Characters of a notice's body.
    pub body_max: usize,
}

impl Channel {
    pub fn added_at(&self) -> Timestamp {
        Timestamp(self.added_at)
    }
}

impl Service {
    /// The word for it in settings, commands and events.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Ntfy(_) => "ntfy",
            Self::Telegram(_) => "telegram",
            Self::Slack(_) => "slack",
            Self::Webhook(_) => "webhook",
            Self::Command(_) => "command",
            Self::WebPush(_) => "web_push",
            Self::App(_) => "app",
        }
    }

    pub fn abilities(&self) -> Abilities {
        let (buttons_max, many, words, body_max) = match self {
            Self::Ntfy(_) => (3, false, false, 1_500),
            Self::Telegram(_) => (10, true, true, 3_000),
            Self::Slack(_) => (10, false, true, 2_500),
            Self::WebPush(push) => (usize::from(push.actions_max.min(2)), false, false, 600),
            Self::Webhook(_) | Self::Command(_) => (0, false, false, 3_000),
            // Its client answers in its own card.
            Self::App(app) => (0, false, false, app.body_max),
        };
        Abilities { buttons_max, many, words, body_max }
    }

    /// What it shows and decides unless the person says otherwise. On the public ntfy server everyone who knows a topic
    /// can read it and post to it.
    pub fn defaults(&self) -> (Content, Decides) {
        match self {
            Self::Ntfy(ntfy) if ntfy.is_public() => (Content::Hidden, Decides::Nothing),
            Self::Webhook(_) | Self::Command(_) | Self::App(_) => (Content::Shown, Decides::Nothing),
            Self::Ntfy(_) | Self::Telegram(_) | Self::Slack(_) | Self::WebPush(_) => {
                (Content::Shown, Decides::Approvals)
            }
        }
    }

    /// What it tells besides asks unless the person says otherwise.
    pub fn tells(&self) -> BTreeSet<NewsKind> {
        let mut tells = news::by_default();
        // Such apps show chats, and have always been told when the agent has spoken.
        if matches!(self, Self::App(_)) {
            tells.insert(NewsKind::TurnEnded);
        }
        tells
    }
}

impl Ntfy {
    /// Is this the public server?
    pub fn is_public(&self) -> bool {
        let host = url::Url::parse(&self.server).ok().and_then(|url| url.host_str().map(str::to_owned));
        host.is_none_or(|host| host == "ntfy.sh" || host.ends_with(".ntfy.sh"))
    }
}

/// The service behind a channel, and our credentials there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Service {
    Ntfy(Ntfy),
    Telegram(Telegram),
    Slack(Slack),
    Webhook(Webhook),
    Command(Command),
    WebPush(WebPush),
    App(App),
}

/// A topic on an ntfy server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ntfy {
    /// Without a slash at the end.
    pub server: String,
    pub topic: String,
    pub token: Option<String>,
    /// The random topic to which the buttons post, and which we read.
    pub reply_topic: String,
}

/// A chat with a bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Telegram {
    /// Without a slash at the end: `https://api.telegram.org`.
    pub api: String,
    pub bot_token: String,
    /// The chat and the person in it, once paired.
    pub chat: Option<TelegramChat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TelegramChat {
    pub chat: i64,
    pub user: i64,
}

/// A Slack user or channel, over Socket Mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slack {
    /// Without a slash at the end: `https://slack.com/api`.
    pub api: String,
    pub app_token: String,
    pub bot_token: String,
    /// Where messages go: a user's id for a direct message, or a channel's. Known once paired.
    pub to: Option<String>,
    /// The Slack user who may decide. Known once paired.
    pub user: Option<String>,
}

/// An address that takes signed posts (Standard Webhooks).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Webhook {
    pub url: String,
    /// The bytes of the secret in base64, without the prefix `whsec_`.
    pub secret: Option<String>,
}

/// A program of the person's own on the server's machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    pub program: String,
    pub args: Vec<String>,
}

/// A browser's subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebPush {
    pub endpoint: String,
    /// The browser's public key and secret, base64url without padding, as `PushSubscription.toJSON()` has them.
    pub p256dh: String,
    pub auth: String,
    /// How many actions its notifications can have.
    pub actions_max: u8,
}

/// A device that the app of another system has registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct App {
    /// The language in which it registered.
    pub dialect: String,
    /// The name under which that language keeps the device.
    pub kept_as: String,
    /// Anyone who knows it may push.
    pub push_url: String,
    /// Characters of a notice's body.
    pub body_max: usize,
}
