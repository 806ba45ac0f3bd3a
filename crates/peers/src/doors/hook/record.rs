//! Reads the agent's own record of the conversation: its last text, and the conversation's title.

use serde::Deserialize;
use serde_json::Value;

use super::hear::ToolCall;
use super::version::Version;

/// Bytes of the agent's last text that go along with an ask. Beyond: it is cut.
const TEXT_BYTES_MAX: usize = 4096;
/// Bytes of a title. Beyond: it is cut.
const TITLE_BYTES_MAX: usize = 200;

/// What a record says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    pub text: Option<String>,
    pub title: Option<String>,
    pub version: Option<Version>,
    /// Calls of the agent's last message that have no result yet: the id and the tool of each.
    pub waiting: Vec<(String, String)>,
}

impl Record {
    /// Whether the record has the call that is asked about. Agents show a call first and write it a moment later.
    pub fn has(&self, call: &ToolCall) -> bool {
        self.waiting.iter().any(|(id, tool)| call.id.as_ref().map_or(*tool == call.tool, |known| known == id))
    }
}

/// A line of either agent's record.
#[derive(Deserialize)]
struct RecordLine {
    #[serde(rename = "type")]
    kind: String,
    /// Claude Code: a subagent's conversation beside the person's own.
    #[serde(default, rename = "isSidechain")]
    aside: bool,
    version: Option<String>,
    message: Option<Value>,
    /// Claude Code: the conversation's title, given by the person or the model.
    #[serde(alias = "customTitle", alias = "aiTitle", alias = "summary")]
    title: Option<String>,
    /// Claude Code: the person's last prompt.
    #[serde(rename = "lastPrompt")]
    last_prompt: Option<String>,
    /// Codex.
    payload: Option<Value>,
}

/// Reads the end of a record. It may begin in the middle of a line.
pub fn read_record(end: &str) -> Record {
    let mut record = Record::default();
    let (mut last_prompt, mut is_over) = (None, false);
    for line in end.lines().rev().filter_map(|line| serde_json::from_str::<RecordLine>(line).ok()) {
        if record.version.is_none() {
            record.version = line.version.as_deref().and_then(Version::read);
        }
        if record.title.is_none() {
            record.title = line.title.as_deref().and_then(|title| cut(title, TITLE_BYTES_MAX));
        }
        is_over |= line.kind == "user";
        if !is_over {
            record.waiting.extend(calls(&line));
        }
        if last_prompt.is_none() {
            last_prompt = line.last_prompt.as_deref().and_then(|prompt| cut(first_line(prompt), TITLE_BYTES_MAX));
        }
        if record.text.is_none() && !line.aside {
            record.text = said(&line).and_then(|text| cut(&text, TEXT_BYTES_MAX));
        }
    }
    // An unnamed conversation gets its last prompt as a title.
    record.title = record.title.or(last_prompt);
    record
}

fn calls(line: &RecordLine) -> Vec<(String, String)> {
    let content = line.message.as_ref().filter(|_| line.kind == "assistant").and_then(|it| it["content"].as_array());
    let calls = content.into_iter().flatten().filter(|block| block["type"] == "tool_use");
    calls.filter_map(|block| Some((block["id"].as_str()?.to_owned(), block["name"].as_str()?.to_owned()))).collect()
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

fn said(line: &RecordLine) -> Option<String> {
    let message = match line.kind.as_str() {
        "assistant" => line.message.as_ref()?,
        "response_item" => line.payload.as_ref().filter(|payload| payload["role"] == "assistant")?,
        _ => return None,
    };
    let blocks = message["content"].as_array()?.iter();
    let texts = blocks.filter(|block| block["type"] == "text" || block["type"] == "output_text");
    let texts: Vec<_> = texts.filter_map(|block| block["text"].as_str()).collect();
    Some(texts.join("\n"))
}

fn cut(text: &str, bytes_max: usize) -> Option<String> {
    let text = text.trim();
    Some(text[..text.floor_char_boundary(bytes_max)].to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_found_behind_a_cut_line_and_calls() {
        let end = concat!(
            "text\":\"half a line\"}]}}\n",
            r#"{"type":"custom-title","customTitle":"The database"}"#,
            "\n",
            r#"{"type":"assistant","version":"2.1.325","message":{"content":[{"type":"text","text":"Before."}]}}"#,
            "\n",
            r#"{"type":"assistant","version":"2.1.325","message":{"content":[{"type":"text","text":" I have to ask. "}]}}"#,
            "\n",
            r#"{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"Aside."}]}}"#,
            "\n",
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"toolu_1","name":"Bash"}]}}"#,
            "\n",
        );
        let wanted = Record {
            text: Some("I have to ask.".to_owned()),
            title: Some("The database".to_owned()),
            version: Version::read("2.1.325"),
            waiting: vec![("toolu_1".to_owned(), "Bash".to_owned())],
        };
        let record = read_record(end);
        assert_eq!(record, wanted);
        let call = |id: Option<&str>, tool: &str| ToolCall {
            id: id.map(str::to_owned),
            tool: tool.to_owned(),
            input: askbridge_core::ids::Raw::from("{}"),
        };
        assert!(record.has(&call(Some("toolu_1"), "Bash")) && record.has(&call(None, "Bash")));
        assert!(!record.has(&call(Some("toolu_2"), "Bash")) && !record.has(&call(None, "Edit")));
        let answered = format!("{end}{{\"type\":\"user\"}}\n");
        assert_eq!(read_record(&answered).waiting, [], "it has its result");
        let unnamed = r#"{"type":"last-prompt","lastPrompt":"Choose a database\nfor me"}"#;
        assert_eq!(read_record(unnamed).title.as_deref(), Some("Choose a database"));
    }

    #[test]
    fn codex_is_understood_as_well() {
        let end = r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hm."}]}}"#;
        assert_eq!(read_record(end).text.as_deref(), Some("Hm."));
    }

    #[test]
    fn nothing_is_made_up_of_a_record_that_makes_no_sense() {
        assert_eq!(read_record("\u{0}\n{}\n[1]\nnull\n"), Record::default());
    }
}
