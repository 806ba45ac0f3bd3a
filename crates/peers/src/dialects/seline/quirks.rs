//! What Seline's server and its client do that one would not expect, each with what we make of it. As of March 2026.

use std::time::Duration;

/// How long a question waits: the timeout of the original's hook.
pub(super) const WAIT: Duration = Duration::from_secs(300);

/// Its server gives up on a tool's result after this long, and says that the result passed by.
pub(super) const RESULT_WAIT: Duration = Duration::from_secs(300);

/// Except for tools that may take as long as they like.
pub(super) const ENDLESS: &[&str] = &["Task", "Agent", "TaskCreate", "TaskGet", "TaskUpdate", "TaskList"];

/// How long the stream may be silent before a comment keeps it open.
pub(super) const SILENCE: Duration = Duration::from_secs(30);

/// That the agent heard a message is noted in passing, and may be told a little after what it made of it.
pub(super) const AFTERTHOUGHT: Duration = Duration::from_millis(400);

/// The names under which its client draws a card. Whatever else is asked is drawn as the first.
pub(super) const QUESTION_TOOL: &str = "AskUserQuestion";
pub(super) const PLAN_TOOL: &str = "ExitPlanMode";

/// What a plan's card sends.
pub(super) const APPROVE: &str = "Approve & Continue";
pub(super) const SEND_BACK: &str = "Reject / Edit";

/// How far its client unwraps JSON inside of strings.
pub(super) const NESTED_MAX: usize = 3;

/// Calls whose arguments are longer than this are drawn without them by the original.
pub(super) const PIECE_BYTES: usize = 1024;
