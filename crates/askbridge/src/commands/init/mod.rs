//! `askbridge init` and `askbridge uninstall`: add and remove our entries in other programs' settings, and no others.
//!
//! `program.rs` lists the programs and where each keeps its settings; `entries.rs` is what we write, and how we
//! recognise it; `ourselves.rs` how they call us; `trust.rs` which hooks Codex runs. The editing is in the crate
//! `edits`.

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
pub(crate) use door::{CallMethod, Door, doors};
pub(crate) use ourselves::shell_line;
pub(crate) use program::{Program, Scope};
pub(crate) use trust::Unrun;
pub(crate) use uninstall::{UninstallArgs, uninstall};
