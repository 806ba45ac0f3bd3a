//! The input of hooks, with the field names of the agents.

use serde::Deserialize;
use serde_json::value::RawValue;

/// One event. Its fields depend on its kind; unlisted ones are ignored.
#[derive(Deserialize)]
pub(super) struct Input<'a> {
    pub(super) hook_event_name: String,
    pub(super) session_id: String,
    /// Only Codex has one.
    pub(super) turn_id: Option<String>,
    pub(super) transcript_path: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) permission_mode: Option<String>,
    /// Only in events of a subagent.
    pub(super) agent_id: Option<String>,
    pub(super) tool_name: Option<String>,
    /// Not in `PermissionRequest`.
    pub(super) tool_use_id: Option<String>,
    #[serde(borrow)]
    pub(super) tool_input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_response: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) permission_suggestions: Option<&'a RawValue>,
    pub(super) message: Option<String>,
    pub(super) notification_type: Option<String>,
    pub(super) reason: Option<String>,
    /// Of a person.
    pub(super) prompt: Option<String>,
    /// Why a session begins.
    pub(super) source: Option<String>,
    /// Who wants to compact.
    pub(super) trigger: Option<String>,
    #[serde(default)]
    pub(super) stop_hook_active: bool,
    /// Our own hook has left long parts of the input out.
    #[serde(default)]
    pub(super) askbridge_cut: bool,
}
