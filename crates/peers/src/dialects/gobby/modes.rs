//! gobby's modes, and what they mean for an agent of ours.

use askbridge_core::event::Settings;
use askbridge_core::terms::OtherTools;

/// Sets a mode. `None`: there is no such mode.
pub(super) fn set(mode: &str, settings: &mut Settings) -> Option<()> {
    let (mode, others) = match mode {
        "normal" | "act" => ("default", OtherTools::Ask),
        "accept_edits" => ("acceptEdits", OtherTools::Ask),
        // Everything is allowed by the session's own terms, which Claude Code takes from root as well.
        "bypass" => ("acceptEdits", OtherTools::Allow),
        "plan" => ("plan", OtherTools::Ask),
        _ => return None,
    };
    settings.mode = Some(mode.to_owned());
    settings.wishes.other_tools = Some(others);
    Some(())
}

/// Names the mode that an agent is in.
pub(super) fn name(mode: &str, others: Option<OtherTools>) -> &'static str {
    match (mode, others) {
        ("plan", _) => "plan",
        (_, Some(OtherTools::Allow)) | ("bypassPermissions", _) => "bypass",
        ("acceptEdits", _) => "accept_edits",
        _ => "normal",
    }
}
