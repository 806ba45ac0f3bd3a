//! Hooks on other machines. The server sees none of their processes, so such a hook names itself, says what only its
//! machine can see, and says when it leaves. One whose connection is lost may come back for a while.

use std::collections::HashMap;
use std::sync::mpsc;
use std::thread;

use askbridge_core::ids::AskId;
use askbridge_core::limits::{HOOK_FAREWELLS_MAX, HOOK_LOOK_MAX};
use askbridge_peers::doors::hook::{Around, HookEvent, HookEventKind, Mouth, Version, hear};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::around::look;
use super::mouth::mouth_beside;
use super::prompting::asks_by_tool;
use super::terminals::quiet_for;
use super::waiting::WaitingHook;
use crate::auth::{Caller, ProcessId};
use crate::clock::Clock;
use crate::server::App;

/// The field of the event in which a hook says what its machine sees.
const FIELD: &str = "askbridge";
/// The longest name that a hook may give itself. Beyond: it has none, and is not found again.
const ID_CHARS_MAX: usize = 64;

/// What a hook on another machine says about its agent. It is the word of that machine, like everything it asks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SeenThere {
    /// The agent's last text, and the title of its conversation.
    text: Option<String>,
    title: Option<String>,
    branch: Option<String>,
    version: Option<String>,
    /// Who else can answer: `prompt_tool` or `nobody`; otherwise a dialog in a terminal.
    beside: Option<String>,
    /// It asks us for permissions through a tool as well.
    asks_by_tool: bool,
    /// Seconds since a key was last pressed at any terminal there.
    quiet_seconds: Option<u64>,
}

impl SeenThere {
    /// Looks around an agent on this machine, for a server on another. Only for an event that may become a question.
    pub fn of(event: &str, attended: Option<bool>, agent: Option<ProcessId>) -> Option<Self> {
        let heard = hear(event)?;
        let call = match &heard.what {
            HookEventKind::Wanted { call, .. } => Some(call.clone()),
            HookEventKind::Calling(_) => None,
            _ => return None,
        };
        let beside = mouth_beside(&heard, attended, agent);
        let asks_by_tool = asks_by_tool(agent);
        let quiet_seconds = quiet_for(Clock::System.now()).map(|quiet| quiet.as_secs());
        let (around, version) = patiently(heard, move |heard| look(heard, call.as_ref())).unwrap_or_default();
        let Around { text, title, branch, .. } = around;
        let version = version.map(|version| version.to_string());
        let beside = beside.written().map(str::to_owned);
        Some(Self { text, title, branch, version, beside, asks_by_tool, quiet_seconds })
    }

    /// Puts it into the event.
    pub fn put_into(&self, event: &str) -> Option<String> {
        let mut fields: std::collections::BTreeMap<String, &serde_json::value::RawValue> =
            serde_json::from_str(event).ok()?;
        let seen = serde_json::value::to_raw_value(self).ok()?;
        fields.insert(FIELD.to_owned(), &seen);
        serde_json::to_string(&fields).ok()
    }

    /// Reads it from an event that came over the network.
    pub(super) fn read(event: &str) -> Self {
        let mut fields: HashMap<String, &serde_json::value::RawValue> = serde_json::from_str(event).unwrap_or_default();
        fields.remove(FIELD).and_then(|seen| serde_json::from_str(seen.get()).ok()).unwrap_or_default()
    }

    pub(super) fn around(&self) -> Around {
        let Self { text, title, branch, .. } = self.clone();
        Around { text, title, branch, mouth: self.mouth() }
    }

    pub(super) fn mouth(&self) -> Mouth {
        Mouth::named(self.beside.as_deref())
    }

    pub(super) fn version(&self) -> Option<Version> {
        Version::read(self.version.as_deref()?)
    }

    pub(super) fn asks_by_tool(&self) -> bool {
        self.asks_by_tool
    }

    pub(super) fn quiet(&self) -> Option<std::time::Duration> {
        self.quiet_seconds.map(std::time::Duration::from_secs)
    }
}

/// Reads files in a thread, which is left behind if a file system does not respond.
fn patiently<T: Send + 'static>(heard: HookEvent, look: impl FnOnce(&HookEvent) -> T + Send + 'static) -> Option<T> {
    let (done, found) = mpsc::sync_channel(1);
    let looking = move || {
        // The receiver may have timed out.
        let _ = done.send(look(&heard));
    };
    thread::Builder::new().name("hook-around".to_owned()).spawn(looking).ok()?;
    found.recv_timeout(HOOK_LOOK_MAX).ok()
}

