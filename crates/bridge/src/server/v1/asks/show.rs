//! `GET /v1/asks/{id}`: one ask as it is. `?wait=SECONDS` waits until it is settled.

use std::time::Duration;

use askbridge_core::ask::Reach;
use askbridge_core::event::Parcel;
use askbridge_core::ids::AskId;
use askbridge_core::limits;
use askbridge_core::view::AskView;
use askbridge_peers::json::{AskJson, RingJson};
use askbridge_peers::wish::{Rejection, Wish};
use askbridge_ringing::record::Ring;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::sleep;

use super::ask_id;
use super::gone::{held, respond_or_withdraw};
use crate::auth::Caller;
use crate::runtime::{CreatedAsk, Right, after};
use crate::server::app::App;
use crate::server::body::written;
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::proof::Proof;
use crate::server::query::Query;
use crate::server::v1::HTTP;
use crate::server::v1::rings::ring_json;

/// How long the caller is ready to wait.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct WaitQuery {
    /// Seconds to wait for the end of the ask; at most 3600, and what is beyond is cut.
    #[schemars(range(min = 0, max = limits::WAIT_PER_REQUEST_MAX.as_secs()))]
    wait: Option<f64>,
}

impl WaitQuery {
    pub(crate) fn span(&self) -> Result<Duration, Trouble> {
        let span = Duration::try_from_secs_f64(self.wait.unwrap_or(0.0));
        let span = span.map_err(|_| Trouble::new(422, "bad_request", "`wait` is a number of seconds"))?;
        Ok(span.min(limits::WAIT_PER_REQUEST_MAX))
    }
}

/// How long the asker is ready to wait, and what to do if it goes away meanwhile.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct AskerWaitQuery {
    /// Seconds to wait for the end of the ask; at most 3600, and what is beyond is cut.
    #[schemars(range(min = 0, max = limits::WAIT_PER_REQUEST_MAX.as_secs()))]
    wait: Option<f64>,
    /// Withdraw the ask if the connection is lost while this request waits. For askers that do not come back.
    #[serde(default)]
    withdraw_on_disconnect: bool,
}

impl AskerWaitQuery {
    pub(super) fn span(&self) -> Result<Duration, Trouble> {
        WaitQuery { wait: self.wait }.span()
    }

    /// Is the ask withdrawn when the connection is lost? Only with a wait: without one no connection is held.
    pub(super) fn withdraws(&self) -> Result<bool, Trouble> {
        Ok(self.withdraw_on_disconnect && !self.span()?.is_zero())
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Query(waiting): Query<AskerWaitQuery>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    let wait = waiting.span()?;
    app.handle.check(&caller, Right::ReadAsk(ask))?;
    let shown = Shown { ask, asked: None, wait, status: StatusCode::OK };
    if !waiting.withdraws()? {
        return respond(app, &caller, shown).await;
    }
    app.handle.check(&caller, Right::WithdrawOnDisconnect(ask))?;
    held(app, move |app, connection| async move { respond_or_withdraw(app, &caller, shown, connection).await }).await
}

/// An ask that is to be shown, now or when it is settled.
pub(super) struct Shown {
    pub(super) ask: AskId,
    /// If this request made it.
    pub(super) asked: Option<CreatedAsk>,
    pub(super) wait: Duration,
    pub(super) status: StatusCode,
}

/// Waits until the ask is settled or the time is up, and shows it.
pub(super) async fn respond(app: App, caller: &Caller, shown: Shown) -> Result<Response, Trouble> {
    let Shown { ask, asked, wait, status } = shown;
    let view = settled(&app, caller, ask, asked, wait).await?;
    let body = written(&AskJson { rings: rings(&app, caller, ask), ..AskJson::of(&view) });
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    // Only if the agent gets its answers by fetching them; a hosted agent gets them from its host.
    let fetched = view.ask.reach == Reach::Pull && view.ask.asker.party == caller.party;
    let parcels = match fetched {
        true => parcels(&app, &view).await?,
        false => Vec::new(),
    };
    let body = if parcels.is_empty() {
        Body::from(body)
    } else {
        let caller = caller.clone();
        let taken = move || {
            // The asker fetched it, so there was no separate handover.
            for parcel in parcels {
                let took = Wish::Took { parcel, proof: "fetched".to_owned() };
                drop(app.gate().note(&caller, HTTP, took));
            }
        };
        Body::new(Proof::new(body.into(), taken))
    };
    Ok((status, headers, body).into_response())
}

/// Where an ask rang, for those whom it rang for and for this machine.
fn rings(app: &App, caller: &Caller, ask: AskId) -> Vec<RingJson> {
    let is_theirs = |ring: &Ring| app.handle.may(caller, Right::KeepChannelOf(&ring.person));
    let rings = app.ringing().rings.lock().of(ask).into_iter().filter(is_theirs);
    rings.map(|ring| ring_json(ring, false)).collect()
}

/// Returns what the asker receives with this view: the verdict, and a late answer.
async fn parcels(app: &App, view: &AskView) -> Result<Vec<Parcel>, Rejection> {
    let ask = view.ask.id;
    let verdict = (view.verdict.is_some() && view.delivered_at.is_none()).then_some(Parcel::Verdict(ask));
    let mut parcels: Vec<_> = verdict.into_iter().collect();
    if view.late.is_some() {
        parcels.extend(app.handle.messages_about(ask).await?.into_iter().map(Parcel::Message));
    }
    Ok(parcels)
}

/// Each read locks the session. An ask that was open when last read, and was then settled, is not read again.
async fn settled(
    app: &App,
    caller: &Caller,
    ask: AskId,
    asked: Option<CreatedAsk>,
    wait: Duration,
) -> Result<Box<AskView>, Rejection> {
    let (view, end) = match asked {
        Some(CreatedAsk { view, end: Some(end) }) => (view, end),
        Some(CreatedAsk { view, end: None }) => return Ok(view),
        None if wait.is_zero() => return app.handle.ask(ask).await.map(Box::new),
        None => {
            let end = app.handle.end_of(ask);
            (Box::new(app.handle.ask(ask).await?), end)
        }
    };
    if !view.state.is_open() {
        return Ok(view);
    }
    tokio::select! {
        biased;
        () = app.tokens.revoked(caller) => return Err(Rejection::Unauthorized),
        settled = end => {
            if let Some(view) = settled.and_then(|event| after(view, &event)) {
                return Ok(view);
            }
        }
        () = sleep(wait) => {}
        () = app.stop.cancelled() => {}
    }
    app.handle.ask(ask).await.map(Box::new)
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("showAsk", "Asks", "Shows one ask as it is, or waits for its end.")
        .text(
            "*Callers that may see it.* When its asker fetches a settled ask, that is the proof of delivery. `withdraw_on_disconnect` is for those \
             who may withdraw it.",
        )
        .query::<AskerWaitQuery>()
        .returns::<AskJson>(200, "The ask.")
        .refuses(&["unknown_ask", "forbidden"]);
}
