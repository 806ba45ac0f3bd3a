//! Makes a question that was open when Claude Code was killed come back by itself.
//!
//! A question that was deferred comes back with a resume; one that was only held does not, and its answer would have to
//! be sent as a message. The two differ in one line of Claude Code's own transcript, so we add it. This is undocumented
//! (tried with 2.1.325). So it is done only if the transcript ends with exactly this question, and the code that
//! resumes still expects that it may not come back.
//!
//! Only for questions and plans: a command that was allowed may have run before its process was killed, and must not
//! run again.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::regular;

/// Bytes at the end of a transcript that are read. A question before them is answered with a message.
const END_BYTES: u64 = 1024 * 1024;
/// Fields that all lines of a transcript share, copied from the question's own.
const COMMON: &[&str] = &["userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch"];

/// What a new line needs that the transcript does not contain.
pub(super) struct Stamp<'a> {
    pub(super) uuid: String,
    pub(super) at: String,
    pub(super) mode: &'a str,
}

/// Adds to the transcript that its last call was deferred, if it is one of these and nothing else is open. Returns
/// whether it did.
pub(super) fn defer(record: &Path, calls: &[String], stamp: &Stamp<'_>) -> io::Result<bool> {
    if calls.is_empty() {
        return Ok(false);
    }
    let end = end_of(record)?;
    let Some(line) = dangling(&end).filter(|found| calls.contains(&found.call)).map(|found| found.deferred(stamp))
    else {
        return Ok(false);
    };
    let mut file = OpenOptions::new().append(true).open(record)?;
    file.write_all(format!("{line}\n").as_bytes())?;
    file.sync_data()?;
    Ok(true)
}

fn end_of(record: &Path) -> io::Result<String> {
    let (skipped, end) = regular::read_end(record, END_BYTES)?;
    let end = String::from_utf8_lossy(&end).into_owned();
    // The first line is incomplete, unless it is the transcript's first.
    let whole = if skipped == 0 { 0 } else { end.find('\n').map_or(end.len(), |at| at + 1) };
    Ok(end[whole..].to_owned())
}

/// The open call at the end of a transcript.
struct Dangling {
    call: String,
    name: Value,
    input: Value,
    line: Map<String, Value>,
}

/// Finds the one call without a result, if nothing was said after it.
fn dangling(end: &str) -> Option<Dangling> {
    // An incomplete line at the end: what we add would become part of it.
    if !end.ends_with('\n') {
        return None;
    }
    let mut open: Vec<Dangling> = Vec::new();
    for line in end.lines() {
        let Value::Object(line) = serde_json::from_str(line).ok()? else { return None };
        if line.get("isSidechain").is_some_and(|aside| aside == true) {
            continue;
        }
        let blocks = line.get("message").and_then(|message| message["content"].as_array()).cloned().unwrap_or_default();
        match line.get("type").and_then(Value::as_str) {
            Some("assistant") => {
                let calls = blocks.into_iter().filter(|block| block["type"] == "tool_use");
                open.extend(calls.filter_map(|block| {
                    let call = block["id"].as_str()?.to_owned();
                    Some(Dangling {
                        call,
                        name: block["name"].clone(),
                        input: block["input"].clone(),
                        line: line.clone(),
                    })
                }));
            }
            // A result or a new message: no call before it is at the end.
            Some("user") => open.clear(),
            Some("attachment") if line.get("attachment").is_some_and(|it| it["type"] == "hook_deferred_tool") => {
                open.clear()
            }
            _ => {}
        }
    }
    match (open.pop(), open.is_empty()) {
        (Some(last), true) => Some(last),
        _ => None,
    }
}

impl Dangling {
    fn deferred(&self, stamp: &Stamp<'_>) -> Value {
        let mut line = json!({
            "parentUuid": self.line.get("uuid"),
            "isSidechain": false,
            "attachment": {
                "type": "hook_deferred_tool",
                "toolUseID": self.call,
                "toolName": self.name,
                "toolInput": self.input,
                "hookName": "settings",
                "hookEvent": "PreToolUse",
                "permissionMode": stamp.mode,
            },
            "type": "attachment",
            "uuid": stamp.uuid,
            "timestamp": stamp.at,
        });
        for name in COMMON {
            if let Some(value) = self.line.get(*name) {
                line[*name] = value.clone();
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(call: &str) -> String {
        let block = json!({"type": "tool_use", "id": call, "name": "AskUserQuestion", "input": {"questions": []}});
        let message = json!({"role": "assistant", "content": [block]});
        json!({"type": "assistant", "uuid": "u-1", "cwd": "/w", "sessionId": "s", "message": message}).to_string()
    }

    fn result(call: &str) -> String {
        let block = json!({"type": "tool_result", "tool_use_id": call, "content": "B"});
        json!({"type": "user", "uuid": "u-2", "message": {"role": "user", "content": [block]}}).to_string()
    }

    const NOISE: &str = r#"{"type":"last-prompt","lastPrompt":"hi"}"#;

    fn defers(record: &str) -> (bool, String) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), record).unwrap();
        let stamp = Stamp { uuid: "u-9".to_owned(), at: "now".to_owned(), mode: "plan" };
        let did = defer(file.path(), &["call".to_owned()], &stamp).unwrap();
        let added = std::fs::read_to_string(file.path()).unwrap()[record.len()..].to_owned();
        assert_eq!(did, !added.is_empty());
        (did, added)
    }

    #[test]
    fn the_one_question_at_the_end_is_deferred_once() {
        let record = format!("{NOISE}\n{}\n{NOISE}\n", asks("call"));
        let (did, added) = defers(&record);
        assert!(did);
        let line: Value = serde_json::from_str(&added).unwrap();
        let attachment = json!({
            "type": "hook_deferred_tool", "toolUseID": "call", "toolName": "AskUserQuestion",
            "toolInput": {"questions": []}, "hookName": "settings", "hookEvent": "PreToolUse", "permissionMode": "plan",
        });
        let expected = json!({
            "parentUuid": "u-1", "isSidechain": false, "attachment": attachment, "type": "attachment", "uuid": "u-9",
            "timestamp": "now", "cwd": "/w", "sessionId": "s",
        });
        assert_eq!(line, expected);
        assert!(!defers(&format!("{record}{added}")).0);
    }

    #[test]
    fn whatever_else_a_record_ends_with_is_left_alone() {
        let records = [
            String::new(),
            NOISE.to_owned() + "\n",
            // Another call, two at once, a result, a later message, half a line, invalid JSON.
            format!("{}\n", asks("other")),
            format!("{}\n{}\n", asks("other"), asks("call")),
            format!("{}\n{}\n", asks("call"), result("call")),
            format!("{}\n{}\n", asks("call"), r#"{"type":"user","message":{"role":"user","content":"go on"}}"#),
            asks("call"),
            format!("{}\n{{\"type\":\"user\n", asks("call")),
        ];
        for record in records {
            assert_eq!(defers(&record), (false, String::new()), "{record}");
        }
    }
}
