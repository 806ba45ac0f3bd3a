//! `/v1/devices`: a person's own devices, and the machines that they connected. A device may add another one of the
//! same person, and revoke one.

use askbridge_core::ids::Timestamp;
use askbridge_peers::json::Rfc3339;
use askbridge_peers::told::Own;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as example;

use super::connections::withdraw_open;
use super::paging::Page;
use super::tokens::{drop_channels, trouble};
use crate::auth::{Caller, LinkMadeBy, Role, TokenInfo, TokenRole, make_link};
use crate::runtime::{Right, down};
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

/// A device of yours.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OwnDevice")]
struct DeviceJson<'a> {
    /// For sending it away; not a secret.
    id: &'a str,
    device: &'a str,
    role: TokenRole,
    paired_at: Rfc3339,
    /// The one that asks.
    current: bool,
    /// A machine that you connected: its agents ask here, and it never decides. `device` is its name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_machine: bool,
    /// When it last called; up to a minute before a kill of the server may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Rfc3339>,
}

/// Another name for a device.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewDeviceName {
    /// What you call it: 1 to 64 characters.
    #[schemars(length(min = 1, max = 64), regex(pattern = "\\S"))]
    device: String,
}

/// A link that makes a device of whatever opens it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeviceLink")]
struct LinkJson<'a> {
    /// What stands behind `#pair=` in the link.
    secret: &'a str,
    expires_at: Rfc3339,
}

pub(crate) async fn list(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::KeepDevices)?;
    let tokens = app.tokens.list();
    let own = tokens.iter().filter(|info| app.handle.may(&caller, Right::KeepDevice(info)));
    let items = own.map(|info| DeviceJson::of(&app, info, &caller)).collect();
    Ok(json(StatusCode::OK, &Page { items, next: None }))
}

pub(crate) async fn revoke(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    own(&app, &caller, &id)?;
    device_itself(&app, &caller)?;
    let revoked = app.tokens.revoke(&id).await.map_err(|error| trouble(&error))?;
    drop_channels(&app, &id).await?;
    withdraw_open(&app, &revoked).await?;
    app.handle.tell_own(&caller.name, &Own::Devices);
    Ok(json(StatusCode::OK, &DeviceJson::of(&app, &revoked, &caller)))
}

pub(crate) async fn rename(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(NewDeviceName { device }): Json<NewDeviceName>,
) -> Result<Response, Trouble> {
    own(&app, &caller, &id)?;
    if app.tokens.list().iter().any(|info| info.id == id && info.is_a_machine()) {
        let why = "the name of a machine is what the tap agreed to; connect it again with another `--name`";
        return Err(Trouble::new(403, "forbidden", why));
    }
    let renamed = app.tokens.rename(&id, &device, app.handle.clock.now()).await.map_err(|error| trouble(&error))?;
    app.handle.tell_own(&caller.name, &Own::Devices);
    Ok(json(StatusCode::OK, &DeviceJson::of(&app, &renamed, &caller)))
}

/// Checks that a device is the caller's own; others' are unknown to them.
fn own(app: &App, caller: &Caller, id: &str) -> Result<(), Trouble> {
    app.handle.check(caller, Right::KeepDevices)?;
    let found = app.tokens.list().iter().any(|info| info.id == id && app.handle.may(caller, Right::KeepDevice(info)));
    found.then_some(()).ok_or_else(|| Trouble::new(404, "unknown_token", format!("you have no device `{id}`")))
}

/// Once taps are needed, a terminal may not do here what `askbridge pair` and `askbridge token revoke` request a tap
/// for.
fn device_itself(app: &App, caller: &Caller) -> Result<(), Trouble> {
    if caller.holds_a_device() || !app.tokens.taps_are_needed() {
        return Ok(());
    }
    let why = "this is done on a paired device; from a terminal, `askbridge pair` and `askbridge token revoke` ask one for a tap";
    Err(Trouble::new(403, "forbidden", why))
}

/// A caller that may decide may let the same person decide from another device: that grants nothing new.
pub(crate) async fn link(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::PairOwnDevice)?;
    device_itself(&app, &caller)?;
    let role = match caller.role {
        Role::Operator | Role::Terminal => TokenRole::Operator,
        Role::Person | Role::Agent | Role::Bot | Role::Local | Role::Unproven => TokenRole::Person,
    };
    let now = app.handle.clock.now();
    let made_by = match caller.holds_a_device() {
        true => LinkMadeBy::ADevice(caller.party.clone()),
        false => LinkMadeBy::ThisMachine,
    };
    let made = make_link(&app.handle.store, &app.handle.chance, &caller.name, role, made_by, now).await;
    let secret = made.map_err(down)?;
    let expires_at = Rfc3339(now.plus(askbridge_core::limits::PAIRING_LINK_LIFE));
    Ok(json(StatusCode::CREATED, &LinkJson { secret: secret.reveal(), expires_at }))
}

impl<'a> DeviceJson<'a> {
    fn of(app: &App, info: &'a TokenInfo, caller: &Caller) -> Self {
        let TokenInfo { id, name, device, role, made_at, .. } = info;
        let is_machine = info.is_a_machine();
        Self {
            id,
            device: if is_machine { name } else { device },
            role: *role,
            paired_at: Rfc3339(Timestamp(*made_at)),
            current: caller.party.to_string() == format!("tok_{id}"),
            is_machine,
            last_used_at: app.tokens.used_at(id).map(Rfc3339),
        }
    }
}

pub(crate) fn list_doc(op: &mut Operation<'_>) {
    op.is("listDevices", "Callers", "Lists your own devices, and the machines that you connected.")
        .text("*People.*")
        .returns::<Page<DeviceJson<'_>>>(200, "All of them, on one page.")
        .refuses(&["forbidden"]);
}

pub(crate) fn revoke_doc(op: &mut Operation<'_>) {
    op.is("revokeDevice", "Callers", "Sends a device of yours away, also one that is connected.")
        .text("*People, their own.*")
        .returns::<DeviceJson<'_>>(200, "It is a stranger now.")
        .refuses(&["forbidden", "unknown_token"]);
}

pub(crate) fn rename_doc(op: &mut Operation<'_>) {
    op.is("renameDevice", "Callers", "Gives a device of yours another name.")
        .text("*People, their own.* What it answers from now on carries that name; what it answered before does not.")
        .body::<NewDeviceName>(example!({"device": "kitchen tablet"}))
        .returns::<DeviceJson<'_>>(200, "Renamed.")
        .refuses(&["forbidden", "unknown_token"]);
}

pub(crate) fn link_doc(op: &mut Operation<'_>) {
    op.is("linkDevice", "Callers", "Makes a link for another device of yours.")
        .text("*People.* It works once, within ten minutes, and gives what you have yourself.")
        .returns::<LinkJson<'_>>(201, "Made.")
        .refuses(&["forbidden"]);
}
