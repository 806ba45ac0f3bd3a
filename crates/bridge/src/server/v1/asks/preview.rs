//! Previews as documents of their own. An agent may draw an option in HTML; a browser shows it in a frame without
//! scripts, without network and without our origin.
//!
//! A frame cannot send a token. So a caller that may see the ask gets an address that cannot be guessed, for a while.

use askbridge_core::ids::AskId;
use askbridge_core::limits;
use askbridge_journal::shelf::Shelf;
use askbridge_peers::json::{AskJson, BodyJson};
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as example;

use super::ask_id;
use crate::auth::{Caller, Secret, hex};
use crate::runtime::{Right, down};
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

/// Only styles and pictures within the document itself. `sandbox` takes away scripts, forms and our origin.
const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; \
                      base-uri 'none'; frame-ancestors 'self'";

/// The option whose preview is wanted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NewPreview")]
pub(crate) struct PreviewChoice {
    /// The question, counted from 0.
    question: usize,
    /// Its option, counted from 0.
    option: usize,
}

#[derive(Serialize, Deserialize)]
struct StoredPreview {
    ask: String,
    #[serde(flatten)]
    wanted: PreviewChoice,
}

/// Where a preview can be looked at.
#[derive(Serialize, JsonSchema)]
struct Preview {
    /// For a frame. Works without a token, for an hour.
    address: String,
}

pub(crate) async fn preview(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(wanted): Json<PreviewChoice>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    app.handle.check(&caller, Right::ReadAsk(ask))?;
    find(&app, ask, &wanted).await?;
    let secret = Secret::fresh("pre", &app.handle.chance);
    let kept = serde_json::to_vec(&StoredPreview { ask: id, wanted }).expect("a preview's place has text keys");
    let expires_at = Some(app.handle.clock.now().plus(limits::PREVIEW_LIFE));
    app.handle.shelve(&key(&secret), &kept, expires_at).await?;
    Ok(json(StatusCode::CREATED, &Preview { address: format!("/v1/previews/{}", secret.reveal()) }))
}

pub(crate) async fn show(State(app): State<App>, Path(secret): Path<String>) -> Result<Response, Trouble> {
    let key = key(&Secret::from(secret));
    let item = app.handle.store.get(&key, app.handle.clock.now()).await;
    let item = item.map_err(down)?;
    let kept =
        item.and_then(|item| serde_json::from_slice::<StoredPreview>(&item.value).ok()).ok_or_else(nothing_here)?;
    let html = find(&app, ask_id(&kept.ask)?, &kept.wanted).await?;
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_DNS_PREFETCH_CONTROL, "off"),
    ];
    Ok((headers, without_links(&html)).into_response())
}

/// Elements that make a browser open connections, or that hold a document of their own in which others could.
const REACHING: [&str; 5] = ["link", "iframe", "frame", "object", "embed"];

/// Removes from a document what makes connections although the policy forbids every request. A `<link>` can make a
/// browser resolve names and open connections ahead of any request (`rel=preconnect`, `dns-prefetch`): another server
/// would learn that the person looked at the preview, when and from where. A frame could hold another document with
/// such a link (`srcdoc`).
///
/// Each becomes a `<bgsound>`, which parsers put in the same place as `<link>`, leave without content, and which does
/// nothing in any browser of today. What only looks like one (in a comment, in a script that does not run) is changed
/// as well.
fn without_links(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let begins = |name: &&&str| rest.get(..name.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(name));
        if let Some(name) = REACHING.iter().find(begins) {
            out.push_str("bgsound");
            rest = &rest[name.len()..];
        }
    }
    out.push_str(rest);
    out
}

async fn find(app: &App, ask: AskId, wanted: &PreviewChoice) -> Result<String, Trouble> {
    let shown = AskJson::of(&app.handle.ask(ask).await?);
    let BodyJson::Questions { mut questions } = shown.body else { return Err(nothing_here()) };
    if wanted.question >= questions.len() {
        return Err(nothing_here());
    }
    let mut options = questions.swap_remove(wanted.question).options;
    if wanted.option >= options.len() {
        return Err(nothing_here());
    }
    options.swap_remove(wanted.option).preview.ok_or_else(nothing_here)
}

fn nothing_here() -> Trouble {
    Trouble::new(404, "unknown_address", "there is no such preview, or its address is too old")
}

fn key(secret: &Secret) -> String {
    format!("preview/{}", hex(&secret.hash()))
}

pub(crate) fn preview_doc(op: &mut Operation<'_>) {
    op.is("makePreview", "Asks", "Makes an address at which an option's preview can be shown in a frame.")
        .text("*Callers that may see the ask.* What is served there can run no script and reach no network.")
        .body::<PreviewChoice>(example!({"question": 0, "option": 1}))
        .returns::<Preview>(201, "Made.")
        .refuses(&["unknown_ask", "unknown_address"]);
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("showPreview", "Asks", "Serves an option's preview as a document of its own.")
        .text("The address is enough, for an hour.")
        .open_to_all()
        .streams(200, "text/html", "The preview, under a policy that lets it do nothing.")
        .refuses(&["unknown_address", "unknown_ask", "down"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_is_left_and_nothing_else_is_changed() {
        for (html, shown) in [
            ("<link rel=preconnect href=//x>", "<bgsound rel=preconnect href=//x>"),
            ("a<LiNk/rel='dns-prefetch'>b", "a<bgsound/rel='dns-prefetch'>b"),
            ("<<link\n", "<<bgsound\n"),
            ("<link", "<bgsound"),
            ("<IFrame srcdoc=x><object><embed>", "<bgsound srcdoc=x><bgsound><bgsound>"),
            ("< link> a<b <lin", "< link> a<b <lin"),
            ("<li>link</li> ü<ü", "<li>link</li> ü<ü"),
            ("<style>b{color:red}</style>", "<style>b{color:red}</style>"),
        ] {
            assert_eq!(without_links(html), shown);
        }
    }
}
