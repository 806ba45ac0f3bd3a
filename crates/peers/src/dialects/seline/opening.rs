//! The body of `POST /api/chat`: a message, or results of calls that the client supplies itself.

use std::collections::BTreeMap;

use serde_json::Value;

use super::answers::supplied;
use super::wire::{Message, Part, Posted};
use crate::peer::Req;
use crate::uuid;

/// A parsed request.
pub(super) struct Opening {
    /// The client's own name for the session. `None`: it wants a new one.
    pub(super) name: Option<String>,
    pub(super) text: Option<String>,
    /// The client's id of the message, if it is a UUID. The original stores only those.
    pub(super) client_id: Option<Box<str>>,
    /// Answers by card id.
    pub(super) results: Vec<(String, BTreeMap<String, String>)>,
}

/// Reads a request. `Err`: a status and the text of the body.
pub(super) fn read(req: &Req<'_>) -> Result<Opening, (u16, &'static str)> {
    let posted: Posted = serde_json::from_slice(req.body).map_err(|_| (400, "Invalid JSON"))?;
    let Some(last) = posted.messages.last() else { return Err((400, "No messages provided")) };
    let named = [req.header("x-session-id").map(str::to_owned), posted.session_id.clone(), posted.id.clone()];
    let name = named.into_iter().flatten().find(|name| !name.trim().is_empty());
    let text = (last.role == "user").then(|| text_of(last)).filter(|text| !text.trim().is_empty());
    let results: Vec<_> = posted.messages.iter().flat_map(|message| &message.parts).filter_map(result).collect();
    if text.is_none() && results.is_empty() && last.role == "user" {
        return Err((400, "No messages provided"));
    }
    let client_id = last.id.as_ref().and_then(Value::as_str).filter(|id| uuid::is_one(id)).map(Into::into);
    Ok(Opening { name, text, client_id, results })
}

fn text_of(message: &Message) -> String {
    let parts = message.parts.iter().filter(|part| part.kind == "text").filter_map(|part| part.text.as_deref());
    let parts: Vec<_> = parts.collect();
    match (parts.is_empty(), &message.content) {
        (true, Some(Value::String(text))) => text.clone(),
        (true, Some(Value::Array(parts))) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => parts.join("\n"),
    }
}

/// A call with a result. Most results came from us; one that belongs to an open ask was supplied by the client.
fn result(part: &Part) -> Option<(String, BTreeMap<String, String>)> {
    let is_call = part.kind.starts_with("tool-") || part.kind == "dynamic-tool";
    let has_output = part.state.as_deref() == Some("output-available");
    let call = part.tool_call_id.clone().filter(|_| is_call && has_output)?;
    Some((call, supplied(&part.output)?))
}
