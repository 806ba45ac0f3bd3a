//! `askbridge init` and `askbridge uninstall`: other programs' settings, and nothing in them but what is ours.
//!
//! `program.rs` lists the programs and where each keeps its settings; `entries.rs` is what we write, and how we know it
//! again; `ourselves.rs` how they are to call us; `trust.rs` what Codex runs of it. The careful part is the crate `edits`.

mod args;
mod door;
mod entries;
mod list;
mod ourselves;
mod program;
mod report;
mod trust;
mod uninstall;

pub(crate) use args::{Args, run};
pub(crate) use door::{Door, Way, doors};
pub(crate) use ourselves::shell_line;
pub(crate) use program::{Program, Scope};
pub(crate) use trust::Unrun;
pub(crate) use uninstall::{UninstallArgs, uninstall};
