//! Claude Code's own record of a conversation: whether there is one.

use std::fs;
use std::path::PathBuf;

use super::options::HostOptions;

/// Finds the record of the conversation with that name. Without one there is nothing to resume.
pub(super) fn find(options: &HostOptions, uuid: &str) -> Option<PathBuf> {
    let config = match options.variable("CLAUDE_CONFIG_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(options.variable("HOME")?).join(".claude"),
    };
    let file = format!("{uuid}.jsonl");
    let projects = fs::read_dir(config.join("projects")).ok()?;
    projects.filter_map(|project| Some(project.ok()?.path().join(&file))).find(|path| path.is_file())
}
