//! Questions that stand in for bodies that a screen does not support.

use std::borrow::Cow;

use crate::ask::{Approval, Body, Choice, Field, FieldKind, Form, Plan, Question};
use crate::wild::is_blank;

/// Lets the tool run, once.
pub const ALLOW: &str = "Allow";
/// Does not let the tool run. Free text denies as well; nothing but [`ALLOW`] allows.
pub const DENY: &str = "Deny";
/// Approves the plan as it is.
pub const APPROVE: &str = "Approve";
/// Sends the plan back. Free text does as well.
pub const SEND_BACK: &str = "Send back";
/// Accepts a form without fields, such as a page that was visited.
pub const ACCEPT: &str = "Accept";
/// Declines a form without fields. Free text does as well.
pub const DECLINE: &str = "Decline";
/// Sets a flag in a form.
pub const YES: &str = "Yes";
/// Clears a flag in a form.
pub const NO: &str = "No";

/// A question to put on a card: the ask's own, or one that stands in.
#[derive(Debug)]
pub(crate) struct Posed<'a> {
    pub(crate) question: Cow<'a, Question>,
    /// What the person must see below the question.
    pub(crate) below: Vec<Cow<'a, str>>,
    /// Free text is accepted.
    pub(crate) own_words: bool,
}

/// Turns any body into questions. [`crate::unfit()`] maps their answers back.
pub(crate) fn posed(body: &Body) -> Vec<Posed<'_>> {
    match body {
        Body::Questions(questions) => questions.iter().map(own).collect(),
        Body::Approval(approval) => vec![of_approval(approval)],
        Body::Plan(plan) => vec![of_plan(plan)],
        Body::Form(form) if form.fields.is_empty() => vec![of_page(form)],
        Body::Form(form) => of_fields(form),
    }
}

fn own(question: &Question) -> Posed<'_> {
    Posed { question: Cow::Borrowed(question), below: Vec::new(), own_words: true }
}

/// Shows the whole input, however long: a person must not allow what they have not been shown.
fn of_approval(approval: &Approval) -> Posed<'_> {
    let mut below: Vec<Cow<'_, str>> = Vec::new();
    below.extend(approval.summary.as_deref().map(Cow::from));
    below.extend(approval.reason.as_deref().map(Cow::from));
    below.push(Cow::from(approval.input.as_str()));
    below.push(Cow::from("Anything else that is written denies it, with those words."));
    let text = match approval.overrule {
        false => format!("Allow {}?", approval.tool),
        true => format!("Allow {} once, although it was denied?", approval.tool),
    };
    Posed { question: Cow::Owned(choice(text, [ALLOW, DENY])), below, own_words: true }
}

fn of_plan(plan: &Plan) -> Posed<'_> {
    let below = vec![
        Cow::from(plan.text.as_str()),
        Cow::from("Anything else that is written sends it back, with those words."),
    ];
    let question = choice("Approve this plan?".to_owned(), [APPROVE, SEND_BACK]);
    Posed { question: Cow::Owned(question), below, own_words: true }
}

fn of_page(form: &Form) -> Posed<'_> {
    let below = form.url.as_deref().map(Cow::from).into_iter().collect();
    Posed { question: Cow::Owned(choice(form.message.clone(), [ACCEPT, DECLINE])), below, own_words: true }
}

fn of_fields(form: &Form) -> Vec<Posed<'_>> {
    let mut posed: Vec<_> = form.fields.iter().map(of_field).collect();
    let preface = [Some(form.message.as_str()), form.url.as_deref()];
    let preface = preface.into_iter().flatten().filter(|text| !is_blank(text)).map(Cow::from);
    if let Some(first) = posed.first_mut() {
        first.below.splice(0..0, preface);
    }
    posed
}

fn of_field(field: &Field) -> Posed<'_> {
    let title = field.title.as_deref().filter(|title| !is_blank(title));
    let text = title.unwrap_or(&field.name).to_owned();
    let (question, hint) = match &field.kind {
        FieldKind::Text => (choice(text, []), None),
        FieldKind::Number => (choice(text, []), Some("A number.")),
        FieldKind::Integer => (choice(text, []), Some("A whole number.")),
        FieldKind::Flag => (choice(text, [YES, NO]), None),
        FieldKind::OneOf(values) => (choice(text, values.iter().map(String::as_str)), None),
        FieldKind::ManyOf(values) => {
            (Question { multi: true, ..choice(text, values.iter().map(String::as_str)) }, None)
        }
    };
    let leave_out = (!field.required).then_some("May be left out.");
    let below = [field.description.as_deref(), hint, leave_out];
    Posed {
        own_words: question.options.is_empty(),
        question: Cow::Owned(question),
        below: below.into_iter().flatten().map(Cow::from).collect(),
    }
}

fn choice<'l>(text: String, labels: impl IntoIterator<Item = &'l str>) -> Question {
    let option = |label: &str| Choice { label: label.to_owned(), description: None, preview: None };
    Question { text, header: None, options: labels.into_iter().map(option).collect(), multi: false, secret: false }
}
