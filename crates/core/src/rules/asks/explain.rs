//! Says of every rule whether it matched an ask, and why not.

use super::conditions::Condition;
use super::facts::AskFacts;
use super::outcome::{Ruled, RulesOutcome, rule_ask};
use super::rule::{Action, AskRule, RuleSet};
use crate::ask::Body;

/// One rule, and what it had to do with the ask.
#[derive(Debug, Clone)]
pub struct Explained<'r> {
    pub rule: &'r AskRule,
    pub why: Why,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It decides.
    Decides,
    /// It matches and would decide, but several people have to agree.
    NeedsPeople,
    /// It matches, and only its terms count: it decides nothing, or a rule before it decides.
    Matches,
    /// The first condition that does not hold, what it wants, and what the ask has.
    Misses { condition: Condition, name: String, wants: String, has: String },
}

/// Explains a ruling: for every rule, in file order.
pub fn explain<'r>(rules: &'r RuleSet, facts: &AskFacts<'_>) -> (RulesOutcome<'r>, Vec<Explained<'r>>) {
    let ruling = rule_ask(rules, facts);
    let explained = rules.rules().map(|rule| {
        let is_it = ruling.rule.is_some_and(|decides| std::ptr::eq(decides, rule));
        let why = match rule.why_not(facts) {
            Some(misses) => misses,
            None if is_it && ruling.ruled == Ruled::AskSeveral => Why::NeedsPeople,
            None if is_it => Why::Decides,
            None => Why::Matches,
        };
        Explained { rule, why }
    });
    let explained = explained.collect();
    (ruling, explained)
}

impl AskRule {
    /// Why it does not match. `None`: it does.
    pub(super) fn why_not(&self, facts: &AskFacts<'_>) -> Option<Why> {
        let condition = self.miss(facts)?;
        let (name, wants, has) = self.told(condition, facts);
        Some(Why::Misses { condition, name, wants, has })
    }

    /// Returns a condition's name, what it wants, and what the ask has.
    fn told(&self, condition: Condition, facts: &AskFacts<'_>) -> (String, String, String) {
        let when = &self.when;
        let one = |text: Option<&str>| text.map_or_else(|| "none".to_owned(), |text| format!("`{text}`"));
        let of_questions = |what: &dyn Fn(&crate::ask::Question) -> Vec<String>| {
            let all: Vec<_> = facts.questions().iter().flat_map(what).map(|text| format!("`{text}`")).collect();
            if all.is_empty() { "none".to_owned() } else { all.join(", ") }
        };
        let (wants, has) = match condition {
            Condition::Door => (listed(&when.door), one(Some(facts.door))),
            Condition::Agent => (listed(&when.agent), one(Some(facts.agent))),
            Condition::Session => (listed(&when.session), one(facts.title.or(facts.session))),
            Condition::Folder => (listed(&when.folder), one(facts.folder)),
            Condition::Branch => (listed(&when.branch), one(facts.branch)),
            Condition::Kind => {
                let kinds: Vec<_> = when.kind.iter().map(|kind| kind.name()).collect();
                (listed(&kinds), one(facts.body.map(|body| body.kind().name())))
            }
            Condition::Tool => {
                let wants = when.tool.as_ref().map(|tool| tool.to_string()).unwrap_or_default();
                let has = facts.call.map(|call| match call.script() {
                    Some(script) => format!("{}({})", call.tool(), script.text),
                    None => call.tool().to_owned(),
                });
                (wants, one(has.as_deref()))
            }
            Condition::Input(at) => {
                let (path, patterns) = &when.input[at];
                let has = facts.call.and_then(|call| call.field(path).map(|text| text.into_owned()));
                return (format!("input.{path}"), listed(patterns), one(has.as_deref()));
            }
            Condition::InputSha256 => {
                let wants = when.input_sha256.clone().unwrap_or_default();
                (format!("`{wants}`"), one(facts.digest().as_deref()))
            }
            Condition::Risk => {
                let risks = facts.call.map(|call| call.risks(facts.folder)).unwrap_or_default();
                let has: Vec<_> = risks.iter().collect();
                (
                    listed(&when.risk),
                    if has.is_empty() { "none".to_owned() } else { listed(&has).replace(" or ", ", ") },
                )
            }
            Condition::Question => (listed(&when.question), of_questions(&|question| vec![question.text.clone()])),
            Condition::Header => {
                let wanted: Vec<String> =
                    when.header.iter().map(ToString::to_string).chain(when.first_header.clone()).collect();
                (listed(&wanted), of_questions(&|question| question.header.clone().into_iter().collect()))
            }
            Condition::Option => (
                listed(&when.option),
                of_questions(&|question| question.options.iter().map(|option| option.label.clone()).collect()),
            ),
            Condition::AsksAbout => (listed(&when.asks_about), one(Some(facts.headline()))),
            Condition::Hours => {
                let has = facts.local.map(|local| format!("{:02}:{:02}", local.minute / 60, local.minute % 60));
                (listed(&when.hours), one(has.as_deref()))
            }
            Condition::Weekdays => {
                let days: Vec<_> = when.weekdays.iter().map(|day| day.name()).collect();
                (listed(&days), one(facts.local.map(|local| local.weekday.name())))
            }
            Condition::Present => {
                let wants = when.present.map(|present| present.to_string()).unwrap_or_default();
                let has = facts.present.map(|present| present.to_string());
                (format!("`{wants}`"), has.map_or_else(|| "unknown".to_owned(), |has| format!("`{has}`")))
            }
            Condition::DecidedBefore => {
                let wants = when.decided_before.unwrap_or_default();
                (format!("at least {wants}"), facts.decided_before.to_string())
            }
            Condition::Until => {
                let wants = when.until.map(|until| until.0 / 1000).unwrap_or_default();
                (format!("before {wants} s since 1970"), format!("{} s since 1970", facts.at.0 / 1000))
            }
            Condition::Action => (self.action.wants().to_owned(), what_is_asked(facts)),
        };
        (condition.name().to_owned(), wants, has)
    }
}

impl Action {
    fn wants(&self) -> &'static str {
        match self {
            Self::Answer(_) => "an answer that every question offers",
            Self::Allow => "an approval or a plan",
            Self::Terms | Self::Ask | Self::Park | Self::Deny { .. } => "an ask",
        }
    }
}

fn what_is_asked(facts: &AskFacts<'_>) -> String {
    match facts.body {
        None => "no ask".to_owned(),
        Some(Body::Questions(questions)) => {
            let labels = |question: &crate::ask::Question| {
                let labels: Vec<_> = question.options.iter().map(|option| format!("`{}`", option.label)).collect();
                if labels.is_empty() { "free text".to_owned() } else { labels.join(", ") }
            };
            questions.iter().map(labels).collect::<Vec<_>>().join("; ")
        }
        Some(body) => body.kind().name().to_owned(),
    }
}

fn listed<T: std::fmt::Display>(list: &[T]) -> String {
    list.iter().map(|item| format!("`{item}`")).collect::<Vec<_>>().join(" or ")
}
