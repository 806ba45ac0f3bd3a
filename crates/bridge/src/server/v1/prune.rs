//! `POST /v1/prune`: forgets conversations that were quiet for long, one step at a time.

use std::time::Duration;

use askbridge_journal::index::PageKey;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json as example;

use super::sessions::ForgottenJson;
use crate::auth::Caller;
use crate::keeping::{By, PruneScope, Pruned, prune as step, quiet_enough};
use crate::runtime::Right;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

/// What goes.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = [{"required": ["older_than_seconds"]}, {"required": ["larger_than_bytes"]}]))]
pub(crate) struct Prune {
    /// Conversations in which nothing happened for so long.
    #[serde(default, deserialize_with = "given")]
    #[schemars(range(min = 0, max = AGE_SECS_MAX))]
    older_than_seconds: Option<f64>,
    /// The oldest conversations, until the journal and its index take no more than so many bytes. Those in which something
    /// happened within a day stay.
    #[serde(default, deserialize_with = "given_whole")]
    #[schemars(range(max = BYTES_MAX))]
    larger_than_bytes: Option<u64>,
    /// Count what would go; nothing does.
    #[serde(default)]
    dry_run: bool,
    /// What the step before gave as `next`.
    #[serde(default, deserialize_with = "given")]
    #[schemars(regex(pattern = "^pg_[0-9a-f]{1,15}$"))]
    after: Option<String>,
    /// With `dry_run` and `larger_than_bytes`: what the steps before would have forgotten.
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(max = BYTES_MAX))]
    counted_bytes: u64,
}

/// The longest age that can be given: three centuries. Beyond: refused.
const AGE_SECS_MAX: u64 = 10_000_000_000;
/// The most bytes that can be given: the largest integer that every program represents exactly. Beyond: refused.
const BYTES_MAX: u64 = 9_007_199_254_740_991;

/// Refuses `null`, which could mean "everything" or "nothing".
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

fn given_whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    whole(from).map(Some)
}

/// Reads a whole number, also in the form `17.0` that some programs write.
fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let number = f64::deserialize(from)?;
    let fits = number.fract() == 0.0 && (0.0..=BYTES_MAX as f64).contains(&number);
    if fits { Ok(number as u64) } else { Err(D::Error::custom("a number of bytes is whole and not negative")) }
}

/// What one step did.
#[derive(Debug, Serialize, JsonSchema)]
struct PrunedJson {
    /// What went, or would go.
    #[serde(flatten)]
    forgotten: ForgottenJson,
    /// Conversations that would be old enough, but in which something is unfinished.
    unfinished: u64,
    /// The `after` of the next step. `null`: this was all.
    next: Option<String>,
}

pub(crate) async fn prune(
    State(app): State<App>,
    caller: Caller,
    Json(wanted): Json<Prune>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::Prune)?;
    let bad = |why: &str| Trouble::new(422, "bad_request", why);
    let after = wanted.after.as_deref().map(str::parse::<PageKey>).transpose();
    let after = after.map_err(|_| bad("`after` is not what an earlier step gave as `next`"))?;
    let age = wanted.older_than_seconds.map(Duration::try_from_secs_f64).transpose();
    let age = age.ok().filter(|age| age.is_none_or(|age| age <= Duration::from_secs(AGE_SECS_MAX)));
    let age = age.ok_or_else(|| bad("`older_than_seconds` is a number of seconds, 0 to 10000000000"))?;
    let now = app.handle.now();
    let quiet_since = match (age, wanted.larger_than_bytes) {
        // By size, conversations with activity within a day stay, even if the age would include them.
        (Some(age), Some(_)) => now.minus(age).min(quiet_enough(now)),
        (Some(age), None) => now.minus(age),
        (None, Some(_)) => quiet_enough(now),
        (None, None) => return Err(bad("say what goes: `older_than_seconds`, `larger_than_bytes` or both")),
    };
    let dry = wanted.dry_run;
    let wanting = PruneScope { quiet_since, down_to: wanted.larger_than_bytes, dry };
    let Pruned { forgotten, unfinished, next } =
        step(&app.handle, &wanting, after, wanted.counted_bytes, &By::Caller(&caller)).await?;
    let next = next.map(|next| next.to_string());
    Ok(json(StatusCode::OK, &PrunedJson { forgotten: forgotten.into(), unfinished, next }))
}

pub(crate) fn prune_doc(op: &mut Operation<'_>) {
    op.is("prune", "Sessions", "Forgets what was quiet for long, a step at a time.")
        .text(
            "*Operators, and terminals of this machine.* Each request makes one step, so that others write in between; go on \
             with `next` until it is `null`. Whole conversations go, as with `DELETE /v1/sessions/{id}`; those in which \
             something is unfinished stay.",
        )
        .body::<Prune>(example!({"older_than_seconds": 7_776_000, "dry_run": true}))
        .returns::<PrunedJson>(200, "What the step did.")
        .refuses(&["forbidden", "bad_request"]);
}
