//! Makes a card of an ask.

use std::borrow::Cow;

use crate::ask::{Ask, Body, Choice, Kind};
use crate::wild::is_blank;

use super::names::{folded, option_names, question_names};
use super::stand_in::{Posed, posed};
use super::{Abilities, Card, CardOption, CardQuestion};

/// Simplifies an ask for a screen.
pub fn fit(ask: &Ask, abilities: &Abilities) -> Card {
    match &ask.body {
        Body::Approval(approval) if abilities.approvals => Card::Approval(approval.clone()),
        Body::Plan(plan) if abilities.plans => Card::Plan(plan.clone()),
        Body::Form(form) if abilities.forms => Card::Form(form.clone()),
        body => in_questions(body, abilities).unwrap_or_else(Card::Unshowable),
    }
}

fn in_questions(body: &Body, abilities: &Abilities) -> Result<Card, String> {
    let kind = body.kind();
    if !abilities.questions {
        return Err(match kind {
            Kind::Questions => "this screen cannot show questions; answer elsewhere".to_owned(),
            Kind::Approval => "this screen can show neither an approval nor questions; answer elsewhere".to_owned(),
            kind => format!("this screen can show neither a {} nor questions; answer elsewhere", kind.name()),
        });
    }
    let posed = posed(body);
    if posed.is_empty() {
        return Err("this ask has no questions; dismiss it".to_owned());
    }
    if posed.len() > abilities.questions_max {
        let (found, most) = (posed.len(), abilities.questions_max);
        return Err(format!("this ask has {found} questions, and this screen shows at most {most}; answer elsewhere"));
    }
    // A stand-in's answer has no place for a note.
    let notes = abilities.notes && kind == Kind::Questions;
    let abilities = Abilities { notes, ..*abilities };
    let names = question_names(posed.iter().map(|posed| posed.question.text.as_str()));
    let shown = posed.iter().zip(names).enumerate();
    let questions =
        shown.map(|(index, (posed, name))| card_question(index, posed, &name, &abilities)).collect::<Result<_, _>>()?;
    Ok(match kind {
        Kind::Questions => Card::Questions(questions),
        kind => Card::StandIn { kind, questions },
    })
}

fn card_question(index: usize, posed: &Posed<'_>, name: &str, abilities: &Abilities) -> Result<CardQuestion, String> {
    let question = posed.question.as_ref();
    let names = option_names(question.options.iter().map(|option| option.label.as_str()));
    let mut options: Vec<_> = question.options.iter().zip(names).enumerate().collect();
    let rest = options.split_off(options.len().min(abilities.options_max));
    let several_in_words = question.multi && !abilities.multi && !question.options.is_empty();
    if !abilities.free_text && (question.options.is_empty() || !rest.is_empty()) {
        return Err(format!("“{name}” has to be answered in words, and this screen takes none; answer elsewhere"));
    }

    let mut below = posed.below.clone();
    if !abilities.descriptions {
        let described = options.iter().filter(|(_, (option, _))| described(option).is_some());
        below.extend(lines(described.map(|(_, (option, name))| line(option, name))));
    }
    if !rest.is_empty() {
        let listed = rest.iter().map(|(_, (option, name))| line(option, name));
        below.extend(lines(std::iter::once("Also possible, by writing it:".to_owned()).chain(listed)));
    }
    if several_in_words {
        below.push(Cow::from(match abilities.free_text {
            true => "Several may be chosen: write them with commas between.",
            false => "Only one can be chosen here.",
        }));
    }

    let card_option = |(index, (option, label)): (usize, (&Choice, Cow<'_, str>))| CardOption {
        index,
        label: label.into_owned(),
        description: described(option).filter(|_| abilities.descriptions).map(str::to_owned),
        preview: option.preview.clone().filter(|_| abilities.previews),
    };
    Ok(CardQuestion {
        index,
        text: folded(name, &below),
        header: question.header.as_deref().and_then(|header| cut(header, abilities.header_chars_max)),
        free_text: abilities.free_text && (posed.own_words || !rest.is_empty() || several_in_words),
        options: options.into_iter().map(card_option).collect(),
        multi: question.multi && abilities.multi,
        note: abilities.notes,
        secret: question.secret,
    })
}

fn described(option: &Choice) -> Option<&str> {
    option.description.as_deref().filter(|text| !is_blank(text))
}

fn line(option: &Choice, name: &str) -> String {
    described(option).map_or_else(|| format!("• {name}"), |text| format!("• {name}: {text}"))
}

/// Joins lines into one block, if there are any.
fn lines(lines: impl Iterator<Item = String>) -> Option<Cow<'static, str>> {
    let lines: Vec<_> = lines.collect();
    (!lines.is_empty()).then(|| Cow::from(lines.join("\n")))
}

/// Cuts a header that is too long, and shows that it was cut.
fn cut(header: &str, chars_max: usize) -> Option<String> {
    if is_blank(header) || chars_max == 0 {
        return None;
    }
    if header.chars().count() <= chars_max {
        return Some(header.to_owned());
    }
    Some(header.chars().take(chars_max - 1).chain(['…']).collect())
}
