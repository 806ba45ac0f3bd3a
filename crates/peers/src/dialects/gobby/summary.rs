//! A conversation's summary in Markdown, from the record: what was asked, how each ask ended, and the last message.

use askbridge_core::answer::{Answer, Decision, Outcome, Review};
use askbridge_core::ask::Ask;
use serde_json::Value;

use super::cards;
use crate::story::{Part, Story};

/// Asks that a summary lists. Beyond: the oldest are only counted.
const ASKS_MAX: usize = 50;
/// Characters of the last message that are repeated.
const LAST_CHARS: usize = 1000;

pub(super) fn summary(story: &Story) -> String {
    let said = story.messages.iter().filter(|message| matches!(message.part, Part::User(_))).count();
    let calls = story.messages.iter().filter(|message| matches!(message.part, Part::Tool { .. })).count();
    let mut lines = vec![
        format!("# {}", one_line(&story.heading())),
        String::new(),
        format!("{said} messages from people, {calls} calls of tools, {} asks.", story.asks.len()),
    ];
    if !story.asks.is_empty() {
        lines.extend(["", "## Asked", ""].map(str::to_owned));
        let left_out = story.asks.len().saturating_sub(ASKS_MAX);
        if left_out > 0 {
            lines.push(format!("- {left_out} earlier ones"));
        }
        lines.extend(story.asks.values().skip(left_out).map(|(ask, outcome)| {
            let became = match outcome {
                Some(outcome) => in_words(ask, outcome),
                None if story.is_open(ask.id) => "open".to_owned(),
                None => "no longer asked".to_owned(),
            };
            format!("- {}: {}", one_line(ask.body.headline()), one_line(&became))
        }));
    }
    let last = story.messages.iter().rev().find_map(|message| match &message.part {
        Part::Text(text) => Some(text),
        _ => None,
    });
    if let Some(last) = last {
        let shown: String = last.chars().take(LAST_CHARS).collect();
        let more = if shown.len() < last.len() { "…" } else { "" };
        lines.extend(["", "## Said last", ""].map(str::to_owned));
        lines.push(format!("{shown}{more}"));
    }
    lines.join("\n")
}

fn in_words(ask: &Ask, outcome: &Outcome) -> String {
    let answer = match outcome {
        Outcome::Answered { answer, .. } | Outcome::Ruled { answer, .. } => answer,
        Outcome::Dismissed { .. } => return "dismissed".to_owned(),
        Outcome::RuledOut { rule, .. } => return format!("refused by the rule {rule}"),
        Outcome::Expired => return "nobody answered in time".to_owned(),
    };
    match answer {
        Answer::Approval(Decision::Allow { .. }) => "allowed".to_owned(),
        Answer::Approval(Decision::Deny { .. }) => "denied".to_owned(),
        Answer::Plan(Review::Approve { .. }) => "approved".to_owned(),
        Answer::Plan(Review::SendBack { words }) => format!("sent back: {words}"),
        _ => {
            let result = cards::result(ask, outcome);
            let answers = result["content"]["answers"].as_object().into_iter().flatten();
            let texts: Vec<_> = answers.filter_map(|(_, answer)| answer.as_str()).collect();
            if texts.is_empty() { "answered".to_owned() } else { texts.join("; ") }
        }
    }
}

/// Texts of people and agents must not become Markdown structure.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn json(story: &Story) -> Value {
    serde_json::json!({"status": "success", "summary_markdown": summary(story)})
}
