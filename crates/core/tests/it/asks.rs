//! Asks to test with, one of each body.

use std::time::Duration;

use askbridge_core::ask::{
    Approval, Ask, Asker, Body, Choice, Context, Field, FieldKind, Form, OfferedRule, Question, Reach,
};
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use askbridge_core::terms::{OnDismissal, OnExpiry, OtherTools, Terms, Warm, WhileOpen};

pub(crate) fn ask(body: Body) -> Ask {
    Ask {
        id: AskId { session: SessionId(1), number: 1 },
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
        asker: Asker { door: "http".into(), agent: "ci".into(), party: "p".into() },
        call: None,
        context: Context::default(),
        key: None,
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
    }
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
