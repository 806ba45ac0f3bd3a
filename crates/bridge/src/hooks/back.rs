//! A hook that lost its server and reconnects: it waits for the same ask as before.

use askbridge_core::ids::AskId;
use askbridge_peers::doors::hook::{Around, HookEvent, HookEventKind, Mouth};
use askbridge_peers::wish::Rejection;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::handler::{Event, Output};
use super::hold::{HeldHook, wait_and_answer};
use super::waiting::all_waiting;
use crate::auth::ProcessId;
use crate::server::App;

/// Finds the ask that a hook waited for at an earlier server.
pub(super) async fn left_by(app: &App, hook: Option<ProcessId>) -> Result<Option<AskId>, Rejection> {
    let Some(hook) = hook else { return Ok(None) };
    let all = all_waiting(app).await?;
    Ok(all.into_iter().find(|(_, waiting)| waiting.hook == hook).map(|(ask, _)| ask))
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
    let (call, hook) = (call.clone(), event.hook);
    let (session, caller) = (ask.session, &event.caller);
    let held = HeldHook { heard, call, session, around, agent, hook, park: None, follows: false, caller };
    info!(ask.id = %ask, "The hook that asked {ask} is back");
    wait_and_answer(app, &held, ask, gone).await
}
