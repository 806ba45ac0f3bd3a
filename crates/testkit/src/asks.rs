//! Sample asks by name, each with its own id.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::answer::{Answer, Decision, FieldValue, Filled, Pick, Review, Scope};
use askbridge_core::ask::{
    Approval, Ask, Asker, Body, Choice, Context, Field, FieldKind, Form, OfferedRule, Plan, Question, Reach,
};
use askbridge_core::ids::{AskId, CallId, SessionId, Timestamp};
use askbridge_core::terms::{OnDismissal, OnExpiry, OtherTools, Terms, Warm, WhileOpen};

/// The session of all samples except [`ELSEWHERE`].
pub const SESSION: SessionId = SessionId(7);
/// Another conversation.
pub const OTHER_SESSION: SessionId = SessionId(8);
/// The ask in the other session.
pub const ELSEWHERE: &str = "elsewhere";
/// Sunday, 15 November 2026, 08:30 UTC.
pub const NOW: Timestamp = Timestamp(1_794_731_400_000);

/// How long the agent's process is kept for the samples `warm`, `warm_approval` and `passing`; the latter passes messages on.
const WARM: Duration = Duration::from_secs(600);

/// Every sample. An ask's number is its place here, counted from 1.
pub const NAMES: &[&str] = &[
    "single",
    "multi",
    "several",
    "free_text",
    "previewed",
    "duplicates",
    "many_options",
    "approval",
    "plan",
    "form",
    ELSEWHERE,
    "secret",
    "warm",
    "passing",
    "warm_approval",
    "hosted",
];

/// Returns the sample with that name.
pub fn ask(name: &str) -> Option<Arc<Ask>> {
    let place = NAMES.iter().position(|known| *known == name)?;
    let number = u32::try_from(place + 1).ok()?;
    let session = if name == ELSEWHERE { OTHER_SESSION } else { SESSION };
    let (is_warm, passes_on) = (matches!(name, "warm" | "passing" | "warm_approval"), name == "passing");
    Some(Arc::new(Ask {
        id: AskId { session, number },
        at: NOW,
        body: body(name)?,
        terms: Terms {
            warm: if is_warm { Warm::For(WARM) } else { Warm::Hold },
            messages: if passes_on { WhileOpen::PassOn } else { WhileOpen::Hold },
            ..terms()
        },
        reach: if is_warm { Reach::Resumable } else { Reach::Pull },
        asker: asker(name),
        call: Some(CallId::from(format!("call_{name}"))),
        context: Context { folder: Some("/srv/app".to_owned()), ..Context::default() },
        key: None,
        stated: None,
        original: None,
        instead_of: None,
    }))
}

/// A program that asks over HTTP, or an agent that we run.
fn asker(name: &str) -> Asker {
    let (door, agent, party) = if name == "hosted" { ("claude", "claude", "host") } else { ("http", "ci", "tok_ci") };
    Asker { door: door.to_owned(), agent: agent.to_owned(), party: party.into(), machine: None }
}

/// Default terms: no deadline, and the agent is told how the ask ended.
pub fn terms() -> Terms {
    Terms {
        deadline: None,
        on_expiry: OnExpiry::Tell,
        on_dismissal: OnDismissal::Tell,
        warm: Warm::Hold,
        undo: Duration::ZERO,
        messages: WhileOpen::Hold,
        parallel: true,
        other_tools: OtherTools::Ask,
        quorum: 1,
    }
}

