//! Turns a call into an ask, with the context that a person needs to decide from a phone.

use askbridge_core::ask::{Body, Context, Reach};
use askbridge_core::ids::{CallId, Key, Raw, SessionId};
use askbridge_core::terms::Wishes;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::NAME;
use super::hear::{HookEvent, HookEventKind, ToolCall};
use super::mouth::{FIELD, Mouth};
use crate::tools::approval::{self, Beside};
use crate::tools::held;
use crate::wish::AskWish;

/// What was found around the agent, outside the event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Around {
    /// The agent's last text.
    pub text: Option<String>,
    pub title: Option<String>,
    pub branch: Option<String>,
    /// Who else the agent asks at the same time.
    pub mouth: Mouth,
}

/// Makes a wish of a call. The error says why no person could decide about it.
pub fn wish(
    heard: &HookEvent,
    call: &ToolCall,
    session: SessionId,
    around: &Around,
    reach: Reach,
) -> Result<AskWish, Option<String>> {
    let input = RawValue::from_string(call.input.as_str().to_owned()).map_err(|_| None)?;
    let body = match held::held(&call.tool, Some(&input)) {
        Err(None) => approval(heard, call, &input).map(Body::Approval).map_err(Some)?,
        held => held?,
    };
    Ok(AskWish {
        door: NAME,
        session: Some(session),
        agent: Some(heard.agent.name().to_owned()),
        wishes: Wishes::default(),
        reach,
        call: call.id.as_deref().map(CallId::from),
        made: None,
        context: Context {
            text: around.text.clone(),
            title: around.title.clone(),
            folder: heard.folder.clone(),
            branch: around.branch.clone(),
            more: more(heard, around.mouth, &body),
        },
        body,
        // A call is one ask, however often it comes. Calls without an id cannot be told apart.
        key: call.id.as_deref().map(Key::from),
        original: Some(call.input.clone()),
    })
}

fn approval(heard: &HookEvent, call: &ToolCall, input: &RawValue) -> Result<askbridge_core::ask::Approval, String> {
    let suggestions = match &heard.what {
        HookEventKind::Wanted { suggestions: Some(suggestions), .. } => {
            RawValue::from_string(suggestions.as_str().to_owned()).ok()
        }
        _ => None,
    };
    let parsed: Value = serde_json::from_str(input.get()).unwrap_or_default();
    let beside =
        Beside { named: parsed["description"].as_str(), reason: Vec::new(), suggestions: suggestions.as_deref() };
    approval::of(&call.tool, Some(input), &beside)
}

/// A subagent's call does not end with the turn that the person sees.
const IN_SUBAGENT: &str = "in_subagent";

pub(super) fn more(heard: &HookEvent, mouth: Mouth, body: &Body) -> Option<Raw> {
    let shown = approval::shown(body).and_then(|shown| serde_json::from_str::<Map<String, Value>>(shown.as_str()).ok());
    let mut more = shown.unwrap_or_default();
    if heard.in_subagent {
        more.insert(IN_SUBAGENT.to_owned(), json!(true));
    }
    if let Some(mouth) = mouth.written() {
        more.insert(FIELD.to_owned(), json!(mouth));
    }
    (!more.is_empty()).then(|| Raw::from(Value::Object(more).to_string()))
}

/// Whether a subagent asked this.
pub(super) fn is_of_subagent(context: &Context) -> bool {
    let more = context.more.as_ref().and_then(|more| serde_json::from_str::<Value>(more.as_str()).ok());
    more.is_some_and(|more| more[IN_SUBAGENT] == true)
}
