//! Writes Claude Code's stdin: one JSON object a line and nothing else, because any other line ends the process.

use askbridge_core::ids::{MessageId, SessionId};
use serde::Serialize;
use serde_json::{Value, json};

use super::always::AlwaysAsk;
use super::mcp;
use super::quirks::RAN_HOOK_TIMEOUT_SECS;
use crate::consult::{OccurrenceKind, OccurrenceKinds};
use crate::uuid::{fresh_session, nth_of, of_session};

/// The id of our first request.
pub(super) const INITIALIZE: &str = "askbridge-initialize";

/// The hook before a call, which asks.
const HOOK: &str = "askbridge-ask";

/// The hook after a call, which reports the input that it ran with.
const RAN_HOOK: &str = "askbridge-ran";

/// The hook of everything else that advisers look at.
const ADVISED_HOOK: &str = "askbridge-advised";

/// The events that are registered only for advisers.
const ADVISED: [(OccurrenceKind, &str); 6] = [
    (OccurrenceKind::SessionBegan, "SessionStart"),
    (OccurrenceKind::Prompted, "UserPromptSubmit"),
    (OccurrenceKind::TurnEnded, "Stop"),
    (OccurrenceKind::Compacting, "PreCompact"),
    (OccurrenceKind::Denied, "PermissionDenied"),
    (OccurrenceKind::SessionEnded, "SessionEnd"),
];

/// Registers the hooks, and the MCP server of the tool that subagents ask with. `consulted`: what the advisers look at.
pub(super) fn initialize(with_tool: bool, always: &AlwaysAsk, consulted: OccurrenceKinds, timeout_secs: u64) -> String {
    let matcher = if consulted.has(OccurrenceKind::Calling) { "*".to_owned() } else { always.matcher() };
    let hook = json!({"matcher": matcher, "hookCallbackIds": [HOOK], "timeout": timeout_secs});
    let ran = json!([{"matcher": "*", "hookCallbackIds": [RAN_HOOK], "timeout": RAN_HOOK_TIMEOUT_SECS}]);
    let mut hooks = json!({"PreToolUse": [hook], "PostToolUse": ran, "PostToolUseFailure": ran});
    let advised = json!([{"hookCallbackIds": [ADVISED_HOOK], "timeout": timeout_secs}]);
    for (kind, event) in ADVISED {
        if consulted.has(kind) {
            hooks[event] = advised.clone();
        }
    }
    let mut request = json!({"subtype": "initialize", "hooks": hooks});
    if with_tool {
        request["sdkMcpServers"] = json!([mcp::SERVER]);
    }
    self::request(INITIALIZE, &request)
}

/// A request of ours.
pub(super) fn request(id: &str, request: &Value) -> String {
    json!({"type": "control_request", "request_id": id, "request": request}).to_string()
}

/// The response to a request of Claude Code's. A repeated response is ignored.
pub(super) fn response(to: &str, response: impl Serialize) -> String {
    let response = Success { request_id: to, response, subtype: "success" };
    // Most fit; growing from empty would copy them several times. The pipe adds the line end.
    let mut line = Vec::with_capacity(1024);
    let response = Response { response, kind: "control_response" };
    serde_json::to_writer(&mut line, &response).expect("what we answer has text keys");
    String::from_utf8(line).expect("JSON is text")
}

#[derive(Serialize)]
struct Response<'a, T> {
    response: Success<'a, T>,
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
struct Success<'a, T> {
    request_id: &'a str,
    response: T,
    subtype: &'static str,
}

/// Responds that we do not know this request.
pub(super) fn refusal(to: &str, why: &str) -> String {
    json!({"type": "control_response", "response": {"subtype": "error", "request_id": to, "error": why}}).to_string()
}

/// A person's message. A repeated uuid is ignored, so a message can be written again after a restart.
pub(super) fn user(uuid: &str, text: &str) -> String {
    let line = json!({
        "type": "user",
        "message": {"role": "user", "content": text},
        "parent_tool_use_id": null,
        "session_id": "",
        "uuid": uuid,
    });
    line.to_string()
}

/// The name under which Claude Code keeps this session: our id as a UUID of version 4, the only kind that it takes.
pub fn session_uuid(session: SessionId) -> String {
    of_session(fresh_session(session.0))
}

pub(super) fn message_uuid(message: MessageId) -> String {
    session_uuid(nth_of(message.session, message.number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_uuids_of_version_4_and_differ() {
        let session = SessionId(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        assert_eq!(session_uuid(session), "01234567-89ab-4def-8123-456789abcdef");
        let message = |number| message_uuid(MessageId { session, number });
        assert_ne!(message(1), message(2));
        assert_eq!(message(7).as_bytes()[14], b'4');
        assert!(b"89ab".contains(&message(7).as_bytes()[19]));
    }
}
