//! Prints the outcome of the question: the answer on stdout, everything else on stderr, and the exit code.

use serde_json::Value;

use crate::client::{Ask, Body, By, Shown};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};

pub(super) fn report(ask: &Ask, json: bool) -> Result<Exit, Failure> {
    let shown = &ask.shown;
    if json {
        print(&ask.raw)?;
    }
    let words = shown.verdict.as_ref().map_or("", |verdict| verdict.words.as_str());
    let exit = match shown.state.as_str() {
        "answered" if shown.skipped.is_empty() => {
            say(shown, &shown.answers, json)?;
            if is_a_no(&shown.body, &shown.answers) {
                tell(&visible(words));
                Exit::Dismissed
            } else {
                Exit::Good
            }
        }
        // The person said something, but did not answer the question.
        "answered" => {
            tell(&visible(words));
            Exit::Dismissed
        }
        "ruled" => {
            say(shown, &shown.answers, json)?;
            if let Some(By::Rule { rule }) = &shown.by {
                tell(&format!("note: answered by the rule `{}`, not by a person", visible(rule)));
            }
            // A question that a rule refused has words and no answer.
            if shown.words.is_some() || is_a_no(&shown.body, &shown.answers) {
                tell(&visible(words));
                Exit::Dismissed
            } else {
                Exit::Good
            }
        }
        "dismissed" => {
            tell(&visible(words));
            Exit::Dismissed
        }
        "expired" => {
            if let Some(assumed) = shown.verdict.as_ref().and_then(|verdict| verdict.assume.as_ref()) {
                say(shown, assumed, json)?;
            }
            tell(&visible(words));
            Exit::Expired
        }
        state @ ("withdrawn" | "overtaken") => {
            let why = shown.words.as_deref().map(|why| format!(": {}", visible(why))).unwrap_or_default();
            tell(&format!("the question was {state}{why}"));
            Exit::Withdrawn
        }
        state => return Err(Failure::new(format!("the question is {state}, which this release does not know"))),
    };
    for note in shown.notes.values().filter_map(Value::as_str) {
        tell(&format!("note: {}", visible(note)));
    }
    Ok(exit)
}

/// Prints an answer as it was given: a label, several labels on separate lines, or text.
fn say(shown: &Shown, answers: &Value, json: bool) -> Result<(), Failure> {
    if json {
        return Ok(());
    }
    let questions = match &shown.body {
        Body::Questions(questions) => questions,
        Body::Approval(_) | Body::Plan(_) => {
            return Ok(answers["decision"].as_str().map_or(Ok(()), print)?);
        }
        Body::Form(_) => return Ok(print(&answers.to_string())?),
    };
    for question in questions {
        match answers.get(&question.question) {
            Some(Value::String(said)) => print(said)?,
            Some(Value::Array(list)) => {
                for said in list.iter().filter_map(Value::as_str) {
                    print(said)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Is it anything but the one yes of an approval or a plan?
fn is_a_no(body: &Body, answers: &Value) -> bool {
    match body {
        Body::Approval(_) => answers["decision"] != "allow",
        Body::Plan(_) => answers["decision"] != "approve",
        Body::Questions(_) | Body::Form(_) => false,
    }
}
