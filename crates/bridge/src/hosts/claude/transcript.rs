//! Claude Code's own transcript of a conversation: whether there is one, and what it says.

use std::path::PathBuf;
use std::{fs, io};

use crate::hosts::options::HostOptions;
use crate::regular;

/// Finds the transcript of the conversation with that name. Without one there is nothing to resume.
pub(super) fn find(options: &HostOptions, uuid: &str) -> Option<PathBuf> {
    let config = match options.variable("CLAUDE_CONFIG_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(options.variable("HOME")?).join(".claude"),
    };
    let file = format!("{uuid}.jsonl");
    let projects = fs::read_dir(config.join("projects")).ok()?;
    projects.filter_map(|project| Some(project.ok()?.path().join(&file))).find(|path| path.is_file())
}

/// Bytes at the end of a transcript in which a call that was just deferred is found.
const END_BYTES: u64 = 1024 * 1024;

/// Has Claude Code written that this call was deferred?
pub(super) fn has_deferred(options: &HostOptions, uuid: &str, call: &str) -> bool {
    let read = || -> io::Result<String> {
        let path = find(options, uuid).ok_or(io::ErrorKind::NotFound)?;
        let (_, end) = regular::read_end(&path, END_BYTES)?;
        Ok(String::from_utf8_lossy(&end).into_owned())
    };
    let is_it = |line: &str| line.contains("hook_deferred_tool") && line.contains(call);
    read().is_ok_and(|end| end.lines().any(is_it))
}
