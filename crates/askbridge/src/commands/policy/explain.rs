//! Says which rule decides an ask, and why the others do not.

use std::fs;
use std::path::Path;
use std::ptr;

use anyhow::Context;
use askbridge_bridge::rule_file::{RuleSource, RulesRead};
use askbridge_core::answer::RulePlace;
use askbridge_core::ask::Body;
use askbridge_core::event::ToolRuling;
use askbridge_core::rules::asks::{
    AskRule, EveryCall, Explained, Risk, RuleSet, Ruled, Why, rule_ask_in, rule_every_call,
};
use askbridge_policy::{ExampleAsk, Outcome};
use serde_json::{Value, json};

use super::asked;
use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::Settings;

/// Which of the rules that match decides.
const ORDER: &str = "of those that match, one that denies decides, else one that asks or parks, else one that allows or answers; the first of them";

pub(super) async fn explain(
    settings: &Settings,
    rules: &RulesRead,
    source: &RuleSource,
    id: Option<&str>,
    input: Option<&Path>,
    json: bool,
) -> Result<Exit, Failure> {
    let ask = match (id, input) {
        (_, Some(path)) => {
            let text = fs::read_to_string(path).with_context(|| format!("could not read `{}`", path.display()))?;
            asked::of_text(&text).map_err(|why| Failure::new(format!("{}: {why}", path.display())))?
        }
        (id, None) => of_server(settings, id.unwrap_or_default()).await?,
    };
    let project = ask.folder.as_deref().and_then(|folder| source.project(folder, &rules.set));
    let (project, problems) = project.unzip();
    let (_, mut explained) = ask.explain(&rules.set);
    let ruling = ask.with_facts(|facts| rule_ask_in(&rules.set, project.as_ref(), facts));
    explained.extend(project.iter().flat_map(|project| ask.explain(project.set()).1));
    for line in &mut explained {
        // Each file has been explained on its own; of both, one rule decides.
        let is_it = ruling.rule.is_some_and(|rule| ptr::eq(rule, line.rule));
        match line.why {
            Why::Decides | Why::NeedsPeople if !is_it => line.why = Why::Matches,
            Why::Decides if ruling.ruled == Ruled::AskSeveral => line.why = Why::NeedsPeople,
            _ => {}
        }
    }
    for problem in problems.iter().flatten() {
        tell(&visible(&format!("note: {problem}")));
    }
    let risks = ask.with_facts(|facts| facts.call.map(|call| call.risks(facts.folder)));
    let outcome = Outcome::of(&ruling, &ask.body);
    let looks = |set: &RuleSet| set.looks_at_every_call();
    let is_looked_at = looks(&rules.set) || project.as_ref().is_some_and(|project| looks(project.set()));
    let is_call = is_looked_at && matches!(ask.body, Body::Approval(_));
    let before = ask.with_facts(|facts| rule_every_call(&rules.set, project.as_ref(), facts)).filter(|_| is_call);
    if json {
        let rules: Vec<_> = explained.iter().map(as_json).collect();
        let by = ruling.rule.map(named);
        let deadline = ruling.terms.deadline.map(|deadline| deadline.0 / 1000);
        let terms = json!({"timeout_seconds": deadline, "quorum": ruling.terms.quorum});
        let mut told = json!({"outcome": outcome.text(), "by": by, "terms": terms, "order": ["deny", "ask", "allow"], "rules": rules});
        if is_call {
            let ruling = before.map(|before| ruled(before.ruling));
            told["before_the_call"] = json!({"ruling": ruling, "by": before.map(|before| named(before.rule))});
        }
        if let Some(risks) = risks {
            told["risks"] = risks.iter().map(|risk| Value::from(risk.name())).collect();
        }
        print(&told.to_string())?;
        return Ok(Exit::Good);
    }
    if is_call {
        print(&visible(&before_the_call(before)))?;
    }
    print(&visible(&in_words(&outcome, ruling.rule)))?;
    if let Some(risks) = risks.filter(|risks| !risks.is_empty()) {
        let names: Vec<_> = risks.iter().map(Risk::name).collect();
        print(&format!("hints, from its text alone: {}", names.join(", ")))?;
    }
    for line in &explained {
        print(&visible(&format!("  {}: {}", place(line.rule), why(line))))?;
    }
    if explained.len() > 1 {
        print(ORDER)?;
    }
    Ok(Exit::Good)
}

