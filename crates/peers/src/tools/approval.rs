//! Turns a tool call into an approval that a person can read on a phone.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use askbridge_core::ask::{Approval, Body, OfferedRule};
use askbridge_core::ids::Raw;
use askbridge_core::limits::{ASK_TEXT_BYTES_MAX, LABEL_BYTES_MAX, OPTIONS_MAX};
use askbridge_core::wild::is_blank;

use crate::json;

/// Lines of a diff shown beside an approval. Beyond: a line says how many more there are.
const DIFF_LINES_MAX: usize = 400;

/// Where a rule can be kept, and its label. Claude Code writes all but the session's into a settings file.
const DESTINATIONS: &[(&str, &str)] =
    &[("session", "for this session"), ("localSettings", "in this project"), ("userSettings", "everywhere, for me")];

/// What Claude Code says about a call besides its input.
#[derive(Default)]
pub(crate) struct Beside<'a> {
    /// Claude Code's own name for the call.
    pub(crate) named: Option<&'a str>,
    /// Why it asks, in the parts that it gives.
    pub(crate) reason: Vec<&'a str>,
    /// The permission rules that it suggests.
    pub(crate) suggestions: Option<&'a RawValue>,
}

/// Reads an approval. The error says why it cannot be shown: its tool has no name, or its input is too large.
pub(crate) fn of(tool: &str, input: Option<&RawValue>, beside: &Beside<'_>) -> Result<Approval, String> {
    let reason = (!beside.reason.is_empty()).then(|| cut(&beside.reason.join(": ")).to_owned());
    Ok(Approval { reason, rules: rules(beside.suggestions), ..read(tool, input, beside.named)? })
}

/// Reads an approval of a tool that always goes to a person. The same however Claude Code waits for it.
pub(crate) fn always(tool: &str, input: Option<&RawValue>) -> Result<Approval, String> {
    Ok(Approval { reason: Some(format!("{} always goes to a person here", cut(tool))), ..read(tool, input, None)? })
}

/// Reads a call that Claude Code's own classifier denied without asking a person.
pub(crate) fn denied(tool: &str, input: Option<&RawValue>, why: &str) -> Result<Approval, String> {
    let reason = match is_blank(why) {
        true => "Claude Code's auto mode denied it".to_owned(),
        false => format!("Claude Code's auto mode denied it: {}", why.trim()),
    };
    Ok(Approval { reason: Some(cut(&reason).to_owned()), overrule: true, ..read(tool, input, None)? })
}

/// Reads an approval of a call that a rule sends to a person, before the agent's own mode has looked at it.
pub(crate) fn sent(tool: &str, input: Option<&RawValue>, rule: &str) -> Result<Approval, String> {
    Ok(Approval {
        reason: Some(format!("The rule “{}” sends it to a person", cut(rule))), ..read(tool, input, None)?
    })
}

fn read(tool: &str, input: Option<&RawValue>, named: Option<&str>) -> Result<Approval, String> {
    if is_blank(tool) {
        return Err("the tool has no name, so there is nothing to decide about".to_owned());
    }
    let input = input.map_or("{}", |input| input.get());
    if input.len() > ASK_TEXT_BYTES_MAX {
        return Err(format!("the tool's input has more than {ASK_TEXT_BYTES_MAX} bytes, too many to show"));
    }
    let parsed: Value = serde_json::from_str(input).unwrap_or_default();
    Ok(Approval {
        tool: cut(tool).to_owned(),
        input: as_it_runs(input),
        summary: Some(cut(&summary(tool, &parsed, named)).to_owned()),
        reason: None,
        rules: Vec::new(),
        overrule: false,
    })
}

/// The input as Claude Code reads it: of a name that occurs twice in an object, the last value counts. Other parsers
/// may show the first, so a person would decide about something that does not run.
fn as_it_runs(input: &str) -> Raw {
    match json::parse(input).filter(|value| json::repeated(value).is_some()) {
        Some(value) => json::raw(&json::last_of_each(value)),
        None => Raw::from(input),
    }
}

/// One line: the command, the path, or Claude Code's name for the call.
fn summary(tool: &str, input: &Value, named: Option<&str>) -> String {
    let text = |name: &str| input[name].as_str();
    match tool {
        "Bash" => text("command").unwrap_or(tool).to_owned(),
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            let path = text("file_path").or_else(|| text("notebook_path"));
            path.map_or_else(|| tool.to_owned(), |path| format!("{tool} {path}"))
        }
        "WebFetch" => text("url").map_or_else(|| tool.to_owned(), |url| format!("fetch {url}")),
        _ => named.map_or_else(|| tool.to_owned(), |named| format!("{tool}: {named}")),
    }
}