fn body(name: &str) -> Option<Body> {
    let questions = match name {
        "single" | "warm" | "passing" | "hosted" | ELSEWHERE => vec![database()],
        "multi" => {
            vec![Question { multi: true, ..question("Which checks?", "Checks", &["Lint", "Unit", "End to end"]) }]
        }
        "several" => vec![
            database(),
            Question { multi: true, ..question("Which regions?", "Regions", &["Europe", "Asia"]) },
            question("What should it be called?", "Name", &[]),
        ],
        "free_text" => vec![question("What should it be called?", "Name", &[])],
        "previewed" => vec![Question {
            options: vec![
                Choice { preview: Some("+--+\n|  |\n+--+".to_owned()), ..choice("Boxes", "Everything in frames") },
                choice("Lines", "Only what has to be apart"),
            ],
            ..question("Which layout?", "Layout", &[])
        }],
        "duplicates" => {
            vec![question("Go on?", "First", &["Yes", "Yes", "No"]), question("Go on?", "Second", &["Yes"])]
        }
        "many_options" => {
            let letters: Vec<_> = ('A'..='Z').map(String::from).collect();
            let letters: Vec<_> = letters.iter().map(String::as_str).collect();
            vec![question("Which letter?", "Letter", &letters)]
        }
        "secret" => vec![Question { secret: true, ..question("What is the password?", "Password", &[]) }],
        "approval" | "warm_approval" => return Some(Body::Approval(approval())),
        "plan" => return Some(Body::Plan(Plan { text: "1. Dump the tables\n2. Drop the tables".to_owned() })),
        "form" => return Some(Body::Form(form())),
        _ => return None,
    };
    Some(Body::Questions(questions))
}

fn database() -> Question {
    Question {
        options: vec![choice("Postgres", "A server of its own"), choice("SQLite", "One file")],
        ..question("Which database?", "Database", &[])
    }
}

fn question(text: &str, header: &str, labels: &[&str]) -> Question {
    let plain = |label: &&str| Choice { label: (*label).to_owned(), description: None, preview: None };
    Question {
        text: text.to_owned(),
        header: Some(header.to_owned()),
        options: labels.iter().map(plain).collect(),
        multi: false,
        secret: false,
    }
}

fn choice(label: &str, description: &str) -> Choice {
    Choice { label: label.to_owned(), description: Some(description.to_owned()), preview: None }
}

fn approval() -> Approval {
    Approval {
        tool: "Bash".to_owned(),
        input: r#"{"command":"rm -r build"}"#.into(),
        summary: Some("rm -r build".to_owned()),
        reason: Some("this deletes files".to_owned()),
        rules: vec![OfferedRule { label: "rm in build".to_owned(), rule: r#"{"allow":"Bash(rm -r build)"}"#.into() }],
        overrule: false,
    }
}

fn form() -> Form {
    let field =
        |name: &str, kind, required| Field { name: name.to_owned(), title: None, description: None, kind, required };
    Form {
        message: "Where should it go?".to_owned(),
        fields: vec![
            field("host", FieldKind::Text, true),
            field("port", FieldKind::Integer, false),
            field("tier", FieldKind::OneOf(vec!["small".to_owned(), "large".to_owned()]), true),
            field("public", FieldKind::Flag, false),
        ],
        url: None,
        schema: None,
    }
}

/// Returns the simplest answer: the first option, or the word “Anything”.
pub fn plain_answer(ask: &Ask) -> Answer {
    match &ask.body {
        Body::Questions(questions) => Answer::Questions(questions.iter().map(plain_pick).collect()),
        Body::Approval(_) => Answer::Approval(Decision::Allow { scope: Scope::Once, edited: None }),
        Body::Plan(_) => Answer::Plan(Review::Approve { edited: None }),
        Body::Form(_) => Answer::Form(Filled::Accept(vec![
            ("host".to_owned(), FieldValue::Text("db.example".to_owned())),
            ("port".to_owned(), FieldValue::Number("5432".to_owned())),
            ("tier".to_owned(), FieldValue::Text("small".to_owned())),
        ])),
    }
}

fn plain_pick(question: &Question) -> Pick {
    match question {
        question if question.options.is_empty() => written("Anything"),
        Question { multi: true, .. } => Pick { chosen: vec![0, 1], ..Pick::default() },
        _ => Pick::option(0),
    }
}

/// A pick in a person's own words.
pub fn written(words: &str) -> Pick {
    Pick { text: Some(words.to_owned()), ..Pick::default() }
}
