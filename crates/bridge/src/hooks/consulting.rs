//! Asks the advisers about an event of a hook, and records what they decide about a call.

use askbridge_core::event::{CallMade, ToolRuling};
use askbridge_core::ids::{CallId, Epoch, Raw};
use askbridge_core::limits::CONTENT_BYTES_MAX;
use askbridge_peers::consult::{Consultation, Consulted};
use askbridge_peers::doors::hook::{HookEvent, NAME, ToolCall, advice};
use askbridge_peers::wish::Rejection;
use serde_json::json;

use super::sessions::{Current, current, started};
use crate::auth::Caller;
use crate::consult::consult;
use crate::runtime::down;
use crate::server::App;

/// What the advisers say about an event. The session need not exist for that.
pub(super) async fn consulted(app: &App, caller: &Caller, heard: &HookEvent) -> Result<Consulted, Rejection> {
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
    for event in called.into_iter().chain(ruled) {
        app.handle.record(session, None, Epoch(0), event).await.map_err(down)?;
    }
    Ok(())
}