/// Fetches an ask without delivering its answer.
async fn of_server(settings: &Settings, id: &str) -> Result<ExampleAsk, Failure> {
    let client = Client::new(settings, (*settings.top.token).clone())?;
    let unknown =
        || Failure::new(format!("there is no ask `{id}`")).hint("its whole id is in `askbridge inbox --json`");
    let found = client.ask(id).await?.ok_or_else(unknown)?;
    let value: Value = serde_json::from_str(&found.raw).map_err(anyhow::Error::from)?;
    asked::of_json(&value).ok_or_else(unknown)
}

/// What becomes of the call before the agent's own mode has looked at it.
fn before_the_call(before: Option<EveryCall<'_>>) -> String {
    let Some(EveryCall { rule, ruling, .. }) = before else {
        return "before the call: no rule decides, and the agent's own mode says whether it asks".to_owned();
    };
    let by = format!("`{}` ({})", rule.name, place(rule));
    match ruling {
        ToolRuling::Deny => format!("before the call: denied by {by}, in every mode"),
        ToolRuling::Ask => format!("before the call: sent to a person by {by}, in every mode"),
        ToolRuling::Allow => format!("before the call: allowed by {by}, unless the agent's own rules deny it"),
    }
}

fn ruled(ruling: ToolRuling) -> &'static str {
    match ruling {
        ToolRuling::Allow => "allow",
        ToolRuling::Ask => "ask",
        ToolRuling::Deny => "deny",
    }
}

fn in_words(outcome: &Outcome, rule: Option<&AskRule>) -> String {
    let by = rule.map(|rule| format!("`{}` ({})", rule.name, place(rule))).unwrap_or_default();
    match outcome {
        Outcome::None => "no rule decides: a person is asked".to_owned(),
        Outcome::Ask => format!("a person is asked, by {by}"),
        Outcome::Allow => format!("allowed by {by}; no person is asked"),
        Outcome::Deny => format!("denied by {by}; no person is asked"),
        Outcome::Answer(answer) => format!("answered “{answer}” by {by}; no person is asked"),
    }
}

fn place(rule: &AskRule) -> String {
    match &rule.place {
        Some(RulePlace { file, line }) => format!("{file}:{line}"),
        None => "settings".to_owned(),
    }
}

fn why(line: &Explained<'_>) -> String {
    let name = &line.rule.name;
    match &line.why {
        Why::Decides => format!("`{name}` decides: {}", line.rule.action.name()),
        Why::NeedsPeople => format!("`{name}` would {}, but several people have to agree", line.rule.action.name()),
        Why::Matches if line.rule.action.name() == "terms" => format!("`{name}` matches, and sets terms"),
        Why::Matches => format!("`{name}` matches, but another rule comes first"),
        Why::Misses { name: condition, wants, has, .. } => {
            format!("`{name}` does not match: {condition} wants {wants}, and it is {has}")
        }
    }
}

fn named(rule: &AskRule) -> Value {
    let (file, line) = rule.place.as_ref().map(|place| (&place.file, place.line)).unzip();
    json!({"rule": rule.name, "file": file, "line": line, "do": rule.action.name()})
}

fn as_json(line: &Explained<'_>) -> Value {
    let mut told = named(line.rule);
    told["why"] = match &line.why {
        Why::Decides => json!("decides"),
        Why::NeedsPeople => json!("needs_people"),
        Why::Matches => json!("matches"),
        Why::Misses { .. } => json!("misses"),
    };
    if let Why::Misses { name, wants, has, .. } = &line.why {
        told["misses"] = json!({"condition": name, "wants": wants, "has": has});
    }
    told
}
