//! The script of the demo: each step depends on the answers before it.

use serde_json::Value;

use super::asks;
use super::run::{Answered, DemoRun};
use crate::client::Shown;
use crate::failure::Failure;

/// The deadline of the ask that is left to expire.
const SHORT_SECONDS: u32 = 3;
/// How often a plan is sent back before the agent gives in.
const PLANS_MAX: usize = 3;

pub(super) async fn play(run: &mut DemoRun) -> Result<(), Failure> {
    run.say(
        "Hello. I am a demo: a script inside askbridge that pretends to be an agent. I change nothing. \
         I will ask you a few things; each is stored before you see it, and each answer before I hear it.",
    )?;
    let project = one(run, asks::project(), asks::PROJECT).await?;
    run.say(&match &project {
        Some(project) => format!("“{project}”, then. Several of the next may be chosen."),
        None => "No project? Then I go on without one, and do not make one up.".to_owned(),
    })?;

    let parts = run.ask(asks::parts(project.as_deref()), Answered::ByThePerson).await?;
    let parts = chosen(&parts, asks::PARTS);
    run.say(&match parts.len() {
        0 => "No part comes first, so the order is mine.".to_owned(),
        _ => format!("First {}. Now three questions at once; skip what you like with Enter.", parts.join(", then ")),
    })?;

    let several = run.ask(asks::several(), Answered::ByThePerson).await?;
    let name = text(&several, asks::NAME).unwrap_or_else(|| "nameless".to_owned());
    run.say(&about(&several, &name))?;

    let look = one(run, asks::look(&name), asks::LOOK).await?;
    run.say(&match look {
        Some(look) => format!("“{look}” it is. Next I need your leave: asking is not being allowed."),
        None => "I keep it plain. Next I need your leave: asking is not being allowed.".to_owned(),
    })?;

    let approval = run.ask(asks::approval(&name), Answered::ByThePerson).await?;
    run.say(&leave(&approval))?;
    plan(run, project.as_deref(), &name, &parts).await?;
    nobody_comes(run).await?;
    run.say(
        "That was all. Real agents ask in the same way. Start the server with `askbridge`, let your phone in with \
         `askbridge pair`, and ask from a script with `askbridge ask \"Deploy now?\" -o Yes -o No`.",
    )
}

/// Asks a single question, and returns the chosen option or the text.
async fn one(run: &mut DemoRun, body: Value, question: &str) -> Result<Option<String>, Failure> {
    let ask = run.ask(body, Answered::ByThePerson).await?;
    Ok(text(&ask, question))
}

fn text(ask: &Shown, question: &str) -> Option<String> {
    chosen(ask, question).into_iter().next()
}

fn chosen(ask: &Shown, question: &str) -> Vec<String> {
    match ask.answers.get(question) {
        Some(Value::String(said)) => vec![said.clone()],
        Some(Value::Array(list)) => list.iter().filter_map(|said| Some(said.as_str()?.to_owned())).collect(),
        _ => Vec::new(),
    }
}

fn about(ask: &Shown, name: &str) -> String {
    let mut said = match text(ask, asks::NAME) {
        Some(_) => format!("“{name}” is a good name."),
        None => "Without a name I call it “nameless”, and say so.".to_owned(),
    };
    match text(ask, asks::LICENCE) {
        Some(licence) => said.push_str(&format!(" Licence: {licence}.")),
        None => said.push_str(" You skipped the licence; I was told that, and assume nothing."),
    }
    match text(ask, asks::TESTS).as_deref() {
        Some("Yes") => said.push_str(" Tests first."),
        Some(_) => said.push_str(" Tests later."),
        None => {}
    }
    said.push_str(" Here are two looks to choose from.");
    said
}

fn leave(ask: &Shown) -> String {
    let decision = ask.answers.get("decision").and_then(Value::as_str);
    match decision {
        Some("allow") if ask.answers.get("always").is_some() => {
            "Allowed, and for good: a real agent would not ask for this again. I only pretend to run it.".to_owned()
        }
        Some("allow") => "Allowed, this once. A real agent would run it now; I only pretend.".to_owned(),
        Some(_) => match ask.answers.get("words").and_then(Value::as_str).filter(|words| !words.is_empty()) {
            Some(words) => format!("Denied, and I hear why: “{words}”. I go on without it."),
            None => "Denied. I go on without it.".to_owned(),
        },
        None => told(ask),
    }
}

/// Sends a plan, and a changed one each time it is sent back.
async fn plan(run: &mut DemoRun, project: Option<&str>, name: &str, parts: &[String]) -> Result<(), Failure> {
    let project = project.unwrap_or("something").to_lowercase();
    let steps = if parts.is_empty() { vec!["begin".to_owned()] } else { parts.to_vec() };
    let steps: Vec<_> = steps.iter().enumerate().map(|(place, step)| format!("{}. {step}", place + 1)).collect();
    let first = format!("Build {project} called “{name}”\n\n{}", steps.join("\n"));
    let mut text = first.clone();
    for _ in 0..PLANS_MAX {
        let ask = run.ask(asks::plan(&text), Answered::ByThePerson).await?;
        let words = ask.answers.get("words").and_then(Value::as_str).unwrap_or_default().to_owned();
        match ask.answers.get("decision").and_then(Value::as_str) {
            Some("approve") => return run.say("Approved. A real agent would begin now."),
            Some("send_back") => {
                run.say(&format!("Sent back: “{words}”. I change the plan and ask again."))?;
                text = format!("{first}\n\nChanged, because you said: {words}");
            }
            _ => return run.say(&told(&ask)),
        }
    }
    run.say("Sent back again. A real agent would think longer; I go on.")
}

/// Lets one ask expire, and asks the same again without a deadline.
async fn nobody_comes(run: &mut DemoRun) -> Result<(), Failure> {
    if one(run, asks::again(), asks::AGAIN).await?.as_deref() != Some("Yes") {
        return Ok(());
    }
    run.say(&format!("This one waits {SHORT_SECONDS} seconds. Leave it alone, and see what I am told."))?;
    let ask = run.ask(asks::publish(SHORT_SECONDS), Answered::ByNobody).await?;
    if ask.state != "expired" {
        return run.say("You were faster than the deadline. That counts, of course.");
    }
    run.say(&told(&ask))?;
    run.say("So I assume nothing more than I was told, and ask again, this time for as long as it takes.")?;
    let mut again = asks::publish(SHORT_SECONDS);
    if let Some(body) = again.as_object_mut() {
        body.remove("timeout_seconds");
        body.remove("on_expiry");
    }
    let said = one(run, again, asks::PUBLISH).await?;
    run.say(match said.as_deref() {
        Some("Yes") => "Published, as far as a demo can.",
        Some("No") => "Then it stays with us.",
        Some(_) => "I hear you, and publish nothing.",
        None => "No answer is no leave: I publish nothing.",
    })
}

/// What the agent reads when there is no answer.
fn told(ask: &Shown) -> String {
    let words = ask.verdict.as_ref().map_or("", |verdict| verdict.words.as_str());
    format!("There is no answer, and this is all that an agent is told: “{words}”")
}
