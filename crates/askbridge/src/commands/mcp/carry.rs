//! Forwards one call to the server. It is repeated across a restart of the server: the same call again is the same ask.

use std::sync::Arc;
use std::time::Duration;

use askbridge_bridge::server::mcp::Passed;
use askbridge_core::limits;
use hyper::Method;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use crate::client::{Client, Error, Exchanged};

/// How long to look for a server that is not there. It may be starting.
const FIND_MAX: Duration = Duration::from_secs(2);
/// How long to wait for a server that was there.
const RETURN_MAX: Duration = limits::HANDOVER_MAX;
/// The same for one on another machine, which may be started anew as a whole.
const RETURN_ELSEWHERE_MAX: Duration = Duration::from_secs(3 * 60);
/// The pause between two attempts.
const BREATH: Duration = Duration::from_millis(200);

/// Forwards a call, and writes all responses for the client.
pub(super) async fn carry(client: Arc<Client>, passed: Passed, write: mpsc::Sender<String>) {
    let mut patience = FIND_MAX;
    let mut since = Instant::now();
    loop {
        let why = match exchange(&client, &passed, &write).await {
            Ok(()) => return,
            Err(Trouble { why, had_begun }) => {
                if had_begun {
                    let returns = if client.is_elsewhere() { RETURN_ELSEWHERE_MAX } else { RETURN_MAX };
                    (patience, since) = (returns, Instant::now());
                }
                why
            }
        };
        if !why.passes() || !passed.can_be_repeated || since.elapsed() >= patience {
            let _ = write.send(passed.failed(&in_words(&why))).await;
            return;
        }
        sleep(BREATH).await;
    }
}

struct Trouble {
    why: Error,
    /// The server had accepted the call before it was lost.
    had_begun: bool,
}

async fn exchange(client: &Client, passed: &Passed, write: &mpsc::Sender<String>) -> Result<(), Trouble> {
    let exchanged = client.exchange(Method::POST, "/mcp", &passed.headers, passed.body.clone()).await;
    match exchanged.map_err(|why| Trouble { had_begun: matches!(why, Error::Lost { .. }), why })? {
        Exchanged::Whole { text, .. } if is_rpc(&text) => {
            let _ = write.send(text).await;
            Ok(())
        }
        Exchanged::Whole { status, text } if status >= 400 => {
            let why = client.refusal(status, &text);
            let had_begun = matches!(why, Error::Lost { .. });
            Err(Trouble { why, had_begun })
        }
        // Not a JSON-RPC message: the client waits for none.
        Exchanged::Whole { .. } => Ok(()),
        Exchanged::Events(mut lines) => {
            let mut dialogs = Vec::new();
            while let Some(line) = lines.next().await {
                let Some(data) = line.strip_prefix("data: ") else { continue };
                let is_last = is_answer(data, &passed.id);
                dialogs.extend(request(data));
                let _ = write.send(data.to_owned()).await;
                if is_last {
                    return Ok(());
                }
            }
            // The next server opens its own dialogs.
            for id in dialogs {
                let _ = write.send(closing(&id)).await;
            }
            let why = Error::Lost { place: "its address".to_owned(), why: "it stopped while we waited".to_owned() };
            Err(Trouble { why, had_begun: true })
        }
    }
}

fn is_rpc(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|message| message["jsonrpc"] == "2.0")
}

fn is_answer(text: &str, id: &Value) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|message| message["id"] == *id && message["method"].is_null())
}

/// Returns the id of a request from the server.
fn request(text: &str) -> Option<Value> {
    let message: Value = serde_json::from_str(text).ok()?;
    (!message["method"].is_null() && !message["id"].is_null()).then(|| message["id"].clone())
}

/// Cancels a request from the server.
fn closing(id: &Value) -> String {
    let params = json!({"requestId": id, "reason": "askbridge stopped"});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
}

/// The explanation for the model, which can pass it on to the person.
fn in_words(why: &Error) -> String {
    match why {
        Error::Unreachable { is_elsewhere: true, .. } | Error::Untrusted { .. } | Error::Disconnected { .. } => {
            format!("{why}, so nobody can be reached. Tell the person; once it can be reached, call this tool again.")
        }
        Error::Unreachable { .. } => {
            "askbridge is not running on this machine, so nobody can be reached. Tell the person \
             to start it with `askbridge` in a terminal and leave it running; then call this tool again."
                .to_owned()
        }
        Error::Lost { .. } => {
            "askbridge stopped while this call was in hand. If a question was asked, it is stored and \
             stays open: call this tool again once askbridge runs (the person starts it with `askbridge`)."
                .to_owned()
        }
        Error::Refused(problem) if problem.status == 401 => "askbridge does not know the token that this program was \
             given. The person makes one with `askbridge token create NAME`, or leaves it out on the same machine."
            .to_owned(),
        Error::Refused(problem) => format!("askbridge refused: {problem}."),
        Error::Strange(_) => format!("{why}."),
    }
}
