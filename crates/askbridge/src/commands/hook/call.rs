//! The request of a hook, on the local socket, to the askbridge that this machine is connected to, or to the configured
//! URL: acknowledged at once or dropped, then awaited, also across a restart of the server.

use std::error::Error;
use std::time::Duration;

use askbridge_bridge::auth::{ProcessId, agent_above};
use askbridge_bridge::chance::Chance;
use askbridge_bridge::hooks::SeenThere;
use askbridge_core::limits::BODY_BYTES_MAX;
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::{Response, StatusCode};
use serde_json::{Map, Value, json};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep, timeout};

use crate::client::{Client, Error as CallError, HomeDown};
use crate::settings::Settings;

/// The address for hook events.
const ADDRESS: &str = "/v1/hook";
/// The header by which askbridge marks its responses to hooks.
const MARK: &str = "askbridge-hook";
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
/// How long a server on another machine may be silent while a hook waits: it sends something every 25 seconds. Beyond:
/// the connection counts as lost.
const SILENCE_MAX: Duration = Duration::from_secs(60);
/// How often a hook looks whether its agent still runs: a server on another machine cannot.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long it may take to say that this hook leaves. Beyond: the server finds out by itself.
const GOODBYE_MAX: Duration = Duration::from_secs(1);

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
    /// The name by which a server on another machine finds this hook again: it does not know its process.
    id: Option<String>,
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

impl From<Option<String>> for Called {
    fn from(output: Option<String>) -> Self {
        output.map_or(Self::Nothing, Self::Said)
    }
}

/// Passes an event on, and waits for the answer.
pub(super) async fn call(settings: &Settings, text: String, attended: Option<bool>, patience: Patience) -> Called {
    let agent = agent_above(std::process::id(), "hook").and_then(ProcessId::of);
    let accept = *settings.hooks.accept;
    // Switched off, wherever the server is.
    if accept.is_zero() {
        return Called::Down;
    }
    let Ok(client) = Client::new(settings, None) else { return Called::Down };
    if !client.is_elsewhere() {
        let client = Client::of_this_user(settings);
        let errand = Errand { client, text, attended, agent, id: None };
        return match timeout(accept, errand.hand_over(false)).await {
            Ok(Ok(response)) => errand.attend(response, patience).await,
            Ok(Err(_)) | Err(_) => Called::Down,
        };
    }
    // The server of this machine, if one runs, has to know the agent as well: nothing below it may decide there.
    let announced = announce(settings, &text, accept);
    let place = client.place();
    let down = HomeDown::read(settings, &place);
    if down.is_down() {
        announced.await;
        return Called::Down;
    }
    let seen = match patience {
        Patience::APersons(_) => {
            let seen = SeenThere::of(&text, attended, agent).and_then(|seen| seen.put_into(&text));
            // What the agent said last may be long; the question matters more.
            seen.filter(|text| text.len() <= BODY_BYTES_MAX)
        }
        Patience::AMoment => None,
    };
    let id = Some(format!("{:032x}", Chance::System.u128()));
    let errand = Errand { client, text: seen.unwrap_or_else(|| text.clone()), attended, agent, id };
    let (handed, ()) = tokio::join!(timeout(accept.max(ELSEWHERE_MIN), errand.hand_over(false)), announced);
    match handed {
        Ok(Ok(response)) => {
            down.clear();
            errand.attend(response, patience).await
        }
        Ok(Err(_)) | Err(_) => {
            down.note(&place);
            Called::Down
        }
    }
}

/// Tells the server of this machine that an agent begins, if there is one: it is quick to say if not.
async fn announce(settings: &Settings, text: &str, accept: Duration) {
    let begins = serde_json::from_str::<Value>(text).is_ok_and(|event| event["hook_event_name"] == "SessionStart");
    if begins && settings.socket().exists() {
        let client = Client::of_this_user(settings);
        let _ = timeout(accept, client.post("/v1/agents", &json!({"parent": true}))).await;
    }
}

/// Waits for the server's answer, as long as the server gives a sign of life.
async fn hear(response: Response<Incoming>, silence_max: Duration) -> HookReply {
    let mut body = Limited::new(response.into_body(), OUTPUT_BYTES_MAX);
    let mut output = BytesMut::new();
    loop {
        match timeout(silence_max, body.frame()).await {
            Ok(Some(Ok(frame))) => output.extend(frame.into_data()),
            Ok(Some(Err(error))) => {
                return if is_too_long(&*error) { HookReply::Said(None) } else { HookReply::Lost };
            }
            Ok(None) => break,
            Err(_) => return HookReply::Lost,
        }
    }
    let output = String::from_utf8(output.into()).ok().map(|output| output.trim_start().to_owned());
    // A partial answer, or anything else than JSON fields, is no answer.
    let has_opinion =
        |output: &String| serde_json::from_str::<Map<String, Value>>(output).is_ok_and(|fields| !fields.is_empty());
    HookReply::Said(output.filter(has_opinion))
}

