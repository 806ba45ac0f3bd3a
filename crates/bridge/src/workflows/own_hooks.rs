//! Whether gobby's own hooks are installed for a session: then gobby's daemon applies its rules, and ours would be the second to
//! do so.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::regular::read_short;

/// Bytes of a settings file that is searched. A larger one counts as without gobby's hooks.
const SETTINGS_BYTES_MAX: u64 = 1024 * 1024;

/// The sources that a session takes settings from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Sources {
    pub(super) user: bool,
    pub(super) project: bool,
    pub(super) local: bool,
}

impl Sources {
    pub(super) const ALL: Self = Self { user: true, project: true, local: true };

    /// Of a hosted session: those that it names, or all.
    pub(super) fn named(sources: Option<&[String]>) -> Self {
        let Some(named) = sources else { return Self::ALL };
        let has = |source: &str| named.iter().any(|it| it == source);
        Self { user: has("user"), project: has("project"), local: has("local") }
    }
}

/// Are gobby's own hooks in one of the settings files that Claude Code reads in this folder?
pub(super) fn are_installed(folder: Option<&Path>, home: Option<&Path>, sources: Sources) -> bool {
    let mut files: Vec<PathBuf> = Vec::new();
    if let Some(home) = home.filter(|_| sources.user) {
        files.push(home.join(".claude/settings.json"));
    }
    if let Some(folder) = folder {
        let named = [("settings.json", sources.project), ("settings.local.json", sources.local)];
        files.extend(named.iter().filter(|(_, reads)| *reads).map(|(name, _)| folder.join(".claude").join(name)));
    }
    files.iter().any(|file| read_short(file, SETTINGS_BYTES_MAX).is_ok_and(|text| names_gobby(&text)))
}

fn names_gobby(settings: &str) -> bool {
    let Ok(settings) = serde_json::from_str::<Value>(settings) else { return false };
    if settings["disableAllHooks"] == true {
        return false;
    }
    let events = settings["hooks"].as_object().into_iter().flat_map(|hooks| hooks.values());
    let groups = events.filter_map(Value::as_array).flatten();
    let hooks = groups.filter_map(|group| group["hooks"].as_array()).flatten();
    hooks.filter_map(|hook| hook["command"].as_str()).any(is_gobbys)
}

/// gobby 0.2 installs `…/hook_dispatcher.py --type=…`, later ones `ghook --gobby-owned …`.
fn is_gobbys(command: &str) -> bool {
    command.contains("--gobby-owned") || (command.contains("hook_dispatcher.py") && command.contains("--type"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn settings(command: &str) -> String {
        json!({"hooks": {"PreToolUse": [{"matcher": "", "hooks": [{"type": "command", "command": command}]}]}})
            .to_string()
    }

    #[test]
    fn gobbys_hooks_are_known_by_their_commands() {
        let old = "uv run python \"/home/a/shop/.claude/hooks/hook_dispatcher.py\" --type=PreToolUse";
        assert!(names_gobby(&settings(old)));
        assert!(names_gobby(&settings("/home/a/.gobby/bin/ghook --gobby-owned --cli=claude --type=PreToolUse")));
        assert!(!names_gobby(&settings("askbridge hook")) && !names_gobby("{") && !names_gobby("{}"));
        let off = json!({"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [{"command": old}]}]}});
        assert!(!names_gobby(&off.to_string()));
    }

    #[test]
    fn only_the_settings_that_the_session_reads_count() {
        let scratch = tempfile::tempdir().unwrap();
        let (home, work) = (scratch.path().join("home"), scratch.path().join("work"));
        fs::create_dir_all(home.join(".claude")).unwrap();
        fs::create_dir_all(work.join(".claude")).unwrap();
        let installed = |sources| are_installed(Some(&work), Some(&home), sources);
        assert!(!installed(Sources::ALL));
        fs::write(home.join(".claude/settings.json"), settings("ghook --gobby-owned --cli=claude")).unwrap();
        assert!(installed(Sources::ALL));
        let project = Sources::named(Some(&["project".to_owned()]));
        assert!(!installed(project));
        fs::write(work.join(".claude/settings.json"), settings("ghook --gobby-owned --cli=claude")).unwrap();
        assert!(installed(project));
    }
}
