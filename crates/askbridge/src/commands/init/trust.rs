//! Which hooks Codex runs: those that the person trusted, in Codex itself, which stores that in their own settings.
//!
//! Seen in Codex 0.166: `[hooks.state."<file>:<event>:<group>:<handler>"]` has a `trusted_hash` once a hook was
//! trusted, and `enabled = false` if it was turned off afterwards. Codex asks again about a hook that was changed
//! since; only Codex can tell.

use std::fs;
use std::path::Path;

use askbridge_edits::{Format, Node, read};

use super::entries::is_our_hook;

/// Why Codex does not run a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unrun {
    Untrusted,
    Off,
}

/// Finds our hooks in a settings file of Codex that it does not run. `own`: the person's settings, which store that.
pub(super) fn unrun(file: &Path, settings: &Node, own: &Path) -> Vec<(String, Unrun)> {
    let own = fs::read_to_string(own).ok().and_then(|text| read(Format::Toml, &text).ok());
    let state = own.as_ref().and_then(|own| own.get("hooks")?.get("state"));
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let mut found = Vec::new();
    for (event, groups) in settings.get("hooks").map(Node::members).unwrap_or_default() {
        for (group, listed) in groups.items().iter().enumerate() {
            let handlers = listed.get("hooks").map(Node::items).unwrap_or_default();
            for (handler, _) in handlers.iter().enumerate().filter(|(_, handler)| is_our_hook(handler)) {
                let key = format!("{}:{}:{group}:{handler}", file.display(), label(event));
                let known = state.and_then(|state| state.get(&key));
                let is_off = known.and_then(|known| known.get("enabled")).is_some_and(|it| it.value() == false);
                match known.and_then(|known| known.get("trusted_hash")) {
                    _ if is_off => found.push((event.clone(), Unrun::Off)),
                    None => found.push((event.clone(), Unrun::Untrusted)),
                    Some(_) => {}
                }
            }
        }
    }
    found
}

/// Returns Codex's spelling of an event there: `PermissionRequest` is `permission_request`.
fn label(event: &str) -> String {
    let mut label = String::new();
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !label.is_empty() {
            label.push('_');
        }
        label.push(letter.to_ascii_lowercase());
    }
    label
}
