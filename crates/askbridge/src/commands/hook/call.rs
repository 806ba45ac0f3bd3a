//! The request of a hook, on the local socket or to the configured URL: acknowledged at once or dropped, then awaited.
//! On the local socket also across a restart of the server.

use std::error::Error;
use std::time::Duration;

use askbridge_bridge::auth::{ProcessId, agent_above};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::{Response, StatusCode};
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep, timeout};

use crate::client::Client;
use crate::settings::Settings;

/// The address for hook events.
const ADDRESS: &str = "/v1/hook";
/// How long the server may take for a mere notification, once it has acknowledged it. Beyond: the agent continues.
const MOMENT: Duration = Duration::from_secs(2);
/// Bytes that a hook prints. Beyond: it prints nothing.
const OUTPUT_BYTES_MAX: usize = 1024 * 1024;
/// How long to wait before the server is contacted again: at first, and at most.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// How long to look for the server where no dialog is on screen: a restart takes less. Beyond: the agent continues.
const RESTART_MAX: Duration = Duration::from_secs(10);
/// How long a restarted server may take to acknowledge the event. Beyond: it is tried again.
const TAKEN_AGAIN_MAX: Duration = Duration::from_secs(10);

/// How long to wait for the server's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Briefly: no person is involved.
    AMoment,
    /// As long as it takes, or until the agent ends us.
    APersons(Loss),
}

/// What to do when the server is lost while we wait for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// The agent shows its own dialog only after our hook has ended.
    GiveUp,
    /// The dialog is already on screen, so a longer wait does not delay it.
    ComeBack,
}

/// The result of a request that was acknowledged.
enum HookReply {
    /// What to print; `None` is no opinion.
    Said(Option<String>),
    /// The connection ended before the answer.
    Lost,
}

/// The minimum for a server on another machine: it takes a DNS lookup and a handshake.
const ELSEWHERE_MIN: Duration = Duration::from_secs(3);

/// The event for the server, the same on every attempt.
struct Errand {
    client: Client,
    text: String,
    attended: Option<bool>,
    /// Found while the agent certainly lives: a process that adopts us later would pass for it. `None`: run by hand.
    agent: Option<ProcessId>,
}

/// What came of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Called {
    /// The server has no opinion.
    Nothing,
    Said(String),
    /// No askbridge took the event, or the one that did is gone.
    Down,
}

/// Passes an event on, and waits for the answer.
pub(super) async fn call(settings: &Settings, text: String, attended: Option<bool>, patience: Patience) -> Called {
    let agent = agent_above(std::process::id(), "hook").and_then(ProcessId::of);
    let accept = *settings.hooks.accept;
    let (client, accept) = match &*settings.top.url {
        Some(_) => match Client::new(settings, None) {
            Ok(client) => (client, accept.max(ELSEWHERE_MIN)),
            Err(_) => return Called::Down,
        },
        None => (Client::of_this_user(settings), accept),
    };
    // A server on another machine does not know this process, and would take a second attempt for a second question.
    let patience = match patience {
        Patience::APersons(_) if client.is_elsewhere() => Patience::APersons(Loss::GiveUp),
        _ => patience,
    };
    let errand = Errand { client, text, attended, agent };
    let Ok(Some(mut response)) = timeout(accept, errand.hand_over(false)).await else { return Called::Down };
    loop {
        let heard = match patience {
            Patience::APersons(_) => hear(response).await,
            Patience::AMoment => match timeout(MOMENT, hear(response)).await {
                Ok(heard) => heard,
                Err(_) => return Called::Nothing,
            },
        };
        match heard {
            HookReply::Said(output) => return output.map_or(Called::Nothing, Called::Said),
            HookReply::Lost if patience == Patience::APersons(Loss::ComeBack) => match errand.bring_again().await {
                Some(again) => response = again,
                None => return Called::Down,
            },
            HookReply::Lost => return Called::Down,
        }
    }
}

/// Waits for the server's answer.
async fn hear(response: Response<Incoming>) -> HookReply {
    let body = match Limited::new(response.into_body(), OUTPUT_BYTES_MAX).collect().await {
        Ok(body) => body,
        Err(error) => return if is_too_long(&*error) { HookReply::Said(None) } else { HookReply::Lost },
    };
    let output = String::from_utf8(body.to_bytes().into()).ok();
    // A partial answer, or anything else than JSON fields, is no answer.
    let has_opinion =
        |output: &String| serde_json::from_str::<Map<String, Value>>(output).is_ok_and(|fields| !fields.is_empty());
    HookReply::Said(output.filter(has_opinion))
}

fn is_too_long(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    error.is::<LengthLimitError>()
}

impl Errand {
    /// Retries until the server is back. `None`: the agent has ended, or has no dialog on screen and must not wait on.
    async fn bring_again(&self) -> Option<Response<Incoming>> {
        let agent = self.agent?;
        let lost_at = Instant::now();
        let mut pause = PAUSE;
        loop {
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
            if !agent.is_alive() || (self.attended == Some(false) && lost_at.elapsed() > RESTART_MAX) {
                return None;
            }
            if let Ok(Some(response)) = timeout(TAKEN_AGAIN_MAX, self.hand_over(true)).await {
                return Some(response);
            }
        }
    }

    /// Sends the event. Returns the response once an askbridge has acknowledged it.
    async fn hand_over(&self, again: bool) -> Option<Response<Incoming>> {
        let mut headers = Vec::new();
        if let Some(attended) = self.attended {
            headers.push(("askbridge-attended", if attended { "1" } else { "0" }));
        }
        if again {
            headers.push(("askbridge-again", "1"));
        }
        let body = Bytes::from(self.text.clone());
        let response = self.client.begin(ADDRESS, &headers, body).await.ok()?;
        let is_ours = response.status() == StatusCode::OK && response.headers().contains_key("askbridge-hook");
        is_ours.then_some(response)
    }
}
