//! Claude Code in a person's own terminal, with our hooks in its settings.

mod answering;
mod approving;
mod down;
mod elsewhere;
mod headless;
mod modes;
mod others;
mod overruling;
mod plain;
mod plugin;
mod ran;
mod strangers;
pub(crate) mod terminal;
mod tools;
pub(crate) mod workstation;
