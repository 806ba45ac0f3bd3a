//! `GET` and `POST /v1/rules/remembered`, `DELETE /v1/rules/remembered/{id}`, `GET /v1/asks/{id}/rule`: decisions that a
//! person had remembered as rules, and the rule that is offered after several same decisions.

use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::limits;
use askbridge_peers::wish::{AskRef, RuleDecides, RuleReach, RuleWish, Wish};
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
use crate::runtime::{Right, RuleOffer, StoredRule, Uses};
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::v1::HTTP;

/// A decision to be remembered.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewRemembered {
    /// An ask: open or over.
    ask: String,
    /// What the rule says. `allow`: the call is allowed. `as_before`: what people decided about the same ask several
    /// times in a row, as `GET /v1/asks/{id}/rule` offers it.
    #[serde(rename = "do", default)]
    does: DoesWord,
    #[serde(rename = "for", default)]
    reach: ReachWord,
    /// Until when, within 366 days; 30 days if it is missing. Like `2026-12-31T18:00:00Z`.
    until: Option<String>,
    /// It holds for good, until it is revoked; without `until`.
    #[serde(default)]
    for_good: bool,
    /// The id of the rule that was shown. If it would be another by now, nothing is stored.
    id: Option<String>,
    /// Only show the rule; nothing is stored.
    #[serde(default)]
    dry_run: bool,
}

/// What it says.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum DoesWord {
    #[default]
    Allow,
    AsBefore,
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

/// A decision that is remembered as a rule.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Remembered")]
pub(crate) struct RememberedJson {
    id: String,
    /// The rule that it became, as a rule file has it: for exactly this call, or these questions.
    rule: String,
    /// `allow`, `deny` or `answer`.
    #[serde(rename = "do")]
    does: String,
    /// The tool of an approval; empty for questions.
    tool: String,
    /// One line of what it is about: a command, a file, a question. Empty for those of earlier releases.
    about: String,
    /// `session`, `project` or `everywhere`.
    #[serde(rename = "for")]
    reach: String,
    /// The file in which people can read the rule; `null` if the server writes none.
    file: Option<String>,
    /// The ask that it was made of.
    ask: String,
    person: String,
    device: String,
    made_at: Rfc3339,
    /// `null`: for good.
    until: Option<Rfc3339>,
    /// How often it has decided.
    uses: u64,
    last_used_at: Option<Rfc3339>,
}

/// The rule that is offered about an ask.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OfferedRuleOfAsk")]
struct OfferJson {
    /// `null`: none is offered.
    offer: Option<Offer>,
}

/// A rule that says what people decided several times in a row.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RuleOffer")]
struct Offer {
    /// How often in a row.
    times: u32,
    /// What was chosen, for questions: the labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<String>,
    /// The rule as it would be.
    rule: RememberedJson,
}

impl RememberedJson {
    fn of(app: &App, id: String, stored: StoredRule, uses: Uses) -> Self {
        let StoredRule { rule, does, tool, about, reach, ask, person, device, made_at, until } = stored;
        let at = |millis| Rfc3339(Timestamp(millis));
        Self {
            id,
            rule,
            does,
            tool,
            about,
            reach,
            file: app.handle.remembered_file(),
            ask,
            person,
            device,
            made_at: at(made_at),
            until: until.map(at),
            uses: uses.count,
            last_used_at: uses.last.map(at),
        }
    }
}

pub(crate) async fn list(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::ListRemembered)?;
    let items = app.handle.remembered().into_iter();
    let items = items.map(|(id, stored, uses)| RememberedJson::of(&app, id, stored, uses)).collect();
    Ok(json(StatusCode::OK, &Page { items, next: None }))
}

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    Json(new): Json<NewRemembered>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::Remember)?;
    let ask = ask_id(&new.ask)?;
    known(&app, &caller, ask).await?;
    let bad = |why: &str| Trouble::new(422, "bad_request", why);
    let until = match (&new.until, new.for_good) {
        (Some(_), true) => return Err(bad("`until` cannot stand beside `for_good`")),
        (None, true) => None,
        (Some(text), false) => {
            Some(askbridge_policy::until(text).ok_or_else(|| bad("`until` is not a time like 2026-12-31T18:00:00Z"))?)
        }
        (None, false) => Some(app.handle.now().plus(limits::REMEMBERED_FOR)),
    };
    let decides = match new.does {
        DoesWord::Allow => RuleDecides::Allow,
        DoesWord::AsBefore => RuleDecides::AsBefore,
    };
    let reach = match new.reach {
        ReachWord::Session => RuleReach::Session,
        ReachWord::Project => RuleReach::Project,
        ReachWord::Everywhere => RuleReach::Everywhere,
    };
    let mut rule = RuleWish { decides, reach, until, shown: new.id };
    let (id, stored) = app.handle.rule_of(&caller, ask, &rule).await?;
    if new.dry_run {
        return Ok(json(StatusCode::OK, &RememberedJson::of(&app, id, stored, Uses::default())));
    }
    rule.shown = Some(id.clone());
    let wish = Wish::Remember { ask: AskRef::Id(ask), rule: Box::new(rule) };
    app.gate().grant(&caller, HTTP, wish).await?;
    let (id, stored, uses) = find(&app, &id)?;
    Ok(json(StatusCode::CREATED, &RememberedJson::of(&app, id, stored, uses)))
}

