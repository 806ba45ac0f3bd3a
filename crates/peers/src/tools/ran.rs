//! Compares the input that a call ran with to the allowed one, and tells the model if a person changed it.
//!
//! Claude Code reports the input in the event after the call (`PostToolUse`), to hooks and to a host. The model itself
//! sees only the call as it wrote it, and its result.

use askbridge_core::answer::{Answer, Decision};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::ids::Raw;
use askbridge_core::limits::{CONTENT_BYTES_MAX, RAN_WORDS_BYTES_MAX};
use askbridge_core::verdict::{Ruling, Verdict};
use serde_json::{Value, json};

use super::answered::allowed;
use crate::doors::mcp;

/// Fields that hold a path. Claude Code may make a path absolute that a person wrote relative to the agent's folder.
const PATHS: &[&str] = &["file_path", "notebook_path", "path"];

/// The agent's working folder, if known.
pub(crate) type Folder<'a> = Option<&'a str>;

/// Returns the input that a call ran with, if it is not the one that a person or a rule allowed. `asked` is the input
/// as the agent sent it.
pub(crate) fn instead(
    body: &Body,
    asked: &str,
    verdict: Option<&Verdict>,
    ran: &str,
    folder: Folder<'_>,
) -> Option<Raw> {
    let Some(Ruling::Answer(Answer::Approval(Decision::Allow { edited, .. }))) = verdict.map(|it| &it.ruling) else {
        return None;
    };
    if !matches!(body, Body::Approval(_)) || is_same_input(allowed(asked, edited.as_ref()).get(), ran, folder) {
        return None;
    }
    Some(kept(ran))
}

/// Whether nothing shows what the agent did with a decision: an MCP client reports nothing about an approval's.
pub(crate) fn is_only_handed(ask: &Ask) -> bool {
    ask.asker.door == mcp::NAME && matches!(ask.body, Body::Approval(_))
}

/// The output of a hook after a call that ran with another input than the model wrote. `None`: it ran as written.
pub(crate) fn told(
    event: &str,
    asked: &str,
    verdict: Option<&Verdict>,
    ran: &str,
    folder: Folder<'_>,
) -> Option<Value> {
    if is_same_input(asked, ran, folder) {
        return None;
    }
    let is_edited = matches!(
        verdict.map(|verdict| &verdict.ruling),
        Some(Ruling::Answer(Answer::Approval(Decision::Allow { edited: Some(_), .. })))
    );
    let who = match is_edited {
        true => "The person changed the input of this call before allowing it",
        false => "The input of this call was changed before it ran",
    };
    let words = format!("{who}. What ran, and what its result is about, is: {}", cut(ran));
    Some(json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": words}}))
}

/// Whether two inputs mean the same. An empty field (`"replace_all": false`) may be there or not, and a path may be
/// absolute or relative to the agent's folder. Claude Code 2.1.325 normalizes both before it asks; a changed input it
/// normalizes again in a terminal, and leaves as it is for a host.
pub(crate) fn is_same_input(allowed: &str, ran: &str, folder: Folder<'_>) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    match (read(allowed), read(ran)) {
        (Some(Value::Object(allowed)), Some(Value::Object(ran))) => {
            let mut names = allowed.keys().chain(ran.keys());
            names.all(|name| match (allowed.get(name), ran.get(name)) {
                (Some(one), Some(two)) if PATHS.contains(&name.as_str()) => same_path(one, two, folder),
                (Some(one), Some(two)) => same(one, two),
                (Some(only), None) | (None, Some(only)) => says_nothing(only),
                (None, None) => true,
            })
        }
        (one, two) => allowed == ran || (one.is_some() && one == two),
    }
}

/// `12` and `12.0` are the same number.
fn same(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => one == two || one.as_f64() == two.as_f64(),
        _ => one == two,
    }
}

fn same_path(one: &Value, two: &Value, folder: Folder<'_>) -> bool {
    let whole = |path: &str| match folder {
        Some(folder) if !path.starts_with('/') => {
            format!("{}/{}", folder.trim_end_matches('/'), path.strip_prefix("./").unwrap_or(path))
        }
        _ => path.to_owned(),
    };
    match (one.as_str(), two.as_str()) {
        (Some(one), Some(two)) => whole(one) == whole(two),
        _ => one == two,
    }
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Number(_) => false,
    }
}

/// The input as it is stored.
fn kept(ran: &str) -> Raw {
    match ran.len() <= CONTENT_BYTES_MAX {
        true => Raw::from(ran),
        false => Raw::from(
            json!({"askbridge": format!("an input of {} bytes, too large to be kept", ran.len())}).to_string(),
        ),
    }
}

/// The input as the model reads it.
fn cut(ran: &str) -> String {
    if ran.len() <= RAN_WORDS_BYTES_MAX {
        return ran.to_owned();
    }
    let end = ran.floor_char_boundary(RAN_WORDS_BYTES_MAX);
    format!("{} … and {} more bytes", &ran[..end], ran.len() - end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claude_code_adds_by_itself_is_no_difference() {
        let edit = r#"{"file_path":"/w/a.txt","old_string":"a","new_string":"b","timeout":12}"#;
        for ran in [
            edit,
            r#"{"timeout":12.0, "new_string":"b","old_string":"a","file_path":"/w/a.txt","replace_all":false}"#,
            r#"{"file_path":"a.txt","old_string":"a","new_string":"b","timeout":12,"note":null}"#,
            r#"{"file_path":"./a.txt","old_string":"a","new_string":"b","timeout":12}"#,
        ] {
            assert!(is_same_input(edit, ran, Some("/w")), "{ran}");
        }
    }

    #[test]
    fn everything_else_is_a_difference() {
        let edit = r#"{"file_path":"/w/a.txt","old_string":"a","new_string":"b"}"#;
        for ran in [
            r#"{"file_path":"/w/a.txt","old_string":"a","new_string":"b "}"#,
            r#"{"file_path":"/w/a.txt","old_string":"a"}"#,
            r#"{"file_path":"/w/a.txt","old_string":"a","new_string":"b","replace_all":true}"#,
            r#"{"file_path":"b.txt","old_string":"a","new_string":"b"}"#,
            r#"{"file_path":"/x/a.txt","old_string":"a","new_string":"b"}"#,
            "{}",
            "",
        ] {
            assert!(!is_same_input(edit, ran, Some("/w")), "{ran}");
        }
        let relative = r#"{"file_path":"a.txt","old_string":"a","new_string":"b"}"#;
        assert!(!is_same_input(edit, relative, Some("/x")), "of another folder");
        assert!(!is_same_input(edit, relative, None), "of a folder that is not known");
        assert!(is_same_input("{}", "{}", None) && !is_same_input("", "{}", None));
    }

    #[test]
    fn a_long_input_is_cut_for_the_model_and_left_out_of_the_journal() {
        let long = json!({"content": "ö".repeat(CONTENT_BYTES_MAX)}).to_string();
        let told = told("PostToolUse", "{}", None, &long, None).map(|told| told.to_string()).unwrap_or_default();
        assert!(told.len() < RAN_WORDS_BYTES_MAX + 500 && told.contains("more bytes"), "{}", told.len());
        assert!(kept(&long).as_str().contains("too large to be kept"));
    }
}
