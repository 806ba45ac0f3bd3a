//! Settings: one typed structure, filled from a file, the environment and flags, each value with where it came from.
//!
//! `settings` is the structure; the file, the variables, the flags, `config show` and the reference are derived from
//! it. The caller passes in the environment and the path of the file: nothing here searches for them.
//! [`Config::resolve`] applies the precedence, `kind` has the types of values, [`spans`] how durations are written. Why
//! not a library: `docs/design/0006-settings.md`.

mod collector;
mod file;
mod flags;
mod kind;
mod reference;
mod resolve;
mod rules;
mod settings;
pub mod spans;
mod table;
mod texts;

pub use collector::Collector;
pub use flags::{Flags, ForEveryone, ForServer};
pub use kind::{AcmeChallenge, Form, HERE, LogFormat, bytes, items};
pub use reference::page as reference;
pub use resolve::{Config, Problem, SettingSources};
pub use rules::Ruled;
pub use settings::{
    Acme, Agents, Dialects, Hooks, Limits, Log, Mcp, Nats, Node, Notify, Otel, Outbound, Settings, Terms, Tls, Top,
};
pub use table::{Key, Machine, Setting, Shown, Source, Whose, misspelt};
