//! Reads the event from stdin, and prints the server's answer.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Read, stdin};

use askbridge_core::limits::BODY_BYTES_MAX;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::runtime::Builder;

use super::call::{Loss, Patience, call};
use super::events::hooks;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell};
use crate::settings::{CommandLine, Settings, hook_surroundings};

const EXAMPLES: &str = "\
Examples:
  askbridge hook --print-settings      what to add to ~/.claude/settings.json, or to a project's .claude/settings.json

Claude Code and Codex call this; `askbridge init claude` tells them to. What they say comes in, what they are to hear is printed.
If askbridge is not running, or does not answer at once, it prints nothing, and the terminal's own dialog is all there is.
See also `askbridge away --help` and `askbridge resume --help`.";

/// Bytes of a hook's input. Beyond: it is not passed on.
const INPUT_BYTES_MAX: u64 = 64 * 1024 * 1024;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print the hooks to be added to the settings of Claude Code
    #[arg(long)]
    print_settings: bool,
}

pub(crate) fn run(line: &CommandLine, args: &Args) -> Result<Exit, Failure> {
    if args.print_settings {
        print(&format!("{:#}", json!({ "hooks": hooks("askbridge hook") })))?;
        return Ok(Exit::Good);
    }
    if stdin().is_terminal() {
        tell("This is for agents to call; see `askbridge hook --help`.");
        return Ok(Exit::Good);
    }
    if let Some(output) = answer(line) {
        // If the agent no longer reads, it no longer waits.
        let _ = print(&output);
    }
    Ok(Exit::Good)
}

/// Returns what to print. `None`: no opinion, for any reason.
fn answer(line: &CommandLine) -> Option<String> {
    let mut text = String::new();
    stdin().take(INPUT_BYTES_MAX).read_to_string(&mut text).ok()?;
    let surroundings = hook_surroundings();
    // We host this agent: its asks reach us through the claude door.
    if surroundings.hosted {
        return None;
    }
    let (text, patience) = passed_on(&text)?;
    let settings = Settings::read(line).ok()?;
    let runtime = Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(call(&settings, text, surroundings.attended, patience))
}

/// Returns the part of an event that is passed on: everything but a tool's output, which may be long and private.
fn passed_on(text: &str) -> Option<(String, Patience)> {
    let mut fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let word = |name: &str| fields.get(name).and_then(|value| serde_json::from_str::<String>(value.get()).ok());
    // Only Codex sends turn ids. It shows no dialog while its hook waits.
    let is_codex = fields.contains_key("turn_id");
    let patience = match word("hook_event_name")?.as_str() {
        "PermissionRequest" if !is_codex => Patience::APersons(Loss::ComeBack),
        "PreToolUse" | "PermissionRequest" => Patience::APersons(Loss::GiveUp),
        _ => Patience::AMoment,
    };
    if word("tool_name").is_some_and(|tool| tool != "AskUserQuestion") {
        fields.remove("tool_response");
    }
    let text = serde_json::to_string(&fields).ok()?;
    (text.len() <= BODY_BYTES_MAX).then_some((text, patience))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_passed_on_as_it_is_written_without_what_a_tool_said() {
        let (text, patience) =
            passed_on(r#"{"hook_event_name":"PermissionRequest","tool_input":{ "b":1.10, "a":2 }}"#).unwrap();
        assert_eq!(text, r#"{"hook_event_name":"PermissionRequest","tool_input":{ "b":1.10, "a":2 }}"#);
        assert_eq!(patience, Patience::APersons(Loss::ComeBack));
        let (_, patience) = passed_on(r#"{"hook_event_name":"PermissionRequest","turn_id":"t"}"#).unwrap();
        assert_eq!(patience, Patience::APersons(Loss::GiveUp), "nothing is on screen meanwhile");
        let read = |tool: &str| {
            format!(r#"{{"hook_event_name":"PostToolUse","tool_name":"{tool}","tool_response":{{"file":"secret"}}}}"#)
        };
        let (text, patience) = passed_on(&read("Read")).unwrap();
        assert_eq!(text, r#"{"hook_event_name":"PostToolUse","tool_name":"Read"}"#);
        assert_eq!(patience, Patience::AMoment);
        assert!(passed_on(&read("AskUserQuestion")).unwrap().0.contains("secret"), "it says who answered what");
        assert_eq!(passed_on("[]"), None);
        assert_eq!(passed_on("{}"), None);
    }
}
