//! `POST /v1/hook`: an event of an agent in a person's terminal. `GET /v1/hook/parked`: runs that can be resumed.

use askbridge_core::event::Parcel;
use askbridge_core::intent::Intent;
use askbridge_core::view::State as Stands;
use askbridge_peers::wish::Rejection;
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json as example};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::paging::Page;
use crate::auth::{Action, Caller};
use crate::hooks::{Event, Output, ParkedRun, attend, parked_runs};
use crate::server::app::App;
use crate::server::body::{Text, json};
use crate::server::docs::Operation;
use crate::server::identify::Remote;
use crate::server::problem::Trouble;

/// Marks our own responses, so that a hook accepts no other program's.
const MARK: (&str, &str) = ("askbridge-hook", "1");

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
    caller.may(Action::Ask, None)?;
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
    let gone = CancellationToken::new();
    // Dropped with the body when the hook disconnects. Its ask is then withdrawn, by a task that is not cancelled with
    // the request.
    let waits = gone.clone().drop_guard();
    let (done, output) = oneshot::channel();
    let (attending, bringer) = (app.clone(), caller.clone());
    app.tasks.spawn(async move {
        let event = Event { text, caller, hook, attended, again };
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
        Ok::<_, Rejection>(output.map_or(Bytes::from_static(NOTHING.as_bytes()), |output| taken(&app, output)))
    };
    let headers =
        [(header::CONTENT_TYPE.as_str(), "application/json"), (header::CACHE_CONTROL.as_str(), "no-store"), MARK];
    Ok((StatusCode::OK, headers, Body::from_stream(stream::once(body))).into_response())
}

/// Called when the connection takes what the hook prints: notes the delivery of what comes with it.
fn taken(app: &App, output: Output) -> Bytes {
    for parcel in output.told {
        let proof = match parcel {
            Parcel::Message(_) => "its hook read it to the agent",
            Parcel::Verdict(_) => "its hook took it",
        };
        app.handle.note(parcel.session(), [Intent::Deliver { parcel, proof: proof.to_owned() }]);
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
    caller.may(Action::Inspect, None)?;
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
        .body::<Map<String, Value>>(example!({"hook_event_name": "Stop", "session_id": "…"}))
        .returns::<Map<String, Value>>(200, "What the hook prints.")
        .refuses(&["forbidden"]);
}

pub(crate) fn parked_doc(op: &mut Operation<'_>) {
    op.is("listParkedRuns", "Agents", "Lists runs without a terminal whose question is parked.")
        .text("*Operators, this machine.* `askbridge resume` takes them up again once they are answered.")
        .returns::<Page<ParkedJson>>(200, "All of them.")
        .refuses(&["forbidden"]);
}