pub(crate) async fn revoke(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::RevokeRemembered)?;
    let (id, stored, uses) = find(&app, &id)?;
    app.gate().grant(&caller, HTTP, Wish::Revoke { rule: id.clone() }).await?;
    Ok(json(StatusCode::OK, &RememberedJson::of(&app, id, stored, uses)))
}

pub(crate) async fn offer(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    known(&app, &caller, ask).await?;
    let offer = app.handle.offered_rule(&caller, ask).await?;
    let offer = offer.map(|RuleOffer { times, chosen, id, rule }| Offer {
        times,
        chosen,
        rule: RememberedJson::of(&app, id, rule, Uses::default()),
    });
    Ok(json(StatusCode::OK, &OfferJson { offer }))
}

/// May the caller make a rule of this ask, and is there such an ask?
async fn known(app: &App, caller: &Caller, ask: AskId) -> Result<(), Trouble> {
    app.handle.check(caller, Right::RememberDecisionOf(ask))?;
    app.handle.ask(ask).await?;
    Ok(())
}

fn find(app: &App, id: &str) -> Result<(String, StoredRule, Uses), Trouble> {
    let unknown = || Trouble::new(404, "unknown_rule", format!("no decision `{id}` is remembered"));
    app.handle.remembered().into_iter().find(|(known, ..)| known == id).ok_or_else(unknown)
}

pub(crate) fn list_doc(op: &mut Operation<'_>) {
    op.is("listRemembered", "Server", "Lists the decisions that are remembered.")
        .text("*Operators, this machine.*")
        .returns::<Page<RememberedJson>>(200, "All of them, the newest first, on one page.")
        .refuses(&["forbidden"]);
}

pub(crate) fn create_doc(op: &mut Operation<'_>) {
    op.is("remember", "Server", "Remembers a decision: the very same is decided the same way again without a person.")
        .text(
            "*Operators' devices, terminals; never agents, bots or the token file.* A call is bound by a digest of its tool and whole \
             input, questions by one of their texts and labels. With `dry_run`, the rule is shown and nothing is stored. Remembering the same again replaces it.",
        )
        .body::<NewRemembered>(example!({"ask": "ask_06f2x5k1q8r3t7v9w2y4z6b8d0_1", "for": "project", "dry_run": true}))
        .returns::<RememberedJson>(200, "It would become this rule.")
        .returns::<RememberedJson>(201, "Remembered, and in force.")
        .refuses(&["forbidden", "tap_needed", "unknown_ask", "bad_request"]);
}

pub(crate) fn revoke_doc(op: &mut Operation<'_>) {
    op.is("revokeRemembered", "Server", "Forgets a remembered decision.")
        .text("*Operators, this machine.*")
        .returns::<RememberedJson>(200, "It was this one.")
        .refuses(&["forbidden", "unknown_rule"]);
}

pub(crate) fn offer_doc(op: &mut Operation<'_>) {
    op.is("offeredRule", "Asks", "Says which rule is offered about an ask, after people decided the same several times in a row.")
        .text(
            "*Operators' devices, terminals.* None is offered for calls that look grave, and none where several people have to agree. \
             To save it, pass its `id` to `POST /v1/rules/remembered`, with `do: \"as_before\"` and the same `for`.",
        )
        .returns::<OfferJson>(200, "It, or `null`.")
        .refuses(&["forbidden", "tap_needed", "unknown_ask"]);
}
