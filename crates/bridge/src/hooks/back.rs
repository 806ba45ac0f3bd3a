//! A hook that lost its server and reconnects: it waits for the same ask as before.

use askbridge_core::ids::AskId;
use askbridge_core::intent::Intent;
use askbridge_peers::doors::hook::{Around, HookEvent, HookEventKind, Mouth};
use askbridge_peers::wish::Rejection;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::handler::{Event, Output, unsay};
use super::hold::{HeldHook, wait_and_answer};
use super::waiting::{WaitingHook, all_waiting, forget_waiting};
use crate::auth::ProcessId;
use crate::server::App;

/// Finds the ask that a hook waited for at an earlier server.
pub(super) async fn left_by(app: &App, event: &Event) -> Result<Option<AskId>, Rejection> {
    let Some(back) = event.waiting(None) else { return Ok(None) };
    let is_it = |waiting: &WaitingHook| match (waiting, &back) {
        (WaitingHook::Here { hook, .. }, WaitingHook::Here { hook: back, .. }) => hook == back,
        (waiting, back) => waiting == back,
    };
    let all = all_waiting(app).await?;
    Ok(all.into_iter().find(|(_, waiting)| is_it(waiting)).map(|(ask, _)| ask))
}

/// How a hook that came back goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoOn {
    WithTheSame,
    Anew,
}

/// Looks at the ask of a hook that came back. One that was stranded meanwhile would be answered by a message: if it is
/// settled, the message is taken back; if it is open, the hook asks anew.
pub(super) async fn go_on(app: &App, ask: AskId) -> Result<GoOn, Rejection> {
    let view = app.handle.ask(ask).await?;
    if !view.stranded {
        return Ok(GoOn::WithTheSame);
    }
    if !view.state.is_open() {
        unsay(app, ask).await?;
        return Ok(GoOn::WithTheSame);
    }
    forget_waiting(app, ask).await;
    let why = "its agent was out of reach for a while, and asks again".to_owned();
    match app.handle.submit(ask.session, vec![Intent::Withdraw { ask, why }]).await {
        Ok(_) => Ok(GoOn::Anew),
        // It was answered at this moment.
        Err(Rejection::Refused(_)) => Ok(GoOn::WithTheSame),
        Err(error) => Err(error),
    }
}

/// Holds a hook for an ask that it made earlier. If the ask was settled meanwhile, the hook prints that.
pub(super) async fn come_back(
    app: &App,
    event: &Event,
    heard: &HookEvent,
    agent: Option<ProcessId>,
    ask: AskId,
    gone: CancellationToken,
) -> Result<Option<Output>, Rejection> {
    let (HookEventKind::Wanted { call, .. } | HookEventKind::Denied { call, .. }) = &heard.what else {
        return Ok(None);
    };
    let view = app.handle.ask(ask).await?;
    let around = Around { mouth: Mouth::of(&view.ask.context), ..Around::default() };
    let (call, waiting) = (call.clone(), event.waiting(agent));
    let (session, caller) = (ask.session, &event.caller);
    let held = HeldHook { heard, call, session, around, agent, waiting, park: None, follows: false, caller };
    info!(ask.id = %ask, "The hook that asked {ask} is back");
    wait_and_answer(app, &held, ask, gone).await
}
