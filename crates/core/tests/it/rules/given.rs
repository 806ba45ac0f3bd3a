//! Asks and rules for these tests.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use askbridge_core::ask::{Approval, Body, Choice, Form, Plan, Question};
use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::{
    Action, AskFacts, AskRule, Call, Conditions, Leaning, Need, Risk, Risks, RuleFile, RuleSet, Script, TermsOf,
    TextPattern, ToolCondition,
};
use askbridge_core::terms::Wishes;

pub(crate) static NONE: Wishes = Wishes {
    wait: None,
    on_expiry: None,
    on_dismissal: None,
    warm: None,
    undo: None,
    messages: None,
    parallel: None,
    other_tools: None,
    quorum: None,
};

pub(crate) fn facts(body: &Body) -> AskFacts<'_> {
    AskFacts {
        at: Timestamp(1_000),
        door: "claude",
        agent: "claude",
        session: Some("ses_1"),
        title: Some("Release"),
        folder: Some("/srv/app"),
        branch: Some("main"),
        body: Some(body),
        call: None,
        digest_questions: None,
        local: None,
        present: None,
        decided_before: 0,
        wishes: [&NONE; 4],
    }
}

pub(crate) fn question(text: &str, labels: &[&str]) -> Question {
    let option = |label: &&str| Choice { label: (*label).to_owned(), description: None, preview: None };
    Question {
        text: text.to_owned(),
        header: Some("Header".to_owned()),
        options: labels.iter().map(option).collect(),
        multi: false,
        secret: false,
    }
}

pub(crate) fn approval(tool: &str) -> Body {
    Body::Approval(Approval {
        tool: tool.to_owned(),
        input: r#"{"command":"make"}"#.into(),
        summary: None,
        reason: None,
        rules: Vec::new(),
        overrule: false,
    })
}

pub(crate) fn plan() -> Body {
    Body::Plan(Plan { text: "First this, then that".to_owned() })
}

pub(crate) fn form() -> Body {
    Body::Form(Form { message: "Where to?".to_owned(), fields: Vec::new(), url: None, schema: None })
}

pub(crate) fn rule(name: &str, action: Action) -> AskRule {
    AskRule { name: name.to_owned(), action, ..AskRule::default() }
}

pub(crate) fn deny(name: &str) -> AskRule {
    rule(name, Action::Deny { words: format!("{name} says no") })
}

pub(crate) fn when(when: Conditions, rule: AskRule) -> AskRule {
    AskRule { when, ..rule }
}

pub(crate) fn set(rules: Vec<AskRule>) -> RuleSet {
    RuleSet::new(vec![RuleFile { terms: TermsOf::Every, rules }], Wishes::default())
}

/// A call without an input.
pub(crate) struct Named<'a>(pub(crate) &'a str);

impl Call for Named<'_> {
    fn tool(&self) -> &str {
        self.0
    }

    fn field(&self, path: &str) -> Option<Cow<'_, str>> {
        (path == "command").then_some(Cow::Borrowed("make"))
    }

    fn script(&self) -> Option<&Script> {
        None
    }

    fn words(&self, _: Option<&str>) -> Option<Vec<String>> {
        Some(Vec::new())
    }

    fn texts(&self, _: Option<&str>) -> Option<Vec<String>> {
        Some(Vec::new())
    }

    fn digest(&self) -> Option<String> {
        Some(format!("digest of {}", self.0))
    }

    fn is_readable(&self) -> bool {
        true
    }

    /// Deletes, if it is so called.
    fn risks(&self, _: Option<&str>) -> Risks {
        (self.0 == "Delete").then_some(Risk::Deletes).into_iter().collect()
    }
}

/// Holds for the tool of this name.
#[derive(Debug)]
pub(crate) struct Exactly(pub(crate) String);

impl ToolCondition for Exactly {
    fn holds(&self, call: &dyn Call, _: Option<&str>, _: Leaning) -> bool {
        call.tool() == self.0
    }

    fn needs(&self) -> Vec<Vec<Need>> {
        vec![vec![Need::Tool(TextPattern::Exact(self.0.clone()))]]
    }
}

impl fmt::Display for Exactly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) fn tool(name: &str) -> Conditions {
    Conditions { tool: Some(Arc::new(Exactly(name.to_owned()))), ..Conditions::default() }
}
