//! An ask that is written just as we document it, read without a detour.
//!
//! Most asks are. Whatever is not goes the long way through [`askbridge_core::wild`], which understands more, keeps the
//! original, and says what is wrong.

use askbridge_core::ask::{Body, Context, Reach};
use askbridge_core::ids::{Key, SessionId};
use askbridge_core::terms::Wishes;
use askbridge_core::wild;
use serde::Deserialize;
use serde::de::IgnoredAny;

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

/// Has an approval no field that we do not know? Then the ask says everything that the body said.
pub(super) fn is_documented_approval(body: &str) -> bool {
    serde_json::from_str::<Documented>(body).is_ok()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only whether it can be read matters")]
struct Documented {
    approval: DocumentedApproval,
    session: Option<IgnoredAny>,
    agent: Option<IgnoredAny>,
    call: Option<IgnoredAny>,
    /// Keeps what it does not know by itself.
    context: Option<IgnoredAny>,
    timeout_seconds: Option<IgnoredAny>,
    undo_seconds: Option<IgnoredAny>,
    quorum: Option<IgnoredAny>,
    on_expiry: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only whether it can be read matters")]
struct DocumentedApproval {
    tool: String,
    input: IgnoredAny,
    summary: Option<String>,
    reason: Option<String>,
    #[serde(default)]
    rules: Vec<DocumentedRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only whether it can be read matters")]
struct DocumentedRule {
    label: String,
    rule: IgnoredAny,
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
    fn an_approval_that_says_all_is_kept_once() {
        let original = |body| wild_ask(body, &Asking::default()).unwrap().original;
        let plain = r#"{"approval":{"tool":"Write","input":{"content":"x","more":1},"rules":[{"label":"a","rule":{}}]},"agent":"ci"}"#;
        assert_eq!(original(plain), None);
        for unknown in [
            r#"{"approval":{"tool":"Write","input":{}},"trace":7}"#,
            r#"{"approval":{"tool":"Write","input":{},"risk":"low"}}"#,
            r#"{"approval":{"tool":"Write","input":{},"rules":[{"label":"a","rule":{},"scope":"all"}]}}"#,
        ] {
            assert_eq!(original(unknown).unwrap().as_str(), unknown);
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
