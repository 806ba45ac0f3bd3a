//! Asks to test with, one of each body.

use std::time::Duration;

use askbridge_core::answer::Pick;
use askbridge_core::ask::{
    Approval, Ask, Asker, Body, Choice, Context, Field, FieldKind, Form, OfferedRule, Question, Reach,
};
use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::terms::{OnDismissal, OnExpiry, OtherTools, Terms, Warm, WhileOpen};

use crate::given::{HERE, second};

pub(crate) fn ask(body: Body) -> Ask {
    Ask {
        id: AskId { session: HERE, number: 1 },
        at: Timestamp(0),
        body,
        terms: Terms {
            deadline: None,
            on_expiry: OnExpiry::Tell,
            on_dismissal: OnDismissal::Tell,
            warm: Warm::Hold,
            undo: Duration::ZERO,
            messages: WhileOpen::Hold,
            parallel: true,
            other_tools: OtherTools::Ask,
            quorum: 1,
        },
        reach: Reach::Held,
        asker: Asker { door: "http".into(), agent: "ci".into(), party: "p".into(), machine: None },
        call: None,
        context: Context::default(),
        key: None,
        stated: None,
        original: None,
        instead_of: None,
    }
}

pub(crate) fn option(label: &str) -> Choice {
    Choice { label: label.into(), description: None, preview: None }
}

pub(crate) fn question(text: &str, labels: &[&str]) -> Question {
    Question {
        text: text.into(),
        header: None,
        options: labels.iter().map(|label| option(label)).collect(),
        multi: false,
        secret: false,
    }
}

pub(crate) fn multi(text: &str, labels: &[&str]) -> Question {
    Question { multi: true, ..question(text, labels) }
}

pub(crate) fn approval() -> Approval {
    Approval {
        tool: "Bash".into(),
        input: r#"{"command":"rm -r build"}"#.into(),
        summary: Some("rm -r build".into()),
        reason: None,
        rules: vec![OfferedRule { label: "rm *".into(), rule: "{}".into() }],
        overrule: false,
    }
}

/// A call that the agent's own classifier has denied.
pub(crate) fn denied() -> Approval {
    Approval { reason: Some("it deletes files".into()), rules: Vec::new(), overrule: true, ..approval() }
}

pub(crate) fn field(name: &str, kind: FieldKind, required: bool) -> Field {
    Field { name: name.into(), title: None, description: None, kind, required }
}

pub(crate) fn every_kind_of_field() -> Form {
    let pets = || vec!["cat".to_owned(), "dog, small".to_owned()];
    Form {
        message: "About you".into(),
        fields: vec![
            field("name", FieldKind::Text, true),
            field("height", FieldKind::Number, false),
            field("age", FieldKind::Integer, false),
            field("member", FieldKind::Flag, false),
            field("pet", FieldKind::OneOf(pets()), false),
            field("pets", FieldKind::ManyOf(pets()), false),
        ],
        url: None,
        schema: None,
    }
}

/// A yes-or-no question with this number, asked at second 0, that waits for ever.
pub(crate) fn q(number: u32) -> Ask {
    let text = format!("Question {number}?");
    Ask { id: AskId { session: HERE, number }, ..ask(Body::Questions(vec![question(&text, &["Yes", "No"])])) }
}

pub(crate) fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Returns the same ask with other terms.
pub(crate) trait On: Sized {
    /// Asked at this second.
    fn asked_at(self, at: i64) -> Self;
    /// With this second as deadline.
    fn until(self, deadline: i64) -> Self;
    fn undo(self, undo: u64) -> Self;
    fn quorum(self, people: u8) -> Self;
    fn assuming(self, option: u16) -> Self;
    fn messages(self, messages: WhileOpen) -> Self;
    fn alone(self) -> Self;
    fn resumable(self, warm: u64) -> Self;
    fn key(self, key: &str) -> Self;
    fn instead_of(self, old: u32) -> Self;
}

impl On for Ask {
    fn asked_at(self, at: i64) -> Self {
        Self { at: second(at), ..self }
    }

    fn until(mut self, deadline: i64) -> Self {
        self.terms.deadline = Some(second(deadline));
        self
    }

    fn undo(mut self, undo: u64) -> Self {
        self.terms.undo = secs(undo);
        self
    }

    fn quorum(mut self, people: u8) -> Self {
        self.terms.quorum = people;
        self
    }

    fn assuming(mut self, option: u16) -> Self {
        self.terms.on_expiry = OnExpiry::Assume(vec![Pick::option(option)]);
        self
    }

    fn messages(mut self, messages: WhileOpen) -> Self {
        self.terms.messages = messages;
        self
    }

    fn alone(mut self) -> Self {
        self.terms.parallel = false;
        self
    }

    fn resumable(mut self, warm: u64) -> Self {
        self.terms.warm = Warm::For(secs(warm));
        Self { reach: Reach::Resumable, ..self }
    }

    fn key(self, key: &str) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    fn instead_of(self, old: u32) -> Self {
        Self { instead_of: Some(AskId { session: HERE, number: old }), ..self }
    }
}
