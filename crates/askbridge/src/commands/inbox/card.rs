//! Shows one ask in a few lines.

use askbridge_core::verdict::spoken;
use serde_json::Value;

use crate::client::{Body, Shown};
use crate::output::{Paint, one_line};

/// Shows id and headline, then who waits and since when, then the choices.
pub(super) fn card(ask: &Shown, id: &str, paint: Paint) -> String {
    let mut lines = vec![format!("{}  {}", paint.bold(id), headline(ask))];
    let indent = " ".repeat(id.chars().count() + 2);
    lines.push(format!("{indent}{}", paint.dim(&circumstances(ask))));
    if let Body::Approval(approval) = &ask.body {
        let what = approval.summary.clone().unwrap_or_else(|| approval.input.to_string());
        lines.push(format!("{indent}{}", one_line(&what)));
    }
    if let Some(context) = &ask.context.text {
        lines.push(format!("{indent}{}", one_line(context)));
    }
    lines.push(format!("{indent}{}", if ask.is_open() { choices(ask) } else { ending(ask) }));
    lines.join("\n")
}

pub(crate) fn headline(ask: &Shown) -> String {
    one_line(&ask.headline())
}

/// Shows an ask on one line, for a log: who, what, and the choices or the outcome.
pub(super) fn summary(ask: &Shown) -> String {
    let agent = one_line(&ask.agent);
    let last = if ask.state == "open" { choices(ask) } else { ending(ask) };
    format!("{agent}: {} ({last})", headline(ask))
}

fn circumstances(ask: &Shown) -> String {
    let mut who = one_line(&ask.agent);
    if let Some(machine) = &ask.machine {
        who.push_str(&format!(" on {}", one_line(machine)));
    }
    if let Some(folder) = &ask.context.folder {
        who.push_str(&format!(" in {}", one_line(folder)));
    }
    if let Some(branch) = &ask.context.branch {
        who.push_str(&format!(" ({})", one_line(branch)));
    }
    if let Some(title) = &ask.context.title {
        who.push_str(&format!(", {}", one_line(title)));
    }
    if !ask.is_open() {
        return format!("{who}, asked {} ago", ask.asked_at.ago());
    }
    let mut line = format!("{who}, waiting {}", ask.asked_at.ago());
    if let Some(left) = ask.deadline.and_then(|deadline| deadline.ahead()) {
        line.push_str(&format!(", {} left", spoken(left)));
    }
    if ask.stranded {
        line.push_str(", connection lost: the answer will go as a message");
    }
    line
}

/// Returns the possible answers.
fn choices(ask: &Shown) -> String {
    match &ask.body {
        Body::Questions(questions) if questions.len() == 1 => {
            let labels = questions[0].options.iter().map(|option| one_line(&option.label));
            let labels = labels.collect::<Vec<_>>().join(" | ");
            match (labels.is_empty(), questions[0].multi) {
                (true, _) => "free text".to_owned(),
                (false, false) => labels,
                (false, true) => format!("any of: {labels}"),
            }
        }
        Body::Questions(questions) => format!("{} questions", questions.len()),
        Body::Approval(approval) if approval.overrule => "let it | leave it".to_owned(),
        Body::Approval(approval) if approval.rules.is_empty() => "allow | deny".to_owned(),
        Body::Approval(_) => "allow | always allow | deny".to_owned(),
        Body::Plan(_) => "approve | send back".to_owned(),
        Body::Form(form) => {
            let names = form.fields.iter().map(|field| one_line(&field.name)).collect::<Vec<_>>();
            let url = form.url.iter().map(|url| one_line(url));
            format!("fill in: {}", names.into_iter().chain(url).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Returns how it ended, and the answer.
fn ending(ask: &Shown) -> String {
    let mut text = ask.state.clone();
    let answer = said(ask, &ask.answers);
    if !answer.is_empty() {
        text.push_str(&format!(": {answer}"));
    }
    if let Some(by) = &ask.by {
        text.push_str(&format!(", by {}", one_line(&by.to_string())));
    }
    if let Some(words) = &ask.words {
        text.push_str(&format!(": {}", one_line(words)));
    }
    if ask.answerable && !ask.is_open() {
        text.push_str("; can still be answered late");
    }
    text
}

/// Returns an answer on one line, without secrets.
pub(crate) fn said(ask: &Shown, answers: &Value) -> String {
    let plain = |value: &Value| match value {
        Value::String(text) => one_line(text),
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(one_line).collect::<Vec<_>>().join(", "),
        other => one_line(&other.to_string()),
    };
    match &ask.body {
        Body::Questions(questions) => {
            let several = questions.len() > 1;
            let said = questions.iter().filter_map(|question| {
                let value = answers.get(&question.question)?;
                let value = if question.secret { "(secret)".to_owned() } else { plain(value) };
                Some(if several { format!("{} {value}", one_line(&question.question)) } else { value })
            });
            said.collect::<Vec<_>>().join("; ")
        }
        _ => {
            let decision = answers.get("decision").map(plain).unwrap_or_default().replace('_', " ");
            match answers.get("words").and_then(Value::as_str) {
                Some(words) => format!("{decision}: {}", one_line(words)),
                None => decision,
            }
        }
    }
}
