//! `POST /v1/hook`: an event of an agent in a person's terminal. `GET /v1/hook/parked`: runs that can be resumed.

use askbridge_core::event::Parcel;
use askbridge_core::limits::HEARTBEAT;
use askbridge_core::view::State as Stands;
use askbridge_peers::wish::{Rejection, Wish};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json as example};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::HTTP;
use super::paging::Page;
use crate::auth::Caller;
use crate::hooks::{Event, Farewell, Output, ParkedRun, attend, leave, parked_runs, visitor_id};
use crate::runtime::Right;
use crate::server::app::App;
use crate::server::body::{Json, Text, json};
use crate::server::docs::Operation;
use crate::server::identify::Remote;
use crate::server::problem::Trouble;

/// Marks our own responses, so that a hook accepts no other program's. `beats`: line breaks are sent while it waits, and a
/// hook that reconnects is found again by its name.
const MARK: &str = "askbridge-hook";

/// No opinion.
const NOTHING: &str = "{}";

/// Responds with the status at once, and with what the hook prints later, perhaps after days. A hook that disconnects
/// no longer waits.
pub(crate) async fn hear(
    State(app): State<App>,
    caller: Caller,
    remote: Option<Extension<Remote>>,
    headers: HeaderMap,
    Text(text): Text,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::ReportByHook)?;
    match serde_json::from_str::<Map<String, Value>>(&text) {
        Ok(_) => {}
        Err(error) if error.is_data() => return Err(Trouble::new(422, "bad_request", "an event is an object")),
        Err(_) => return Err(Trouble::new(400, "not_json", "the body is not JSON")),
    }
    let hook = match remote {
        Some(Extension(Remote::Local(peer))) => Some(peer.process()?),
        _ => None,
    };
    let attended = headers.get("askbridge-attended").map(|told| told == "1");
    let again = headers.contains_key("askbridge-again");
    let named = headers.get("askbridge-hook-id").and_then(|id| id.to_str().ok()).and_then(visitor_id);
    let visitor = named.filter(|_| hook.is_none());
    let beats = visitor.is_some();
    let gone = CancellationToken::new();
    // Dropped with the body when the hook disconnects. Its ask is then withdrawn, by a task that is not cancelled with
    // the request.
    let waits = gone.clone().drop_guard();
    let (done, output) = oneshot::channel();
    let (attending, bringer) = (app.clone(), caller.clone());
    app.tasks.spawn(async move {
        let event = Event { text, caller, hook, visitor, attended, again };
        let output = attend(&attending, &event, gone).await;
        // The hook may have disconnected.
        let _ = done.send(output);
    });
    let body = async move {
        let output = tokio::select! {
            biased;
            // The status was sent long ago: all that is left is to end the response without its body.
            () = app.tokens.revoked(&bringer) => return Err(Rejection::Unauthorized),
            output = output => match output {
                Ok(output) => output?,
                Err(_) => None,
            },
        };
        drop(waits.disarm());
        // Aborted rather than answered, so that a hook can tell a server that stops from one that has no opinion.
        if output.is_none() && app.stop.is_cancelled() {
            return Err(Rejection::Down("askbridge is stopping".to_owned()));
        }
        Ok::<_, Rejection>(
            output.map_or(Bytes::from_static(NOTHING.as_bytes()), |output| taken(&app, &bringer, output)),
        )
    };
    let mark = (MARK, if beats { "beats" } else { "1" });
    let headers =
        [(header::CONTENT_TYPE.as_str(), "application/json"), (header::CACHE_CONTROL.as_str(), "no-store"), mark];
    let body = match beats {
        true => Body::from_stream(beating(body)),
        false => Body::from_stream(stream::once(body)),
    };
    Ok((StatusCode::OK, headers, body).into_response())
}

/// Sends a line break now and then until the output is there, which JSON may begin with: neither a proxy nor the hook
/// takes the connection for dead, and one that is dead is noticed.
fn beating(
    body: impl Future<Output = Result<Bytes, Rejection>> + Send + 'static,
) -> impl Stream<Item = Result<Bytes, Rejection>> + Send + 'static {
    stream::unfold(Some(Box::pin(body)), |waiting| async move {
        let mut body = waiting?;
        tokio::select! {
            biased;
            output = &mut body => Some((output, None)),
            () = tokio::time::sleep(HEARTBEAT) => Some((Ok(Bytes::from_static(b"\n")), Some(body))),
        }
    })
}

