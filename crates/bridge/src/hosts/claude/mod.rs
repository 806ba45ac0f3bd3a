//! Claude Code as an agent that we run: its program, its command line, its own record of a conversation.

pub(super) mod argv;
pub(super) mod cli;
pub(super) mod conversation;
pub(super) mod recover;
pub(super) mod transcript;
