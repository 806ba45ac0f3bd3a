//! Answers typed step by step, and shown for confirmation before they are sent.

use serde_json::{Map, Value, json};

use super::args::Deed;
use super::by_flags::typed;
use super::prompt::Prompt;
use super::questions::{self, TypedAnswer};
use crate::client::{Approval, Body, Field, Form, Question, Shown};
use crate::failure::Failure;
use crate::output::visible;

/// Asks the person. Returns `None` if they send nothing.
pub(crate) fn deed(ask: &Shown, prompt: &mut Prompt) -> Result<Option<Deed>, Failure> {
    introduce(ask, prompt);
    let answer = match &ask.body {
        Body::Questions(questions) => all(questions, prompt)?,
        Body::Approval(approval) => approve(approval, prompt)?,
        Body::Plan(plan) => review(plan, prompt)?,
        Body::Form(form) => fill(form, prompt)?,
    };
    match answer {
        Some(answer) if prompt.yes("Send it?", true)? => Ok(Some(Deed::answer(answer))),
        _ => Ok(None),
    }
}

fn introduce(ask: &Shown, prompt: &Prompt) {
    let folder = ask.context.folder.as_ref().map(|folder| format!(" in {}", visible(folder))).unwrap_or_default();
    let asks = format!("{}{folder}, {} ago", visible(&ask.agent), ask.asked_at.ago());
    prompt.say(&prompt.paint.dim(&asks));
    if let Some(context) = &ask.context.text {
        prompt.say(&visible(context));
    }
    if !ask.is_open() && ask.answerable {
        prompt.say("The agent no longer waits; your answer goes to it as a message.");
    }
    prompt.say("");
}

fn all(questions: &[Question], prompt: &mut Prompt) -> Result<Option<Value>, Failure> {
    let mut said: Vec<TypedAnswer> = Vec::with_capacity(questions.len());
    for (place, question) in questions.iter().enumerate() {
        if questions.len() > 1 {
            prompt.say(&prompt.paint.dim(&format!("Question {} of {}", place + 1, questions.len())));
        }
        let Some(one) = questions::ask(question, prompt)? else { return Ok(None) };
        said.push(one);
        prompt.say("");
    }
    if said.iter().all(TypedAnswer::is_nothing) {
        prompt.say("Everything was skipped. To close it without an answer, use `askbridge answer --dismiss`.");
        return Ok(None);
    }
    prompt.say("This will be sent:");
    for (question, said) in questions.iter().zip(&said) {
        prompt.say(&format!("  {} {}", visible(&question.question), prompt.paint.bold(&said.shown(question))));
    }
    Ok(Some(questions::body(questions, &said)))
}

fn approve(approval: &Approval, prompt: &mut Prompt) -> Result<Option<Value>, Failure> {
    let title = match approval.overrule {
        true => format!("{} was denied. Let it run once?", visible(&approval.tool)),
        false => format!("May {} run?", visible(&approval.tool)),
    };
    prompt.say(&prompt.paint.bold(&title));
    if let Some(summary) = &approval.summary {
        prompt.say(&format!("  {}", visible(summary)));
    }
    // The input itself is what runs; a summary is only the agent's description.
    show_input(&approval.input, prompt);
    if let Some(reason) = &approval.reason {
        prompt.say(&format!("  because: {}", visible(reason)));
    }
    let mut choices = vec![if approval.overrule { "Let it" } else { "Allow once" }.to_owned()];
    choices.extend(approval.rules.iter().map(|rule| {
        format!("Always allow: {} {}", visible(&rule.label), prompt.paint.dim(&visible(&rule.rule.to_string())))
    }));
    choices.push(if approval.overrule { "Leave it" } else { "Deny" }.to_owned());
    for (place, choice) in choices.iter().enumerate() {
        prompt.say(&format!("  {}. {choice}", place + 1));
    }
    let Some(place) = prompt.number("A number (Enter decides nothing):", choices.len())? else { return Ok(None) };
    let answer = if place == 0 {
        json!({"decision": "allow"})
    } else if place <= approval.rules.len() {
        json!({"decision": "allow", "always": place - 1})
    } else {
        let why = match approval.overrule {
            true => "What should it do instead? (Enter says nothing):",
            false => "Why? (Enter gives no reason):",
        };
        let Some(words) = prompt.line(why)? else { return Ok(None) };
        if approval.overrule {
            return Ok(Some(json!({"decision": "deny", "words": words})));
        }
        let stop = prompt.yes("Stop the agent as well?", false)?;
        json!({"decision": "deny", "words": words, "stop": stop})
    };
    prompt.say("");
    prompt.say(&format!("This will be sent: {}", prompt.paint.bold(&choices[place])));
    Ok(Some(answer))
}

