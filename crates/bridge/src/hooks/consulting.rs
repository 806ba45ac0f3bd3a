//! Asks the advisers about an event of a hook, and records what they decide about a call.

use std::collections::VecDeque;

use askbridge_core::event::{CallMade, CallResult, ToolRuling};
use askbridge_core::ids::{CallId, Epoch, Raw};
use askbridge_core::limits::{CONTENT_BYTES_MAX, HOOK_NOTES_MAX};
use askbridge_peers::consult::{Consultation, Consulted};
use askbridge_peers::doors::hook::{HookEvent, NAME, ToolCall, advice};
use askbridge_peers::wish::Rejection;
use parking_lot::Mutex;
use serde_json::json;

use super::sessions::{Current, current, started};
use crate::auth::Caller;
use crate::consult::consult;
use crate::runtime::down;
use crate::server::App;

/// What the advisers say about an event. The session need not exist for that. `is_here`: it came over the local socket.
pub(super) async fn consulted(
    app: &App,
    caller: &Caller,
    heard: &HookEvent,
    is_here: bool,
) -> Result<Consulted, Rejection> {
    let Some(what) = advice::occurrence(heard) else { return Ok(Consulted::default()) };
    let Current { id, exists } = current(&app.handle, &caller.party, heard).await?;
    let settings = match exists {
        true => Some(app.handle.look(id, |state| state.session.settings.clone()).await?),
        false => None,
    };
    let mut about = Consultation {
        id: advice::moment(&what),
        session: id,
        door: NAME,
        agent: Some(heard.agent.name().to_owned()),
        title: settings.as_ref().and_then(|settings| settings.title.clone()),
        folder: heard.folder.clone(),
        is_here,
        branch: settings.as_ref().and_then(|settings| settings.branch.clone()),
        mode: heard.mode.clone(),
        in_subagent: heard.in_subagent,
        is_cut: heard.is_cut,
        what,
    };
    advice::cut(&mut about);
    consult(&app.handle, &about).await
}

/// Records a call that a rule decided about, and the ruling. In a terminal no other calls are recorded.
pub(super) async fn record_ruling(
    app: &App,
    caller: &Caller,
    heard: &HookEvent,
    call: &ToolCall,
    said: &Consulted,
) -> Result<(), Rejection> {
    let Some(advice) = &said.ruling else { return Ok(()) };
    let session = started(app, caller, heard, &Default::default()).await?;
    let id = call.id.clone().unwrap_or_else(|| format!("unnamed/{:x}", app.handle.chance().u128()));
    let bytes = call.input.as_str().len();
    let input = match bytes <= CONTENT_BYTES_MAX {
        true => call.input.clone(),
        false => {
            let what = format!("an input of {bytes} bytes, too large to be kept");
            Raw::from(json!({"askbridge": what}).to_string())
        }
    };
    let made = CallMade { name: call.tool.clone(), input, within: None, ruled: Some(advice.recorded()) };
    let (called, ruled) = made.events(CallId::from(id.as_str()), None);
    // A call that goes to a person is shown by its card.
    let called = Some(called).filter(|_| advice.ruling != ToolRuling::Ask);
    let returned = match advice.ruling {
        ToolRuling::Deny => {
            let (call, output) = (CallId::from(id.as_str()), advice.said());
            Some(CallResult { call, ok: false, output }.event())
        }
        ToolRuling::Allow => {
            app.hooks.allowed.keep(&id);
            None
        }
        ToolRuling::Ask => None,
    };
    for event in called.into_iter().chain(ruled).chain(returned) {
        app.handle.record(session, None, Epoch(0), event).await.map_err(down)?;
    }
    Ok(())
}

/// Records that a call has run which a rule allowed. What it returned stays in the terminal.
pub(super) async fn record_result(
    app: &App,
    caller: &Caller,
    heard: &HookEvent,
    call: &ToolCall,
    failed: bool,
) -> Result<(), Rejection> {
    let Some(id) = call.id.as_deref().filter(|id| app.hooks.allowed.take(id)) else { return Ok(()) };
    let session = started(app, caller, heard, &Default::default()).await?;
    let returned = CallResult { call: CallId::from(id), ok: !failed, output: String::new() };
    app.handle.record(session, None, Epoch(0), returned.event()).await.map_err(down)
}

/// The calls that a rule has allowed, and that have not ended yet. Oldest first.
#[derive(Debug, Default)]
pub(super) struct AllowedCalls(Mutex<VecDeque<String>>);

impl AllowedCalls {
    fn keep(&self, call: &str) {
        let mut calls = self.0.lock();
        if calls.len() >= HOOK_NOTES_MAX {
            calls.pop_front();
        }
        calls.push_back(call.to_owned());
    }

    fn take(&self, call: &str) -> bool {
        let mut calls = self.0.lock();
        let place = calls.iter().position(|known| known == call);
        place.and_then(|place| calls.remove(place)).is_some()
    }
}
