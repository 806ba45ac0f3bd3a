//! Reads the event from stdin, and prints the server's answer.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Read, stdin};

use askbridge_core::limits::{ADVISED_RESULT_BYTES_MAX, BODY_BYTES_MAX, RULED_FIELD_BYTES_MAX, RULED_INPUT_BYTES_MAX};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::runtime::Builder;

use super::call::{Called, Loss, Patience, call};
use super::events::{Reported, hooks};
use super::when_down::when_down;
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

/// Marks an event of which parts of the input were left out.
const CUT: &str = "askbridge_cut";

/// Bytes of a hook's input. Beyond: it is not passed on.
const INPUT_BYTES_MAX: u64 = 64 * 1024 * 1024;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print the hooks to be added to the settings of Claude Code
    #[arg(long)]
    print_settings: bool,
    /// Report what rules look at: every call with what it returned, not only those that ask a person. `askbridge init
    /// claude --rules` adds this
    #[arg(long)]
    rules: bool,
}

pub(crate) fn run(line: &CommandLine, args: &Args) -> Result<Exit, Failure> {
    if args.print_settings {
        let hooks = match args.rules {
            true => hooks("askbridge hook --rules", Reported::Everything),
            false => hooks("askbridge hook", Reported::Asks),
        };
        print(&format!("{:#}", json!({ "hooks": hooks })))?;
        return Ok(Exit::Good);
    }
    if stdin().is_terminal() {
        tell("This is for agents to call; see `askbridge hook --help`.");
        return Ok(Exit::Good);
    }
    let reported = if args.rules { Reported::Everything } else { Reported::Asks };
    if let Some(output) = answer(line, reported) {
        // If the agent no longer reads, it no longer waits.
        let _ = print(&output);
    }
    Ok(Exit::Good)
}

/// Returns what to print. `None`: no opinion, for any reason.
fn answer(line: &CommandLine, reported: Reported) -> Option<String> {
    let mut text = String::new();
    stdin().take(INPUT_BYTES_MAX).read_to_string(&mut text).ok()?;
    let surroundings = hook_surroundings();
    // We host this agent: its asks reach us through the claude door.
    if surroundings.hosted {
        return None;
    }
    let (text, patience) = passed_on(&text, reported)?;
    let settings = Settings::read(line).ok()?;
    let runtime = Builder::new_current_thread().enable_all().build().ok()?;
    match runtime.block_on(call(&settings, text.clone(), surroundings.attended, patience)) {
        Called::Said(output) => Some(output),
        Called::Nothing => None,
        Called::Down => when_down(&settings.data, &text, settings.rule_source().zone.as_deref()),
    }
}

/// Returns the part of an event that is passed on: everything but a tool's output, which may be long and private, unless
/// rules are to look at it.
fn passed_on(text: &str, reported: Reported) -> Option<(String, Patience)> {
    let mut fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let word = |name: &str| fields.get(name).and_then(|value| serde_json::from_str::<String>(value.get()).ok());
    // Only Codex sends turn ids. It shows no dialog while its hook waits.
    let is_codex = fields.contains_key("turn_id");
    let event = word("hook_event_name")?;
    let patience = match event.as_str() {
        "PermissionRequest" if !is_codex => Patience::APersons(Loss::ComeBack),
        "PreToolUse" | "PermissionRequest" | "PermissionDenied" => Patience::APersons(Loss::GiveUp),
        _ => Patience::AMoment,
    };
    let is_wanted =
        |response: &RawValue| reported == Reported::Everything && response.get().len() <= ADVISED_RESULT_BYTES_MAX;
    let is_question = word("tool_name").is_none_or(|tool| tool == "AskUserQuestion");
    if !is_question && !fields.get("tool_response").is_some_and(|response| is_wanted(response)) {
        fields.remove("tool_response");
    }
    let whole = serde_json::to_string(&fields).ok()?;
    if whole.len() <= BODY_BYTES_MAX {
        return Some((whole, patience));
    }
    // No person could be shown it, but a rule must not be evaded by a long input.
    let is_ruled = reported == Reported::Everything && event == "PreToolUse";
    let input = fields.get("tool_input").filter(|_| is_ruled).and_then(|input| short_fields(input))?;
    fields.insert("tool_input".to_owned(), &input);
    let cut = RawValue::from_string("true".to_owned()).ok()?;
    fields.insert(CUT.to_owned(), &cut);
    let short = serde_json::to_string(&fields).ok()?;
    (short.len() <= BODY_BYTES_MAX).then_some((short, patience))
}

/// The fields of a large input that rules look at.
fn short_fields(input: &RawValue) -> Option<Box<RawValue>> {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(input.get()).ok()?;
    let mut left = RULED_INPUT_BYTES_MAX;
    let short = fields.into_iter().filter(|(name, value)| {
        let bytes = name.len() + value.get().len();
        let fits = bytes <= RULED_FIELD_BYTES_MAX.min(left);
        left -= if fits { bytes } else { 0 };
        fits
    });
    RawValue::from_string(serde_json::to_string(&short.collect::<BTreeMap<_, _>>()).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_passed_on_as_it_is_written_without_what_a_tool_said() {
        let (text, patience) =
            passed_on(r#"{"hook_event_name":"PermissionRequest","tool_input":{ "b":1.10, "a":2 }}"#, Reported::Asks)
                .unwrap();
        assert_eq!(text, r#"{"hook_event_name":"PermissionRequest","tool_input":{ "b":1.10, "a":2 }}"#);
        assert_eq!(patience, Patience::APersons(Loss::ComeBack));
        let (_, patience) =
            passed_on(r#"{"hook_event_name":"PermissionRequest","turn_id":"t"}"#, Reported::Asks).unwrap();
        assert_eq!(patience, Patience::APersons(Loss::GiveUp), "nothing is on screen meanwhile");
        let read = |tool: &str| {
            format!(r#"{{"hook_event_name":"PostToolUse","tool_name":"{tool}","tool_response":{{"file":"secret"}}}}"#)
        };
        let (text, patience) = passed_on(&read("Read"), Reported::Asks).unwrap();
        assert_eq!(text, r#"{"hook_event_name":"PostToolUse","tool_name":"Read"}"#);
        assert_eq!(patience, Patience::AMoment);
        let question = passed_on(&read("AskUserQuestion"), Reported::Asks).unwrap();
        assert!(question.0.contains("secret"), "it says who answered what");
        assert_eq!(passed_on("[]", Reported::Asks), None);
        assert_eq!(passed_on("{}", Reported::Asks), None);
        assert!(passed_on(&read("Read"), Reported::Everything).unwrap().0.contains("secret"), "rules may look at it");
    }

    #[test]
    fn a_long_input_is_cut_for_rules_and_not_passed_on_otherwise() {
        let content = "x".repeat(BODY_BYTES_MAX);
        let text = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{{"content":"{content}","file_path":"/srv/a"}}}}"#
        );
        assert_eq!(passed_on(&text, Reported::Asks), None);
        let (cut, _) = passed_on(&text, Reported::Everything).unwrap();
        assert_eq!(
            cut,
            r#"{"askbridge_cut":true,"hook_event_name":"PreToolUse","tool_input":{"file_path":"/srv/a"},"tool_name":"Write"}"#
        );
    }
}