fn is_too_long(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    error.is::<LengthLimitError>()
}

/// Why an event was not taken.
enum NotTaken {
    /// The server is not there, or is another program.
    Down,
    /// The server does not know this caller, and will not the next time.
    Unknown,
}

/// Why a hook stops to wait for a server on another machine.
enum Left {
    /// Its agent ends it: the dialog was answered, or the call cancelled.
    ToldToEnd,
    AgentEnded,
}

impl Errand {
    /// Waits for the answer.
    async fn attend(&self, response: Response<Incoming>, patience: Patience) -> Called {
        match patience {
            Patience::AMoment => match timeout(MOMENT, hear(response, MOMENT)).await {
                Ok(HookReply::Said(output)) => output.into(),
                Ok(HookReply::Lost) => Called::Down,
                Err(_) => Called::Nothing,
            },
            // The server of this machine sees for itself when we end.
            Patience::APersons(loss) if self.id.is_none() => self.wait(response, loss).await,
            Patience::APersons(loss) => tokio::select! {
                output = self.wait(response, loss) => output,
                left = self.leaves() => {
                    self.say_goodbye(left).await;
                    Called::Nothing
                }
            },
        }
    }

    async fn wait(&self, mut response: Response<Incoming>, loss: Loss) -> Called {
        loop {
            // A release that does not know this hook by its name is silent while it waits, and would take a second
            // attempt for a second question.
            let beats = response.headers().get(MARK).is_some_and(|mark| mark == "beats");
            let silence_max = if beats { SILENCE_MAX } else { Duration::MAX };
            let finds_us_again = self.id.is_none() || beats;
            match hear(response, silence_max).await {
                HookReply::Said(output) => return output.into(),
                HookReply::Lost if loss == Loss::ComeBack && finds_us_again => match self.bring_again().await {
                    Some(again) => response = again,
                    None => return Called::Down,
                },
                HookReply::Lost => return Called::Down,
            }
        }
    }

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
            match timeout(TAKEN_AGAIN_MAX, self.hand_over(true)).await {
                Ok(Ok(response)) => return Some(response),
                Ok(Err(NotTaken::Unknown)) => return None,
                Ok(Err(NotTaken::Down)) | Err(_) => {}
            }
        }
    }

    /// Sends the event. Returns the response once an askbridge has acknowledged it.
    async fn hand_over(&self, again: bool) -> Result<Response<Incoming>, NotTaken> {
        let mut headers = Vec::new();
        if let Some(attended) = self.attended {
            headers.push(("askbridge-attended", if attended { "1" } else { "0" }));
        }
        if again {
            headers.push(("askbridge-again", "1"));
        }
        if let Some(id) = &self.id {
            headers.push(("askbridge-hook-id", id));
        }
        let body = Bytes::from(self.text.clone());
        let response = match self.client.begin(ADDRESS, &headers, body).await {
            Ok(response) => response,
            Err(CallError::Disconnected { .. }) => return Err(NotTaken::Unknown),
            Err(_) => return Err(NotTaken::Down),
        };
        let is_ours = response.status() == StatusCode::OK && response.headers().contains_key(MARK);
        match response.status() {
            _ if is_ours => Ok(response),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(NotTaken::Unknown),
            _ => Err(NotTaken::Down),
        }
    }

    /// Waits until this hook has to end although it was not answered.
    async fn leaves(&self) -> Left {
        let told = async {
            let signals = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
            let [Ok(mut terminate), Ok(mut interrupt), Ok(mut hangup)] = signals else {
                return std::future::pending().await;
            };
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = hangup.recv() => {}
            }
        };
        let agent_ended = async {
            let Some(agent) = self.agent else { return std::future::pending().await };
            while agent.is_alive() {
                sleep(LOOK_EVERY).await;
            }
        };
        tokio::select! {
            () = told => Left::ToldToEnd,
            () = agent_ended => Left::AgentEnded,
        }
    }

    async fn say_goodbye(&self, left: Left) {
        let body = json!({"hook": self.id, "agent_ended": matches!(left, Left::AgentEnded)});
        let _ = timeout(GOODBYE_MAX, self.client.post("/v1/hook/leave", &body)).await;
    }
}
