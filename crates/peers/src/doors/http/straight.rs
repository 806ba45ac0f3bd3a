//! An ask that is written just as we document it, read without a detour.
//!
//! Most asks are. Whatever is not goes the long way through [`askbridge_core::wild`], which understands more, keeps the
//! original, and says what is wrong.

use askbridge_core::ask::{Body, Context, Reach};
use askbridge_core::ids::{Key, SessionId};
use askbridge_core::terms::Wishes;
use askbridge_core::wild;
use serde::Deserialize;

use super::NAME;
use super::hear::Asking;
use crate::json::{self, Asked, Lent};
use crate::wish::AskWish;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Straight<'a> {
    questions: Vec<Asked>,
    #[serde(borrow)]
    session: Option<Lent<'a>>,
    agent: Option<String>,
}

/// Reads an ask, if it is straight. It then says everything that the body said, so that no original has to be kept.
pub(super) fn ask(body: &str, asking: &Asking<'_>) -> Option<AskWish> {
    let straight: Straight<'_> = serde_json::from_str(body).ok()?;
    let session = match straight.session {
        Some(id) => Some(id.parse::<SessionId>().ok()?),
        None => None,
    };
    let agent = straight.agent;
    if agent.as_deref().is_some_and(wild::is_blank) {
        return None;
    }
    let questions = json::questions(straight.questions)?;
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
    use askbridge_core::limits::ASK_TEXT_BYTES_MAX;

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
