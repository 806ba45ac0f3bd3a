//! Rule files: texts in, rules of the core out, each with its file and line.
//!
//! [`read`] turns the text of a `rules.toml` into [`askbridge_core::rules::asks`] values, or into [`Problem`]s with line,
//! column and hint; [`read_project`] does so for the file of a project, which only tightens. `tools` compiles Claude's own `Tool(spec)` strings, `shell` finds the commands in a shell's input,
//! [`JsonCall`] is a call with JSON for an input. Nothing here opens a file, looks at a clock or decides.

mod call;
mod exactly;
mod examples;
mod file;
mod keys;
mod nearest;
mod project;
mod remember;
mod risk;
mod rule;
mod shell;
mod spans;
mod tools;

pub use call::JsonCall;
pub use exactly::{digest_questions, until};
pub use examples::{Example, ExampleAsk, Outcome};
pub use file::{Loaded, Problem, read};
pub use keys::{ACTIONS, KEYS, TERMS};
pub use project::{PROJECT_FILE, ProjectLoaded, read_project};
pub use remember::{NotRemembered, Reach, Remembered, RememberedChoice, remember};
pub use tools::{ToolSpecs, Yes};
