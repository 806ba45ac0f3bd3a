//! Examples beside rules: an ask, and what is to become of it.

use askbridge_core::answer::RuleSays;
use askbridge_core::ask::{Approval, Body, Choice, Form, Kind, Plan, Question};
use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::{AskFacts, LocalTime, RuleSet, Ruled, RulesOutcome, Weekday, explain, rule_ask};
use askbridge_core::rules::asks::{Call, Explained};
use askbridge_core::terms::Wishes;
use askbridge_core::verdict::in_words;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::call::JsonCall;
use crate::exactly::digest_questions;
use crate::keys::EXAMPLE;
use crate::nearest::nearest;
use crate::rule::{Complaint, whole};

/// An ask, and what is to become of it.
#[derive(Debug, Clone)]
pub struct Example {
    /// The rule that it is kept beside.
    pub beside: String,
    pub line: usize,
    pub expected: Outcome,
    /// The rule that has to decide, if that matters.
    pub by: Option<String>,
    pub ask: ExampleAsk,
}

/// What becomes of an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Allow,
    Deny,
    /// A rule sends it to a person.
    Ask,
    /// No rule decides, so a person does.
    None,
    /// The rule answers this.
    Answer(String),
}

/// The facts of an example.
#[derive(Debug, Clone)]
pub struct ExampleAsk {
    pub body: Body,
    pub door: String,
    pub agent: String,
    /// The session's id.
    pub session: Option<String>,
    pub title: Option<String>,
    pub folder: Option<String>,
    pub branch: Option<String>,
    pub local: Option<LocalTime>,
    pub present: Option<bool>,
    pub decided_before: u32,
}

impl Outcome {
    fn read(text: &str) -> Self {
        match text {
            "allow" => Self::Allow,
            "deny" => Self::Deny,
            "ask" => Self::Ask,
            "none" => Self::None,
            answer => Self::Answer(answer.to_owned()),
        }
    }

    /// What a ruling makes of an ask.
    pub fn of(ruling: &RulesOutcome<'_>, body: &Body) -> Self {
        match (&ruling.ruled, ruling.rule) {
            (Ruled::Ask | Ruled::AskSeveral, None) => Self::None,
            (Ruled::Ask | Ruled::AskSeveral, Some(_)) => Self::Ask,
            (Ruled::Says(_), Some(rule)) if rule.action.name() == "deny" => Self::Deny,
            (Ruled::Says(RuleSays::Answer(answer)), _) if body.kind() == Kind::Questions => {
                Self::Answer(in_words(body, answer))
            }
            (Ruled::Says(_), _) => Self::Allow,
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::None => "none",
            Self::Answer(answer) => answer,
        }
    }
}

impl ExampleAsk {
    /// Runs a function with the facts of this ask.
    pub fn with_facts<T>(&self, then: impl FnOnce(&AskFacts<'_>) -> T) -> T {
        let call = match &self.body {
            Body::Approval(approval) => Some(JsonCall::from(approval)),
            _ => None,
        };
        let none = Wishes::default();
        then(&AskFacts {
            at: Timestamp(0),
            door: &self.door,
            agent: &self.agent,
            session: self.session.as_deref(),
            title: self.title.as_deref(),
            folder: self.folder.as_deref(),
            branch: self.branch.as_deref(),
            body: Some(&self.body),
            call: call.as_ref().map(|call| call as &dyn Call),
            digest_questions: Some(digest_questions),
            local: self.local,
            present: self.present,
            decided_before: self.decided_before,
            wishes: [&none; 4],
        })
    }

    pub fn explain<'r>(&self, rules: &'r RuleSet) -> (RulesOutcome<'r>, Vec<Explained<'r>>) {
        self.with_facts(|facts| explain(rules, facts))
    }
}

impl Example {
    /// Runs the example. The error says what became of the ask instead.
    pub fn run(&self, rules: &RuleSet) -> Result<(), String> {
        self.ask.with_facts(|facts| {
            let ruling = rule_ask(rules, facts);
            let outcome = Outcome::of(&ruling, &self.ask.body);
            let by = ruling.rule.map(|rule| rule.name.as_str());
            if outcome == self.expected && self.by.as_deref().is_none_or(|wanted| by == Some(wanted)) {
                return Ok(());
            }
            let by = by.map(|by| format!(" by `{by}`")).unwrap_or_default();
            let wanted = self.by.as_ref().map(|by| format!(" by `{by}`")).unwrap_or_default();
            Err(format!("wanted {}{wanted}, got {}{by}", self.expected.text(), outcome.text()))
        })
    }