/// A hook on another machine that leaves before it was answered.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct LeavingHook {
    /// The name that it gave itself in `askbridge-hook-id`.
    hook: String,
    /// Its agent has ended. Otherwise its agent ended it: the dialog was answered, or the call cancelled.
    #[serde(default)]
    agent_ended: bool,
}

/// A hook of this machine needs not say it: the server sees its process.
pub(crate) async fn bye(
    State(app): State<App>,
    caller: Caller,
    Json(LeavingHook { hook, agent_ended }): Json<LeavingHook>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::ReportByHook)?;
    let farewell = if agent_ended { Farewell::AgentEnded } else { Farewell::ToldToEnd };
    leave(&app, &caller, &hook, farewell).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Called when the connection takes what the hook prints: notes the delivery of what comes with it.
fn taken(app: &App, caller: &Caller, output: Output) -> Bytes {
    for parcel in output.told {
        let proof = match parcel {
            Parcel::Message(_) => "its hook read it to the agent",
            Parcel::Verdict(_) => "its hook took it",
        };
        drop(app.gate().note(caller, HTTP, Wish::Took { parcel, proof: proof.to_owned() }));
    }
    Bytes::from(output.text)
}

/// A run without a terminal that waits for an answer without a process.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ParkedRunNow")]
pub(crate) struct ParkedJson {
    #[serde(flatten)]
    run: ParkedRun,
    /// One line that says what it asks.
    headline: String,
    /// Can it go on?
    is_answered: bool,
}

pub(crate) async fn parked(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::ListParked)?;
    let mut items = Vec::new();
    for (ask, run) in parked_runs(&app).await? {
        let view = app.handle.stored_ask(ask).await?;
        if matches!(view.state, Stands::Withdrawn | Stands::Overtaken) || view.delivered_at.is_some() {
            continue;
        }
        let headline = view.ask.body.headline().to_owned();
        items.push(ParkedJson { run, headline, is_answered: !view.state.is_open() });
    }
    Ok(json(StatusCode::OK, &Page { items, next: None }))
}

pub(crate) fn hear_doc(op: &mut Operation<'_>) {
    op.is("hook", "Agents", "Takes what an agent tells its hook, and says what the hook prints.")
        .text(
            "*Agents, operators, this machine.* The body is what Claude Code or Codex writes to a hook. The answer is what the \
             hook prints; an empty object is no opinion. It is held as long as a person is waited for. On the local socket the \
             agent above the caller is remembered, and nothing below it may decide.",
        )
        .header(
            "askbridge-hook-id",
            "A name of 1 to 64 letters and digits that a hook on another machine gives itself. It is then found again when it \
             calls with `askbridge-again: 1`, says with `POST /v1/hook/leave` that it leaves, and is sent line breaks while it waits.",
            example!({"type": "string", "pattern": "^[A-Za-z0-9]{1,64}$"}),
        )
        .body::<Map<String, Value>>(example!({"hook_event_name": "Stop", "session_id": "…"}))
        .returns::<Map<String, Value>>(200, "What the hook prints.")
        .refuses(&["forbidden"]);
}

pub(crate) fn bye_doc(op: &mut Operation<'_>) {
    op.is("leaveHook", "Agents", "Says that a hook on another machine no longer waits.")
        .text("*Agents, operators, this machine.* Its ask is overtaken, or withdrawn if its agent has ended. Nothing happens to any other.")
        .body::<LeavingHook>(example!({"hook": "5f0c", "agent_ended": true}))
        .returns_nothing(204, "Heard.")
        .refuses(&["forbidden"]);
}

pub(crate) fn parked_doc(op: &mut Operation<'_>) {
    op.is("listParkedRuns", "Agents", "Lists runs without a terminal whose question is parked.")
        .text("*Operators, this machine.* `askbridge resume` takes them up again once they are answered.")
        .returns::<Page<ParkedJson>>(200, "All of them.")
        .refuses(&["forbidden"]);
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::StreamExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_hook_elsewhere_hears_line_breaks_until_its_output_is_there() {
        let (done, output) = oneshot::channel::<&str>();
        let mut body = pin!(beating(async move { Ok(Bytes::from(output.await.unwrap())) }));
        let mut next = async || body.next().await.map(Result::unwrap);
        assert_eq!(next().await.as_deref(), Some(&b"\n"[..]));
        assert_eq!(next().await.as_deref(), Some(&b"\n"[..]));
        done.send("{}").unwrap();
        assert_eq!(next().await.as_deref(), Some(&b"{}"[..]));
        assert_eq!(next().await, None);
    }
}
