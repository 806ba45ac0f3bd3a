//! gobby's rule files, of both generations, read and evaluated.
//!
//! [`Workflows::load`] takes the texts of files and returns what they define, with [`Finding`]s for what is wrong, inactive
//! or without effect here. [`Workflows::on`] takes an [`Event`] of a session, changes its [`SessionState`] and returns an
//! [`Outcome`]. Nothing here opens a file, looks at a clock, runs a command or decides: the caller does.
//!
//! `yaml` reads files as PyYAML does, `condition` evaluates the part of Python that `when` understands, `template` renders
//! reasons, `file` turns nodes into definitions, `engine` evaluates events. Every limit is in `limits`.
//!
//! ```
//! use askbridge_workflows::{Event, Hook, SessionFacts, SessionState, ToolCall, Workflows};
//!
//! let rule = "
//! rules:
//!   no-push:
//!     event: before_tool
//!     enabled: true
//!     effects: [{type: block, tools: [Bash], command_pattern: 'git\\s+push', reason: 'Let {{ project.name }} be.'}]
//! ";
//! let (workflows, findings) = Workflows::load([("no-push.yaml", rule)].into_iter());
//! assert_eq!(findings, []);
//! let call = ToolCall::new("Bash", serde_json::json!({"command": "git push"}));
//! let facts = SessionFacts { project: Some("shop".to_owned()), ..SessionFacts::default() };
//! let outcome = workflows.on(&mut SessionState::default(), &Event::new(Hook::PreToolUse(call), "claude", facts));
//! assert_eq!(outcome.block.expect("the rule blocks").reason, "Let shop be.");
//! ```

mod condition;
mod dirty;
mod engine;
mod event;
mod file;
mod finding;
mod functions;
pub mod limits;
mod outcome;
mod pattern;
mod report;
mod state;
mod template;
mod value;
mod yaml;

pub mod fuzzed;

pub use engine::{NotActivated, Workflows};
pub use event::{DirtyFiles, Event, Hook, SessionFacts, StartSource, ToolCall};
pub use finding::{Finding, FindingKind};
pub use outcome::{Block, Did, Observation, Outcome, Permission, PermissionDecision, RewrittenInput, Trace};
pub use report::{FileKind, FileReport, Report, RuleReport, RuleStatus, Totals};
pub use state::{ActiveWorkflow, PendingApproval, SessionState};
