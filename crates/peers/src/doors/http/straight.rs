//! An ask that is written just as we document it, read without a detour.
//!
//! Most asks are. Whatever is not goes the long way through [`askbridge_core::wild`], which understands more, keeps the
//! original, and says what is wrong.

use std::borrow::Cow;

use askbridge_core::ask::{Body, Choice, Context, Question, Reach};
use askbridge_core::ids::{Key, SessionId};
use askbridge_core::limits::{ASK_TEXT_BYTES_MAX, LABEL_BYTES_MAX, OPTIONS_MAX, QUESTIONS_MAX};
use askbridge_core::terms::Wishes;
use askbridge_core::wild;
use serde::Deserialize;

use super::NAME;
use super::hear::Asking;
use crate::wish::AskWish;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Straight<'a> {
    #[serde(borrow)]
    questions: Vec<Asked<'a>>,
    #[serde(borrow)]
    session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    agent: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked<'a> {
    question: String,
    header: Option<String>,
    #[serde(borrow, default)]
    options: Vec<Offered<'a>>,
    #[serde(default, rename = "multiSelect")]
    multi: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Offered<'a> {
    label: Cow<'a, str>,
    description: Option<String>,
    preview: Option<String>,
}

/// Reads an ask, if it is straight. It then says everything that the body said, so that no original has to be kept.
pub(super) fn ask(body: &str, asking: &Asking<'_>) -> Option<AskWish> {
    let straight: Straight<'_> = serde_json::from_str(body).ok()?;
    let session = match straight.session {
        Some(id) => Some(id.parse::<SessionId>().ok()?),
        None => None,
    };
    let agent = straight.agent.map(Cow::into_owned);
    let plain = |text: &str, max| wild::is_plain(text) && text.len() <= max;
    if !(1..=QUESTIONS_MAX).contains(&straight.questions.len()) || agent.as_deref().is_some_and(wild::is_blank) {
        return None;
    }
    let question = |asked: Asked<'_>| {
        let sound = plain(&asked.question, ASK_TEXT_BYTES_MAX)
            && asked.header.as_deref().is_none_or(|header| plain(header, LABEL_BYTES_MAX))
            && asked.options.len() <= OPTIONS_MAX;
        let options = asked.options.into_iter().map(|offered| {
            let sound = plain(&offered.label, LABEL_BYTES_MAX)
                && offered.description.as_deref().is_none_or(|text| plain(text, ASK_TEXT_BYTES_MAX))
                && offered
                    .preview
                    .as_deref()
                    .is_none_or(|text| !wild::is_blank(text) && text.len() <= ASK_TEXT_BYTES_MAX);
            let choice = Choice {
                label: offered.label.into_owned(),
                description: offered.description,
                preview: offered.preview,
            };
            sound.then_some(choice)
        });
        let options = options.collect::<Option<_>>()?;
        let question =
            Question { text: asked.question, header: asked.header, options, multi: asked.multi, secret: false };
        sound.then_some(question)
    };
    let questions = straight.questions.into_iter().map(question).collect::<Option<_>>()?;
    Some(AskWish {
        door: NAME,
        session,
        agent,
        body: Body::Questions(questions),
        wishes: Wishes::default(),
        reach: Reach::Pull,
        call: None,
        made: None,
        context: Context::default(),
        key: asking.key.map(Key::from),
        original: None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::doors::http::hear::wild_ask;

    #[test]
    fn a_straight_ask_is_the_same_either_way() {
        for body in [
            r#"{"questions":[{"question":"Which?","header":"DB","options":[{"label":"a","description":"x","preview":" y "},{"label":"b"}],"multiSelect":true}]}"#,
            r#"{"questions":[{"question":"One?"},{"question":"Two?","options":[]}],"agent":"ci","session":"ses_00000000000000000000000007"}"#,
            r#"{"questions":[{"question":"Größe?","options":[{"label":"1"},{"label":"\u0041 \"b\""}]}]}"#,
        ] {
            let straight = ask(body, &Asking::default()).unwrap();
            let mut wild = wild_ask(body, &Asking::default()).unwrap();
            wild.original = None;
            assert_eq!(straight, wild, "{body}");
        }
    }

    #[test]
    fn whatever_needs_thought_goes_the_long_way() {
        let long = format!(r#"{{"questions":[{{"question":"{}"}}]}}"#, "x".repeat(ASK_TEXT_BYTES_MAX + 1));
        for body in [
            r#"{"questions":[]}"#,
            r#"{"questions":[{"question":" "}]}"#,
            r#"{"questions":[{"question":" padded "}]}"#,
            r#"{"questions":[{"question":"Q?","secret":true}]}"#,
            r#"{"questions":[{"question":"Q?","kept":1}]}"#,
            r#"{"questions":[{"question":"Q?"}],"timeout_seconds":5}"#,
            r#"{"questions":[{"question":"Q?"}],"session":"nonsense"}"#,
            r#"{"questions":"[{\"question\":\"Q?\"}]"}"#,
            long.as_str(),
        ] {
            assert!(ask(body, &Asking::default()).is_none(), "{body}");
        }
    }
}
