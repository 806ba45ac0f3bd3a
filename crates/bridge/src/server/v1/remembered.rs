//! `GET` and `POST /v1/rules/remembered`, `DELETE /v1/rules/remembered/{id}`: approvals that a person had remembered.

use std::time::Duration;

use askbridge_core::ids::Timestamp;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as example;

use super::asks::ask_id;
use super::paging::Page;
use crate::auth::Caller;
use crate::clock::Rfc3339;
use crate::runtime::{NotKept, RememberIn, Right, Saving, StoredApproval, Uses};
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

/// How long an approval is remembered if it is not said.
const DEFAULT_SPAN: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// An approval to be remembered.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewRemembered {
    /// An approval: open or over.
    ask: String,
    #[serde(rename = "for", default)]
    reach: ReachWord,
    /// Until when, within 366 days; 30 days if it is missing. Like `2026-12-31T18:00:00Z`.
    until: Option<String>,
    /// Only show the rule; nothing is stored.
    #[serde(default)]
    dry_run: bool,
}

/// Where it counts: in the ask's session, in the session's folder and below it, or everywhere.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum ReachWord {
    Session,
    #[default]
    Project,
    Everywhere,
}

/// An approval that is remembered.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Remembered")]
pub(crate) struct RememberedJson {
    id: String,
    /// The rule that it became, as a rule file has it: for exactly this call.
    rule: String,
    tool: String,
    /// `session`, `project` or `everywhere`.
    #[serde(rename = "for")]
    reach: String,
    /// The ask that it was made of.
    ask: String,
    person: String,
    device: String,
    made_at: Rfc3339,
    until: Rfc3339,
    /// How often it has decided.
    uses: u64,
    last_used_at: Option<Rfc3339>,
}

impl RememberedJson {
    fn of(id: String, stored: StoredApproval, uses: Uses) -> Self {
        let StoredApproval { rule, tool, reach, ask, person, device, made_at, until } = stored;
        let at = |millis| Rfc3339(Timestamp(millis));
        Self {
            id,
            rule,
            tool,
            reach,
            ask,
            person,
            device,
            made_at: at(made_at),
            until: at(until),
            uses: uses.count,
            last_used_at: uses.last.map(at),
        }
    }
}

pub(crate) async fn list(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::ListRemembered)?;
    let items = app.handle.remembered().into_iter().map(|(id, stored, uses)| RememberedJson::of(id, stored, uses));
    Ok(json(StatusCode::OK, &Page { items: items.collect(), next: None }))
}

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    Json(new): Json<NewRemembered>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::Remember)?;
    let reach = match new.reach {
        ReachWord::Session => RememberIn::Session,
        ReachWord::Project => RememberIn::Project,
        ReachWord::Everywhere => RememberIn::Everywhere,
    };
    let ask = ask_id(&new.ask)?;
    app.handle.check(&caller, Right::ReadAsk(ask))?;
    app.handle.ask(ask).await?;
    let bad = || Trouble::new(422, "bad_request", "`until` is not a time like 2026-12-31T18:00:00Z");
    let until = match &new.until {
        Some(text) => askbridge_policy::until(text).ok_or_else(bad)?,
        None => app.handle.now().plus(DEFAULT_SPAN),
    };
    let saving = if new.dry_run { Saving::No } else { Saving::Yes };
    let remembered = app.handle.remember(&caller, ask, reach, until, saving).await;
    let (id, stored) = remembered.map_err(|why| match why {
        NotKept::Rejected(rejection) => rejection.into(),
        NotKept::Bad(why) => Trouble::new(422, "bad_request", why),
    })?;
    let status = if new.dry_run { StatusCode::OK } else { StatusCode::CREATED };
    Ok(json(status, &RememberedJson::of(id, stored, Uses::default())))
}

pub(crate) async fn revoke(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::RevokeRemembered)?;
    let unknown = || Trouble::new(404, "unknown_rule", format!("no approval `{id}` is remembered"));
    let (stored, uses) = app.handle.revoke_remembered(&id).await?.ok_or_else(unknown)?;
    Ok(json(StatusCode::OK, &RememberedJson::of(id, stored, uses)))
}

pub(crate) fn list_doc(op: &mut Operation<'_>) {
    op.is("listRemembered", "Server", "Lists the approvals that are remembered.")
        .text("*Operators, this machine.*")
        .returns::<Page<RememberedJson>>(200, "All of them, the newest first, on one page.")
        .refuses(&["forbidden"]);
}

pub(crate) fn create_doc(op: &mut Operation<'_>) {
    op.is("remember", "Server", "Remembers an approval: this very call is allowed again without a person.")
        .text(
            "*Operators' devices, terminals; never agents, bots or the token file.* The call is bound by a digest of its tool and whole \
             input. With `dry_run`, the rule is shown and nothing is stored. Remembering the same again replaces it.",
        )
        .body::<NewRemembered>(example!({"ask": "ask_06f2x5k1q8r3t7v9w2y4z6b8d0_1", "for": "project", "dry_run": true}))
        .returns::<RememberedJson>(200, "It would become this rule.")
        .returns::<RememberedJson>(201, "Remembered, and in force.")
        .refuses(&["forbidden", "tap_needed", "unknown_ask", "bad_request"]);
}

pub(crate) fn revoke_doc(op: &mut Operation<'_>) {
    op.is("revokeRemembered", "Server", "Forgets a remembered approval.")
        .text("*Operators, this machine.*")
        .returns::<RememberedJson>(200, "It was this one.")
        .refuses(&["forbidden", "unknown_rule"]);
}
