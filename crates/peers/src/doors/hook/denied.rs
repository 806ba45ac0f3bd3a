//! A call that the agent's own classifier denied: asks a person whether to overrule that.
//!
//! The hook of the denial can only let the agent try again, and that alone is denied again. So an overrule is recorded in
//! the session, and the hook before the next call allows that very call, once.

use askbridge_core::ask::{Body, Context, Reach};
use askbridge_core::ids::{CallId, Key, SessionId};
use askbridge_core::terms::Wishes;
use serde_json::json;
use serde_json::value::RawValue;

use super::NAME;
use super::asking::{Around, more};
use super::hear::{HookEvent, ToolCall};
use crate::tools::{approval, asked_about};
use crate::wish::AskWish;

/// Makes a wish of a denial. The error says why no person could decide about it.
pub fn denied_wish(
    heard: &HookEvent,
    call: &ToolCall,
    why: &str,
    session: SessionId,
    around: &Around,
) -> Result<AskWish, String> {
    let input = RawValue::from_string(call.input.as_str().to_owned()).map_err(|error| error.to_string())?;
    let body = Body::Approval(approval::denied(&call.tool, Some(&input), why)?);
    Ok(AskWish {
        door: NAME,
        session: Some(session),
        agent: Some(heard.agent.name().to_owned()),
        wishes: Wishes::default(),
        reach: Reach::Held,
        call: call.id.as_deref().map(|call| CallId::from(asked_about(call))),
        made: None,
        context: Context {
            text: around.text.clone(),
            title: around.title.clone(),
            folder: heard.folder.clone(),
            branch: around.branch.clone(),
            more: more(heard, around.mouth, &body),
        },
        body,
        key: call.id.as_deref().map(|call| Key::from(asked_about(call))),
        original: Some(call.input.clone()),
    })
}

/// Tells the agent that it may make the denied call again.
pub fn may_retry() -> String {
    json!({"hookSpecificOutput": {"hookEventName": "PermissionDenied", "retry": true}}).to_string()
}
