//! `/v1/taps`: whether taps are needed here, and switching them off. `POST /v1/taps/decide`: this shell wants to
//! decide.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as example;
use tracing::warn;

use super::asks::WaitQuery;
use crate::auth::{Ancestry, Caller};
use crate::runtime::{Right, down};
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::identify::Remote;
use crate::server::problem::Trouble;
use crate::server::query::Query;
use crate::server::taps::{Purpose, TapRequest, tapped};

/// How taps stand.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Taps")]
struct TapsJson {
    /// Are they switched on?
    on: bool,
    /// Are they needed: switched on, and a device of a person was paired at some time?
    needed: bool,
}

/// Whether taps are to be needed.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewTaps {
    on: bool,
}

pub(crate) async fn show(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::ShowTaps)?;
    Ok(shown(&app))
}

/// Switching them on takes rights from programs only. Switching them off needs one more tap, wherever it is requested.
pub(crate) async fn switch(
    State(app): State<App>,
    caller: Caller,
    remote: Option<Extension<Remote>>,
    Query(waiting): Query<WaitQuery>,
    Json(NewTaps { on }): Json<NewTaps>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::SwitchTaps)?;
    if !on && !app.tokens.taps_are_off() {
        if !app.tokens.someone_was_paired() {
            let why = "pair a device first: it is a tap on a device that switches them off";
            return Err(Trouble::new(403, "no_device_left", why));
        }
        tapped(&app, tap_request(&app, &caller, remote, Purpose::SwitchOff)?, waiting.span()?).await?;
        warn!("Taps are switched off: programs on this machine may pair devices and decide without one");
    }
    let switched = app.tokens.switch_taps(on, app.handle.clock.now()).await;
    switched.map_err(down)?;
    Ok(shown(&app))
}

/// Asks the person's devices to vouch for the shell that this is called from. Succeeds at once if none is needed.
pub(crate) async fn decide(
    State(app): State<App>,
    remote: Option<Extension<Remote>>,
    Query(waiting): Query<WaitQuery>,
) -> Result<Response, Trouble> {
    let forbidden = |why: &str| Trouble::new(403, "forbidden", why);
    let Some(Extension(Remote::Local(peer))) = remote else {
        return Err(forbidden("a terminal of this machine asks for this, on the local socket"));
    };
    match app.agents.ancestry(peer.process()?.pid) {
        Ancestry::LoginTerminal | Ancestry::VouchedTerminal => {}
        Ancestry::UnprovenTerminal if !app.tokens.taps_are_needed() => {}
        Ancestry::UnprovenTerminal => {
            let purpose = Purpose::Decide { name: peer.user.to_string() };
            tapped(&app, TapRequest::by_process(&app, &peer, purpose)?, waiting.span()?).await?;
        }
        Ancestry::NoTerminal => {
            let why = "there is no terminal here; a script decides with a person's token, from `askbridge pair --print-token`";
            return Err(forbidden(why));
        }
        Ancestry::BelowAnAgent | Ancestry::Unknown => {
            let detail = "an agent may ask but never decide, and neither may anything that it starts";
            return Err(Trouble::new(403, "agent_may_not_decide", detail));
        }
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Who requests a tap: a process on the local socket, or a program that came over TCP with a token.
pub(super) fn tap_request(
    app: &App,
    caller: &Caller,
    remote: Option<Extension<Remote>>,
    purpose: Purpose,
) -> Result<TapRequest, Trouble> {
    match remote {
        Some(Extension(Remote::Local(peer))) => TapRequest::by_process(app, &peer, purpose),
        _ => Ok(TapRequest::by_party(caller, purpose)),
    }
}

fn shown(app: &App) -> Response {
    let tokens = &app.tokens;
    json(StatusCode::OK, &TapsJson { on: !tokens.taps_are_off(), needed: tokens.taps_are_needed() })
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("showTaps", "Callers", "Says whether a tap is needed here.")
        .text("*Operators, this machine.*")
        .returns::<TapsJson>(200, "How it stands.")
        .refuses(&["forbidden"]);
}

pub(crate) fn switch_doc(op: &mut Operation<'_>) {
    op.is("switchTaps", "Callers", "Switches taps on or off.")
        .text("*This machine.* Off needs a tap: without `wait`, or when that is over, the answer is `tap_needed`; call again.")
        .query::<WaitQuery>()
        .body::<NewTaps>(example!({"on": true}))
        .returns::<TapsJson>(200, "How it stands now.")
        .refuses(&["forbidden", "no_device_left", "tap_needed", "tap_denied", "tap_expired", "down"]);
}

pub(crate) fn decide_doc(op: &mut Operation<'_>) {
    op.is("askForTap", "Callers", "Asks the person's devices whether this shell may decide.")
        .text(
            "*A terminal of this machine, on the local socket only.* The tap is remembered for the shell that this is called from, \
             until it ends or an agent starts in it. Without `wait`, or when that is over, the answer is `tap_needed`; call again.",
        )
        .only_here()
        .query::<WaitQuery>()
        .returns_nothing(204, "It may.")
        .refuses(&["agent_may_not_decide", "no_device_left", "tap_needed", "tap_denied", "tap_expired", "too_fast"]);
}