fn show_input(input: &Value, prompt: &Prompt) {
    let Value::Object(fields) = input else {
        prompt.say(&format!("  {}", visible(&input.to_string())));
        return;
    };
    for (name, value) in fields {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut lines = text.lines().map(visible);
        prompt.say(&format!("  {}: {}", visible(name), lines.next().unwrap_or_default()));
        for line in lines {
            prompt.say(&format!("      {line}"));
        }
    }
}

fn review(plan: &str, prompt: &mut Prompt) -> Result<Option<Value>, Failure> {
    prompt.say(&prompt.paint.bold("A plan to approve:"));
    for line in plan.lines() {
        prompt.say(&format!("  {}", visible(line)));
    }
    prompt.say("");
    prompt.say("  1. Approve");
    prompt.say("  2. Send back");
    let answer = match prompt.number("A number (Enter decides nothing):", 2)? {
        None => return Ok(None),
        Some(0) => json!({"decision": "approve"}),
        Some(_) => match prompt.line("What should change?")? {
            Some(words) if !words.is_empty() => json!({"decision": "send_back", "words": words}),
            _ => return Ok(None),
        },
    };
    prompt.say("");
    let shown = if answer["decision"] == "approve" { "Approve" } else { "Send back" };
    prompt.say(&format!("This will be sent: {}", prompt.paint.bold(shown)));
    Ok(Some(answer))
}

fn fill(form: &Form, prompt: &mut Prompt) -> Result<Option<Value>, Failure> {
    prompt.say(&prompt.paint.bold(&visible(&form.message)));
    if let Some(url) = &form.url {
        prompt.say(&format!("  {}", visible(url)));
    }
    if !prompt.yes("Fill it in?", true)? {
        if !prompt.yes("Decline it?", false)? {
            return Ok(None);
        }
        let Some(words) = prompt.line("Why? (Enter gives no reason):")? else { return Ok(None) };
        prompt.say("");
        prompt.say(&format!("This will be sent: {}", prompt.paint.bold("Decline")));
        return Ok(Some(json!({"decision": "decline", "words": words})));
    }
    let mut content = Map::new();
    for field in &form.fields {
        match fill_field(field, prompt)? {
            None => return Ok(None),
            Some(Value::Null) => {}
            Some(value) => drop(content.insert(field.name.clone(), value)),
        }
    }
    prompt.say("");
    prompt.say("This will be sent:");
    for (name, value) in &content {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        prompt.say(&format!("  {}: {}", visible(name), prompt.paint.bold(&visible(&value))));
    }
    Ok(Some(json!({"decision": "accept", "content": content})))
}

/// Prompts for one field. `None`: Ctrl-D; null: left out.
fn fill_field(field: &Field, prompt: &mut Prompt) -> Result<Option<Value>, Failure> {
    let name = visible(field.title.as_deref().unwrap_or(&field.name));
    if let Some(description) = &field.description {
        prompt.say(&prompt.paint.dim(&visible(description)));
    }
    for (place, option) in field.options.iter().enumerate() {
        prompt.say(&format!("  {}. {}", place + 1, visible(option)));
    }
    let how = match field.kind.as_str() {
        "number" => "a number",
        "integer" => "a whole number",
        "flag" => "y or n",
        "one_of" => "a number from the list",
        "many_of" => "numbers like 1,3",
        _ => "text",
    };
    let skip = if field.required { "" } else { "; Enter leaves it out" };
    loop {
        let Some(line) = prompt.line(&format!("{name} ({how}{skip}):"))? else { return Ok(None) };
        if line.is_empty() {
            if !field.required {
                return Ok(Some(Value::Null));
            }
            prompt.say("This one is needed.");
            continue;
        }
        match read(field, &line) {
            Ok(value) => return Ok(Some(value)),
            Err(why) => prompt.say(&why),
        }
    }
}

fn read(field: &Field, line: &str) -> Result<Value, String> {
    if field.options.is_empty() {
        return typed(field, line);
    }
    let choice = |part: &str| {
        let number = part.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        number.and_then(|place| field.options.get(place)).ok_or_else(|| format!("There is no `{part}` in the list."))
    };
    if field.kind == "many_of" {
        let parts = line.split([',', ' ']).filter(|part| !part.is_empty());
        return parts.map(|part| choice(part).map(|value| json!(value))).collect();
    }
    choice(line).map(|value| json!(value))
}
