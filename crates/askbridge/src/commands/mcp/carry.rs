//! One call to the server, and back. A server that restarts meanwhile is waited for: asking the same again is the same ask.

use std::sync::Arc;
use std::time::Duration;

use askbridge_bridge::server::mcp::Passed;
use askbridge_core::limits;
use hyper::Method;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use crate::client::{Client, Error, Exchanged};

/// How long a server that was not there is looked for. It may be starting.
const FIND_MAX: Duration = Duration::from_secs(2);
/// How long a server that was there is waited for.
const RETURN_MAX: Duration = limits::HANDOVER_MAX;
/// Between two looks.
const BREATH: Duration = Duration::from_millis(200);

/// Carries a call, and writes whatever the client is to hear of it.
pub(super) async fn carry(client: Arc<Client>, passed: Passed, write: mpsc::Sender<String>) {
    let mut patience = FIND_MAX;
    let mut since = Instant::now();
    loop {
        let why = match exchange(&client, &passed, &write).await {
            Ok(()) => return,
            Err(Trouble { why, had_begun }) => {
                if had_begun {
                    (patience, since) = (RETURN_MAX, Instant::now());
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
    /// The server had taken the call, and was there.
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
        // Nobody waits for it any more.
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
            // The next server opens its own.
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

/// The id of a request that the server makes.
fn request(text: &str) -> Option<Value> {
    let message: Value = serde_json::from_str(text).ok()?;
    (!message["method"].is_null() && !message["id"].is_null()).then(|| message["id"].clone())
}

/// Takes a request of the server back.
fn closing(id: &Value) -> String {
    let params = json!({"requestId": id, "reason": "askbridge stopped"});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
}

/// What a model reads, and can tell the person.
fn in_words(why: &Error) -> String {
    match why {
        Error::Unreachable { is_elsewhere: true, .. } | Error::Untrusted { .. } => {
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