/// What is shown beside an approval: the diff of a file.
pub(crate) fn shown(body: &Body) -> Option<Raw> {
    let Body::Approval(approval) = body else { return None };
    let input: Value = serde_json::from_str(approval.input.as_str()).ok()?;
    let diff = match approval.tool.as_str() {
        "Edit" => change(input["old_string"].as_str()?, input["new_string"].as_str()?),
        "Write" => change("", input["content"].as_str()?),
        "MultiEdit" => {
            let edits = input["edits"].as_array()?.iter();
            let edits =
                edits.filter_map(|edit| Some(change(edit["old_string"].as_str()?, edit["new_string"].as_str()?)));
            edits.collect::<Vec<_>>().join("\n")
        }
        _ => return None,
    };
    Some(Raw::from(json!({"diff": diff}).to_string()))
}

/// A line diff in which the common beginning and end are shown once.
fn change(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - before;
    let after = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let lines = old[..before].iter().map(|line| format!(" {line}"));
    let lines = lines.chain(old[before..old.len() - after].iter().map(|line| format!("-{line}")));
    let lines = lines.chain(new[before..new.len() - after].iter().map(|line| format!("+{line}")));
    let mut lines: Vec<_> = lines.chain(old[old.len() - after..].iter().map(|line| format!(" {line}"))).collect();
    if lines.len() > DIFF_LINES_MAX {
        let more = lines.len() - DIFF_LINES_MAX;
        lines.truncate(DIFF_LINES_MAX);
        lines.push(format!("… and {more} more lines"));
    }
    lines.join("\n")
}

/// The rules that Claude Code suggests, each for the session, the project and the person.
fn rules(suggestions: Option<&RawValue>) -> Vec<OfferedRule> {
    let suggestions = suggestions.map(|raw| serde_json::from_str::<Vec<Value>>(raw.get()));
    let Some(Ok(suggestions)) = suggestions else { return Vec::new() };
    let offered = suggestions.iter().flat_map(|suggestion| {
        let what = described(suggestion);
        // A mode belongs to the session alone.
        let destinations = match suggestion["type"].as_str() {
            Some("addRules" | "addDirectories") => DESTINATIONS,
            _ => &DESTINATIONS[..1],
        };
        destinations.iter().filter_map(move |(destination, place)| {
            let mut rule = suggestion.clone();
            rule.as_object_mut()?.insert("destination".to_owned(), json!(destination));
            let label = cut(&format!("{} {place}", what.as_deref()?)).to_owned();
            Some(OfferedRule { label, rule: Raw::from(rule.to_string()) })
        })
    });
    offered.take(OPTIONS_MAX).collect()
}

/// Says exactly what a suggestion allows. `None`: we do not know its type, so it is not offered.
fn described(suggestion: &Value) -> Option<String> {
    match suggestion["type"].as_str()? {
        "addRules" if suggestion["behavior"] == "allow" => {
            let rules = suggestion["rules"].as_array()?.iter().map(|rule| {
                let tool = rule["toolName"].as_str().unwrap_or("?");
                rule["ruleContent"].as_str().map_or_else(|| tool.to_owned(), |content| format!("{tool}({content})"))
            });
            Some(format!("allow {}", rules.collect::<Vec<_>>().join(", ")))
        }
        "addDirectories" => {
            let directories = suggestion["directories"].as_array()?.iter().filter_map(Value::as_str);
            Some(format!("allow the folder {}", directories.collect::<Vec<_>>().join(", ")))
        }
        "setMode" => Some(format!("change the mode to {}", suggestion["mode"].as_str()?)),
        _ => None,
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LABEL_BYTES_MAX)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_name_that_occurs_twice_the_value_that_runs_is_shown() {
        let input = r#"{"command":"ls","more":{"a":1.50},"command":"rm -rf /"}"#;
        let input = RawValue::from_string(input.to_owned()).unwrap();
        let approval = always("Bash", Some(&input)).unwrap();
        assert_eq!(approval.input.as_str(), r#"{"more":{"a":1.5},"command":"rm -rf /"}"#);
        assert_eq!(approval.summary.as_deref(), Some("rm -rf /"));
        let once = RawValue::from_string(r#"{"command": "ls", "n": 1.50}"#.to_owned()).unwrap();
        assert_eq!(always("Bash", Some(&once)).unwrap().input.as_str(), once.get(), "all else stays as it was written");
    }

    #[test]
    fn a_change_shows_what_both_have_in_common_once() {
        assert_eq!(change("a\nb\nc", "a\nx\ny\nc"), " a\n-b\n+x\n+y\n c");
        assert_eq!(change("a\na", "a\na\na"), " a\n a\n+a");
        assert_eq!(change("", "new"), "+new");
        assert_eq!(change("same", "same"), " same");
    }
}