/// The name that a hook on another machine gave itself, if it is one.
pub(crate) fn visitor_id(named: &str) -> Option<String> {
    let is_plain =
        !named.is_empty() && named.len() <= ID_CHARS_MAX && named.bytes().all(|it| it.is_ascii_alphanumeric());
    is_plain.then(|| named.to_owned())
}

/// What hooks on other machines said before they ended, by the ask that they waited for.
#[derive(Debug, Default)]
pub(super) struct Farewells {
    said: Mutex<HashMap<AskId, Farewell>>,
    /// A hook has left, or come back.
    news: Notify,
}

/// Why a hook on another machine ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Farewell {
    /// Its agent ended it: the dialog was answered, or the call cancelled.
    ToldToEnd,
    /// Its agent has ended.
    AgentEnded,
}

/// How a hook on another machine was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parting {
    /// It has come back, on another connection.
    Returned,
    Said(Farewell),
    /// It was not heard of for too long: it may have ended, or its network.
    Lost,
    /// The server stops first.
    Stopping,
    /// Its token was revoked.
    Revoked,
}

impl Farewells {
    fn say(&self, ask: AskId, farewell: Farewell) {
        let mut said = self.said.lock();
        if said.len() >= HOOK_FAREWELLS_MAX {
            said.clear();
        }
        said.insert(ask, farewell);
        drop(said);
        self.news.notify_waiters();
    }

    pub(super) fn tell_return(&self) {
        self.news.notify_waiters();
    }

    /// Waits until the hook of an ask says that it leaves.
    pub(super) async fn said(&self, ask: AskId) {
        loop {
            let news = self.news.notified();
            if self.said.lock().contains_key(&ask) {
                return;
            }
            news.await;
        }
    }
}

/// A hook on another machine leaves.
pub(crate) async fn leave(
    app: &App,
    caller: &Caller,
    id: &str,
    farewell: Farewell,
) -> Result<(), askbridge_peers::wish::Rejection> {
    let visitor = WaitingHook::Elsewhere { party: caller.party.to_string(), id: id.to_owned() };
    let waiting = super::waiting::all_waiting(app).await?;
    if let Some((ask, _)) = waiting.into_iter().find(|(_, waiting)| *waiting == visitor) {
        app.hooks.farewells.say(ask, farewell);
    }
    Ok(())
}

/// Waits for a hook on another machine whose connection is lost. `caller` is its machine, if a request of it waits.
pub(super) async fn parting(app: &App, ask: AskId, caller: Option<&Caller>) -> Parting {
    let until = Instant::now() + app.hooks.options().back;
    loop {
        let news = app.hooks.farewells.news.notified();
        if let Some(farewell) = app.hooks.farewells.said.lock().remove(&ask) {
            return Parting::Said(farewell);
        }
        if app.hooks.connected.has(ask) {
            return Parting::Returned;
        }
        let revoked = async {
            match caller {
                Some(caller) => app.tokens.revoked(caller).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = revoked => return Parting::Revoked,
            () = app.stop.cancelled() => return Parting::Stopping,
            () = news => {}
            () = sleep_until(until) => return Parting::Lost,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_a_machine_sees_travels_in_the_event_and_leaves_the_rest_as_it_was() {
        let event = r#"{"hook_event_name":"PermissionRequest","session_id":"s","tool_input":{ "b":1.10 }}"#;
        let seen = SeenThere {
            branch: Some("main".to_owned()),
            beside: Some("nobody".to_owned()),
            version: Some("2.1.325".to_owned()),
            quiet_seconds: Some(7),
            ..SeenThere::default()
        };
        let put = seen.put_into(event).unwrap();
        assert!(put.contains(r#""tool_input":{ "b":1.10 }"#), "{put}");
        assert_eq!(SeenThere::read(&put), seen);
        assert_eq!((seen.mouth(), seen.version()), (Mouth::Nobody, Version::read("2.1.325")));
        assert_eq!(SeenThere::read(event), SeenThere::default());
        assert_eq!(SeenThere::read(r#"{"askbridge":5}"#), SeenThere::default());
        let value: Value = serde_json::from_str(&put).unwrap();
        assert_eq!(value["session_id"], "s");
    }

    #[test]
    fn a_hook_names_itself_in_plain_characters() {
        assert_eq!(visitor_id("0af3").as_deref(), Some("0af3"));
        for wrong in ["", "a b", "a/b", &"a".repeat(ID_CHARS_MAX + 1)] {
            assert_eq!(visitor_id(wrong), None, "{wrong}");
        }
    }
}
