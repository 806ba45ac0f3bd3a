//! gobby's modes, and the settings of a hosted agent that they stand for.

use askbridge_core::event::Settings;
use askbridge_core::terms::OtherTools;

/// Sets a mode. `None`: there is no such mode.
pub(super) fn set(mode: &str, settings: &mut Settings) -> Option<()> {
    let (mode, others) = match mode {
        "normal" | "act" => ("default", OtherTools::Ask),
        "accept_edits" => ("acceptEdits", OtherTools::Ask),
        // The session's own terms allow everything, which Claude Code accepts also when it runs as root.
        "bypass" => ("acceptEdits", OtherTools::Allow),
        "plan" => ("plan", OtherTools::Ask),
        _ => return None,
    };
    settings.mode = Some(mode.to_owned());
    settings.wishes.other_tools = Some(others);
    Some(())
}

/// Returns the name of the mode that an agent is in.
pub(super) fn name(mode: &str, others: Option<OtherTools>) -> &'static str {
    match (mode, others) {
        ("plan", _) => "plan",
        (_, Some(OtherTools::Allow)) | ("bypassPermissions", _) => "bypass",
        ("acceptEdits", _) => "accept_edits",
        _ => "normal",
    }
}