    /// Reads an ask from a table with the keys of an example, without what is expected of it.
    pub fn ask_of(text: &str) -> Result<ExampleAsk, String> {
        let table = DeTable::parse(text).map_err(|error| format!("this is not TOML: {}", error.message()))?;
        let (example, problems) = one(table.get_ref(), 0, "", 1, Expected::No);
        match (example, problems.into_iter().next()) {
            (_, Some((_, what, hint))) => Err(hint.map(|hint| format!("{what} ({hint})")).unwrap_or(what)),
            (Some(example), None) => Ok(example.ask),
            (None, None) => Err("this is no ask".to_owned()),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Expected {
    Yes,
    No,
}

pub(crate) fn read(
    value: &Spanned<DeValue<'_>>,
    beside: &str,
    line: impl Fn(usize) -> usize,
) -> (Vec<Example>, Vec<Complaint>) {
    let at = value.span().start;
    let DeValue::Array(list) = value.get_ref() else {
        let what = "`examples` is a list; begin each with a line [[rules.examples]]".to_owned();
        return (Vec::new(), vec![(at, what, None)]);
    };
    let (mut examples, mut problems) = (Vec::new(), Vec::new());
    for item in list {
        let at = item.span().start;
        match item.get_ref() {
            DeValue::Table(table) => {
                let (example, more) = one(table, at, beside, line(at), Expected::Yes);
                examples.extend(example);
                problems.extend(more);
            }
            _ => problems.push((at, "an example is a section; begin it with [[rules.examples]]".to_owned(), None)),
        }
    }
    (examples, problems)
}

fn one(
    table: &DeTable<'_>,
    at: usize,
    beside: &str,
    line: usize,
    expected: Expected,
) -> (Option<Example>, Vec<Complaint>) {
    let mut problems: Vec<Complaint> = Vec::new();
    for (key, _) in table {
        let name = key.get_ref().as_ref();
        if !EXAMPLE.contains(&name) {
            let hint = nearest(name, EXAMPLE.iter().copied()).map(|meant| format!("did you mean `{meant}`?"));
            problems.push((key.span().start, format!("an example has no `{name}`"), hint));
        }
    }
    let text = |name: &str| match table.get(name).map(|value| value.get_ref()) {
        Some(DeValue::String(text)) => Some(text.to_string()),
        _ => None,
    };
    let flag = |name: &str| match table.get(name).map(|value| value.get_ref()) {
        Some(DeValue::Boolean(flag)) => Some(*flag),
        _ => None,
    };
    let (is, body) = (text("is"), body(table, &text));
    if expected == Expected::Yes && is.is_none() {
        let hint = "add is = \"allow\", \"deny\", \"ask\", \"none\", or the label that is answered".to_owned();
        problems.push((at, "the example does not say what is to become of it".to_owned(), Some(hint)));
    }
    let local = local(text("time").as_deref(), text("day").as_deref());
    if let Err(why) = &local {
        problems.push((at, why.clone(), None));
    }
    let Some(body) = body else {
        let hint = "add command, tool, question, plan or form".to_owned();
        problems.push((at, "the example asks nothing".to_owned(), Some(hint)));
        return (None, problems);
    };
    let ask = ExampleAsk {
        body,
        door: text("door").unwrap_or_else(|| "claude".to_owned()),
        agent: text("agent").unwrap_or_else(|| "claude".to_owned()),
        session: text("session"),
        title: text("session"),
        folder: text("folder"),
        branch: text("branch"),
        local: local.unwrap_or_default(),
        present: flag("present"),
        decided_before: table.get("decided_before").and_then(|value| whole(value.get_ref())).unwrap_or(0),
    };
    let expected = Outcome::read(is.as_deref().unwrap_or("none"));
    (Some(Example { beside: beside.to_owned(), line, expected, by: text("by"), ask }), problems)
}

fn body(table: &DeTable<'_>, text: &impl Fn(&str) -> Option<String>) -> Option<Body> {
    let approval = |tool: String, input: Value| {
        let (input, summary) = (input.to_string(), None);
        Body::Approval(Approval {
            tool,
            input: input.into(),
            summary,
            reason: None,
            rules: Vec::new(),
            overrule: false,
        })
    };
    if let Some(command) = text("command") {
        return Some(approval(
            text("tool").unwrap_or_else(|| "Bash".to_owned()),
            serde_json::json!({"command": command}),
        ));
    }
    if let Some(tool) = text("tool") {
        let input = table.get("input").map_or_else(|| Value::Object(Map::new()), |value| json(value.get_ref()));
        return Some(approval(tool, input));
    }
    if let Some(asked) = text("question") {
        let labels = match table.get("options").map(|value| value.get_ref()) {
            Some(DeValue::Array(list)) => list.iter().filter_map(|item| item.get_ref().as_str()).collect(),
            _ => Vec::new(),
        };
        let option = |label: &str| Choice { label: label.to_owned(), description: None, preview: None };
        let options = labels.into_iter().map(option).collect();
        return Some(Body::Questions(vec![Question {
            text: asked,
            header: text("header"),
            options,
            multi: false,
            secret: false,
        }]));
    }
    if let Some(text) = text("plan") {
        return Some(Body::Plan(Plan { text }));
    }
    let message = text("form")?;
    Some(Body::Form(Form { message, fields: Vec::new(), url: None, schema: None }))
}

fn local(time: Option<&str>, day: Option<&str>) -> Result<Option<LocalTime>, String> {
    if time.is_none() && day.is_none() {
        return Ok(None);
    }
    let time = time.unwrap_or("12:00");
    let minute = time.split_once(':').and_then(|(hours, minutes)| {
        let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
        (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
    });
    let day = day.unwrap_or("mon");
    let weekday = Weekday::ALL.into_iter().find(|known| known.name() == day);
    match (minute, weekday) {
        (Some(minute), Some(weekday)) => Ok(Some(LocalTime { minute, weekday })),
        (None, _) => Err(format!("`{time}` is not a time of day, like 22:30")),
        (_, None) => Err(format!("`{day}` is not a day; there are mon, tue, wed, thu, fri, sat, sun")),
    }
}

fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or(Value::Null, Value::from),
        DeValue::Boolean(flag) => Value::from(*flag),
        DeValue::Datetime(time) => Value::from(time.to_string()),
        DeValue::Array(list) => list.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(table) => {
            table.iter().map(|(name, value)| (name.get_ref().to_string(), json(value.get_ref()))).collect()
        }
    }
}
