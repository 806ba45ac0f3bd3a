//! `POST /v1/channels/{id}`: changes a channel. `POST /v1/channels/{id}/test`: sends a test, and waits for the tap.

use std::collections::BTreeSet;
use std::time::Duration;

use askbridge_core::limits;
use askbridge_peers::json::RingState;
use askbridge_peers::wish::Rejection;
use askbridge_ringing::channel::{Content, Decides};
use askbridge_ringing::news::NewsKind;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json as example;

use super::asks::WaitQuery;
use super::channels::{ChannelJson, as_a_device, check_hours, own, target};
use super::rings::state_json;
use crate::auth::{Caller, checked_name};
use crate::ringing::{Changes, check, try_out};
use crate::runtime::chain;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::identify::Remote;
use crate::server::problem::Trouble;
use crate::server::query::Query;
use crate::server::taps::Purpose;

/// What is to be changed; what is left out stays as it is.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ChannelChanges {
    #[schemars(length(min = 1, max = 64))]
    name: Option<String>,
    content: Option<Content>,
    decides: Option<Decides>,
    /// Times of day at which only urgent asks ring; `null`: those of the settings.
    #[serde(default, deserialize_with = "given")]
    quiet: Option<Option<String>>,
    /// What it tells of besides asks: all of it.
    tells: Option<BTreeSet<NewsKind>>,
}

/// Tells `null` from a field that is left out.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

pub(crate) async fn change(
    State(app): State<App>,
    caller: Caller,
    remote: Option<Extension<Remote>>,
    Path(id): Path<String>,
    Query(waiting): Query<WaitQuery>,
    Json(ChannelChanges { name, content, decides, quiet, tells }): Json<ChannelChanges>,
) -> Result<Response, Trouble> {
    let channel = own(&app, &caller, &id)?;
    if let Some(name) = &name {
        checked_name(name).map_err(|error| Trouble::new(422, "bad_request", error.to_string()))?;
    }
    check_hours(quiet.as_ref().and_then(Option::as_deref))?;
    let changes = Changes { name, content, decides, quiet, tells };
    // What shows or decides more than before is as good as a new channel.
    let opens_up = changes.open_it_up(&channel);
    if opens_up {
        let (person, kind, to) = (channel.person.clone(), channel.service.kind().to_owned(), target(&channel));
        as_a_device(&app, &caller, remote, &waiting, Purpose::Channel { person, kind, to }).await?;
    }
    let changed = changes.apply(&channel);
    if opens_up {
        check(&app, &changed).await.map_err(|why| Trouble::new(409, "channel_refused", why))?;
    }
    let stored = app.ringing().channels.put(&app.handle, changed).await;
    let stored = stored.map_err(|error| Rejection::Down(chain(&error)))?;
    app.ringing().changed();
    Ok(json(StatusCode::OK, &ChannelJson::of(&stored, None)))
}

/// How long the caller is ready to wait for the tap.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TestQuery {
    /// Seconds to wait until the person taps the message; at most 120, and what is beyond is cut.
    #[schemars(range(min = 0, max = limits::CHANNEL_TEST_MAX.as_secs()))]
    wait: Option<f64>,
}

/// What became of a test.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChannelTest")]
struct TestJson {
    /// `sent`: the service took it; `delivered`: the device showed it; `seen`: the person tapped it; `failed`.
    state: RingState,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// Can the person show that it arrived, with a tap?
    can_be_tapped: bool,
}

pub(crate) async fn test(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Query(TestQuery { wait }): Query<TestQuery>,
) -> Result<Response, Trouble> {
    let channel = own(&app, &caller, &id)?;
    let wait = Duration::try_from_secs_f64(wait.unwrap_or(0.0));
    let wait = wait.map_err(|_| Trouble::new(422, "bad_request", "`wait` is a number of seconds"))?;
    let tried = tokio::select! {
        biased;
        () = app.stop.cancelled() => return Err(Rejection::Down("the server stops".to_owned()).into()),
        tried = try_out(&app, &channel, wait.min(limits::CHANNEL_TEST_MAX)) => tried,
    };
    let test = TestJson { state: state_json(tried.state), why: tried.why, can_be_tapped: tried.can_be_tapped };
    Ok(json(StatusCode::OK, &test))
}

pub(crate) fn change_doc(op: &mut Operation<'_>) {
    op.is("changeChannel", "Channels", "Changes what a channel is called, shows, decides and tells.")
        .text("*People, their own; this machine, with a tap once a device is paired if it then shows or decides more.*")
        .query::<WaitQuery>()
        .body::<ChannelChanges>(example!({"quiet": "22:00-07:00", "tells": ["agent_failed", "turn_ended"]}))
        .returns::<ChannelJson>(200, "As it is now.")
        .refuses(&[
            "forbidden",
            "unknown_channel",
            "channel_refused",
            "tap_needed",
            "tap_denied",
            "tap_expired",
            "no_device_left",
            "down",
        ]);
}

pub(crate) fn test_doc(op: &mut Operation<'_>) {
    op.is("testChannel", "Channels", "Sends a test over a channel, and waits until the person taps it.")
        .text("*People, their own; this machine.* Of ntfy, Telegram and Slack a button is heard, of a browser also that it showed the message.")
        .query::<TestQuery>()
        .returns::<TestJson>(200, "What became of it so far.")
        .refuses(&["forbidden", "unknown_channel", "down"]);
}
