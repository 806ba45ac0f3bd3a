//! Makes the ask for a tap.

use std::time::Duration;

use askbridge_core::ask::{Approval, Asker, Body, Context, Reach};
use askbridge_core::event::{Audience, Event, Settings};
use askbridge_core::ids::{AskId, PartyId, PersonId, Raw, SessionId, Timestamp};
use askbridge_core::intent::{Intent, NewAsk, Start};
use askbridge_core::limits;
use askbridge_core::terms::{OnDismissal, OnExpiry, OtherTools, Terms, Warm, WhileOpen};
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_peers::doors::http;
use askbridge_peers::wish::Rejection;
use tracing::{info, warn};

use super::request::{Purpose, TapRequest};
use super::table::{Key, Tap, is_proven};
use super::watch::{StoredTap, place, watch};
use super::words::words;
use crate::auth::{Caller, ProcessId, connect_code};
use crate::runtime::down;
use crate::server::app::App;
use crate::server::problem::Trouble;

/// The asker's name that people read.
const NAME: &str = "askbridge";

/// How long after `goes_on_at` a tap expires, in case no server is left that knows of it.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(60);

/// Returns the open tap for this, or requests one. `None`: one has ended meanwhile; check again.
pub(super) async fn open(app: &App, key: &Key, request: &TapRequest) -> Result<Option<Tap>, Trouble> {
    let _one_at_a_time = app.taps.opening.lock().await;
    if let Some(tap) = app.taps.is_open(key) {
        return Ok(Some(tap));
    }
    if app.taps.has_ended(key) || is_proven(app, request) {
        return Ok(None);
    }
    let people = request.people(app);
    if people.is_empty() && !request.devices_may_be_lost {
        let why = "no device is paired any more that could agree to this; sign in at the machine itself (over ssh, at its \
                   console) and run `askbridge pair` there";
        return Err(Trouble::new(403, "no_device_left", why));
    }
    let now = app.handle.clock.now();
    app.taps.make_room(&request.purpose, now)?;
    let goes_on_at = request.devices_may_be_lost.then(|| now.plus(limits::LOST_DEVICES_WAIT));
    let is_a_machine = matches!(request.purpose, Purpose::Connect { .. });
    let code = is_a_machine.then(|| connect_code(&app.handle.chance));
    let ask = ask(app, request, &people, goes_on_at, code.as_deref(), now).await?;
    let kept = StoredTap {
        by: key.0.clone(),
        purpose: key.1.clone(),
        process: request.process().map(ProcessId::written),
        leader: request.origin.as_ref().and_then(|origin| origin.leader).map(ProcessId::written),
        devices: devices(app, &people),
        goes_on_at: goes_on_at.map(|at| at.0),
        code,
    };
    let value = serde_json::to_vec(&kept).expect("what is kept of a tap has text keys");
    let until = Some(now.plus(limits::TAP_WAIT + limits::TAP_LIFE));
    let put = app.handle.store.own().put(&place(ask), &value, Expect::Any, until, now).await;
    if let Err(error) = put {
        take_back(app, ask).await;
        return Err(Trouble::from(down(error)));
    }
    info!(ask.id = %ask, "Asked for a tap");
    Ok(Some(watch(app, ask, kept)))
}

async fn ask(
    app: &App,
    request: &TapRequest,
    people: &[PersonId],
    goes_on_at: Option<Timestamp>,
    code: Option<&str>,
    now: Timestamp,
) -> Result<AskId, Rejection> {
    let words = words(request, goes_on_at, code);
    let session = SessionId(app.handle.chance.u128());
    let party = PartyId::from(Caller::OURSELVES);
    let start = Start {
        door: http::NAME.to_owned(),
        agent: NAME.to_owned(),
        owner: party.clone(),
        audience: Audience::Only(people.to_vec()),
        settings: Settings { title: Some(words.title.clone()), ..Settings::default() },
        continues: None,
        host: None,
    };
    let approval = Approval {
        tool: NAME.to_owned(),
        input: Raw::from(words.input.to_string()),
        summary: Some(words.title),
        reason: Some(words.reason),
        rules: Vec::new(),
        overrule: false,
    };
    let new = NewAsk {
        body: Body::Approval(approval),
        terms: terms(goes_on_at, now),
        reach: Reach::Pull,
        asker: Asker { door: http::NAME.to_owned(), agent: NAME.to_owned(), party, machine: None },
        call: None,
        made: None,
        context: Context::default(),
        key: None,
        stated: None,
        original: None,
        ruling: None,
    };
    // Submitted directly, past the rules that people make for agents: none of them may give a tap.
    let done = app.handle.submit(session, vec![Intent::Start(Box::new(start)), Intent::Ask(Box::new(new))]).await?;
    let asked = done.events.iter().find_map(|written| match &*written.event {
        Event::Asked(ask) => Some(ask.id),
        _ => None,
    });
    asked.ok_or_else(|| Rejection::Down("the tap was not recorded".to_owned()))
}

/// Withdraws a tap that could not be stored: after a restart, no server would know what it is for.
async fn take_back(app: &App, ask: AskId) {
    let why = "it could not be written down what this was for".to_owned();
    let over = vec![Intent::Withdraw { ask, why: why.clone() }, Intent::Close { why }];
    if let Err(error) = app.handle.submit(ask.session, over).await {
        warn!(ask.id = %ask, %error, "Could not take back a tap");
    }
}

/// Without an answer it is denied. If the process may go on without it, the server withdraws it at that time.
fn terms(goes_on_at: Option<Timestamp>, now: Timestamp) -> Terms {
    Terms {
        deadline: Some(goes_on_at.map_or_else(|| now.plus(limits::TAP_WAIT), |at| at.plus(GIVEN_UP_AFTER))),
        on_expiry: OnExpiry::Tell,
        on_dismissal: OnDismissal::Tell,
        warm: Warm::Hold,
        undo: Duration::ZERO,
        messages: WhileOpen::Refuse,
        parallel: true,
        other_tools: OtherTools::Ask,
        quorum: 1,
    }
}

/// Names the devices of these people.
fn devices(app: &App, people: &[PersonId]) -> String {
    let tokens = app.tokens.list();
    let theirs =
        tokens.iter().filter(|info| info.role.decides() && people.iter().any(|person| *person.0 == *info.name));
    let mut names: Vec<_> = theirs.map(|info| format!("{} of {}", info.device, info.name)).collect();
    names.dedup();
    if names.is_empty() { "none is left".to_owned() } else { names.join(", ") }
}
