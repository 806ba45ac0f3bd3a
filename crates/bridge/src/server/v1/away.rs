//! `GET` and `POST /v1/away`: whether the person is away from this machine.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as example;

use crate::auth::Caller;
use crate::hooks::{AwayMode, presence, set_away};
use crate::runtime::Right;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

/// What a person says about it.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewAway {
    mode: AwayMode,
}

/// Whether the person is away, and why we think so.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Away")]
pub(crate) struct AwayJson {
    mode: AwayMode,
    is_away: bool,
    /// How long nobody has typed at a terminal of this machine; `null` if there is none.
    quiet_seconds: Option<u64>,
    /// How long that has to be before it counts as away.
    away_after_seconds: u64,
}

pub(crate) async fn show(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::ShowAway)?;
    shown(&app).await
}

/// Not for agents: one could otherwise hide a dialog from a person who sits in front of it.
pub(crate) async fn set(
    State(app): State<App>,
    caller: Caller,
    Json(NewAway { mode }): Json<NewAway>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::SetAway)?;
    set_away(&app, mode).await?;
    shown(&app).await
}

async fn shown(app: &App) -> Result<Response, Trouble> {
    let presence = presence(app).await?;
    let away = AwayJson {
        mode: presence.mode,
        is_away: presence.is_away,
        quiet_seconds: presence.quiet.map(|quiet| quiet.as_secs()),
        away_after_seconds: app.hooks.options().away_after.as_secs(),
    };
    Ok(json(StatusCode::OK, &away))
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("showAway", "Agents", "Says whether the person is away from this machine.")
        .text("*Operators, this machine.*")
        .returns::<AwayJson>(200, "As it is.")
        .refuses(&["forbidden"]);
}

pub(crate) fn set_doc(op: &mut Operation<'_>) {
    op.is("setAway", "Agents", "Says that the person is away, is here, or that we are to find out.")
        .text("*This machine.* While they are away, hooks that would hide a terminal's dialog hold it for them.")
        .body::<NewAway>(example!({"mode": "on"}))
        .returns::<AwayJson>(200, "As it is now.")
        .refuses(&["forbidden"]);
}
