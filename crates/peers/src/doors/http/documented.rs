//! Turns an ask in the documented shape into a wish.
//!
//! Most asks have that shape. All others are read by [`askbridge_core::wild`], which understands more spellings and
//! says what is wrong. Both make the same wish of the same body.

use std::time::Duration;

use askbridge_core::ask::{Approval, Body, Context, OfferedRule, Plan, Question, Reach};
use askbridge_core::ids::{CallId, Key, Raw, SessionId};
use askbridge_core::limits::{self, ASK_TEXT_BYTES_MAX, LABEL_BYTES_MAX, OPTIONS_MAX};
use askbridge_core::terms::{Wait, Wishes};
use askbridge_core::wild::{self, Wild};
use serde_json::value::RawValue;

use super::NAME;
use super::hear::{Asking, sample};
use super::wire::{NewApproval, NewAsk, NewContext, NewForm, NewRule};
use crate::json::{self, WildJson, is_plain};
use crate::wish::AskWish;

/// Reads an ask in the documented shape. `None`: it needs the lenient parser.
pub(super) fn ask(body: &str, asking: &Asking<'_>) -> Option<AskWish> {
    let new: NewAsk<'_> = serde_json::from_str(body).ok()?;
    let says_all = says_all(&new);
    let session = match new.session {
        Some(id) => Some(id.parse::<SessionId>().ok()?),
        None => None,
    };
    let what = match (new.questions, new.question, new.approval, new.plan, new.form) {
        (Some(questions), None, None, None, None) => Body::Questions(json::questions(questions)?),
        (None, Some(text), None, None, None) => Body::Questions(vec![question(text)?]),
        (None, None, Some(new), None, None) => Body::Approval(approval(new)?),
        (None, None, None, Some(text), None) => Body::Plan(plan(text)?),
        (None, None, None, None, Some(new)) => Body::Form(form(new)?),
        _ => return None,
    };
    let mut wishes = Wishes {
        wait: seconds(new.timeout_seconds, limits::WAIT_MAX)?.map(Wait::For),
        undo: seconds(new.undo_seconds, limits::UNDO_MAX)?,
        ..Wishes::default()
    };
    wishes.quorum = match new.quorum {
        None => None,
        Some(quorum @ 1..=limits::QUORUM_MAX) => Some(quorum),
        Some(_) => return None,
    };
    if let Some(on_expiry) = new.on_expiry {
        wishes.on_expiry = Some(on_expiry.read(&sample(&what)).ok()?);
    }
    Some(AskWish {
        door: NAME,
        session,
        agent: seen(new.agent),
        body: what,
        wishes,
        reach: Reach::Pull,
        call: seen(new.call).map(CallId::from),
        made: None,
        context: new.context.map_or_else(|| Some(Context::default()), context)?,
        key: asking.key.map(Key::from),
        original: (!says_all).then(|| Raw::from(body)),
    })
}

/// Whether the ask holds everything that the body says. The body is then not stored beside it, because a file to be
/// written would be stored twice.
fn says_all(new: &NewAsk<'_>) -> bool {
    let states_terms =
        new.timeout_seconds.is_some() || new.undo_seconds.is_some() || new.quorum.is_some() || new.on_expiry.is_some();
    match (&new.questions, &new.approval) {
        (Some(questions), None) => {
            !states_terms && new.call.is_none() && new.context.is_none() && json::are_whole(questions)
        }
        (None, Some(approval)) => approval.input.is_some(),
        _ => false,
    }
}

/// A blank text counts as none.
fn seen(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn question(text: String) -> Option<Question> {
    let is_plain = is_plain(&text, ASK_TEXT_BYTES_MAX);
    is_plain.then_some(Question { text, header: None, options: Vec::new(), multi: false, secret: false })
}

fn approval(new: NewApproval) -> Option<Approval> {
    let NewApproval { tool, input, summary, reason, rules } = new;
    let input = json::raw(&input.map_or(Wild::Map(Vec::new()), |WildJson(input)| input));
    let rules = rules.unwrap_or_default();
    let sound = is_plain(&tool, LABEL_BYTES_MAX)
        && input.as_str().len() <= ASK_TEXT_BYTES_MAX
        && summary.as_deref().is_none_or(|text| is_plain(text, LABEL_BYTES_MAX))
        && reason.as_deref().is_none_or(|text| is_plain(text, ASK_TEXT_BYTES_MAX))
        && rules.len() <= OPTIONS_MAX;
    let rules = rules.into_iter().map(rule).collect::<Option<_>>()?;
    sound.then_some(Approval { tool, input, summary, reason, rules, overrule: false })
}

fn rule(new: NewRule) -> Option<OfferedRule> {
    let NewRule { label, rule: WildJson(rule) } = new;
    let (is_there, rule) = (rule != Wild::Null, json::raw(&rule));
    let sound = is_there && is_plain(&label, LABEL_BYTES_MAX) && rule.as_str().len() <= ASK_TEXT_BYTES_MAX;
    sound.then_some(OfferedRule { label, rule })
}

fn plan(text: String) -> Option<Plan> {
    (!wild::is_blank(&text) && text.len() <= ASK_TEXT_BYTES_MAX).then_some(Plan { text })
}

/// The rules read the schema.
fn form(new: NewForm) -> Option<askbridge_core::ask::Form> {
    let NewForm { message, schema, url } = new;
    let text = |name: &str, text: String| (name.to_owned(), Wild::Text(text));
    let schema = schema.map(|WildJson(schema)| ("schema".to_owned(), schema));
    let fields = [Some(text("message", message)), schema, url.map(|url| text("url", url))];
    wild::form(&Wild::Map(fields.into_iter().flatten().collect()), &json::raw).ok()
}

fn seconds(number: Option<f64>, max: Duration) -> Option<Option<Duration>> {
    let Some(number) = number else { return Some(None) };
    let span = Duration::try_from_secs_f64(number).ok()?;
    (span <= max).then_some(Some(span))
}

fn context(raw: &RawValue) -> Option<Context> {
    match serde_json::from_str::<NewContext>(raw.get()).ok()? {
        NewContext::Text(text) => Some(Context { text: Some(text), ..Context::default() }),
        NewContext::Whole(whole) => Some(Context {
            text: seen(whole.text),
            title: seen(whole.title),
            folder: seen(whole.folder),
            branch: seen(whole.branch),
            more: Some(json::raw(&json::parse(raw.get())?)),
        }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use askbridge_core::limits::ASK_TEXT_BYTES_MAX;

    use super::*;
    use crate::doors::http::hear::wild_ask;

    #[test]
    fn a_documented_ask_is_the_same_either_way() {
        for body in [
            r#"{"questions":[{"question":"Which?","header":"DB","options":[{"label":"a","description":"x","preview":" y "},{"label":"b"}],"multiSelect":true}]}"#,
            r#"{"questions":[{"question":"One?"},{"question":"Two?","options":[]}],"agent":"ci","session":"ses_00000000000000000000000007"}"#,
            r#"{"questions":[{"question":"Größe?","options":[{"label":"1"},{"label":"\u0041 \"b\""}]}]}"#,
            r#"{"questions":["One?",{"question":"Two?","options":["a",{"label":"b"}],"header":null}],"agent":" "}"#,
            r#"{"question":"Works?","timeout_seconds":1.5,"undo_seconds":0,"quorum":2,"call":"c1"}"#,
            r#"{"question":"Works?","on_expiry":"stop","context":"the build is red"}"#,
            r#"{"questions":[{"question":"Go?","options":["Yes","No"]}],"on_expiry":{"assume":{"Go?":"No"}},"context":{"title":"t","cwd":"/srv","more":[1.0,1e300]}}"#,
            r#"{"questions":[{"question":"Go?","options":["a","b"],"multiSelect":true}],"on_expiry":{"assume":{"Go?":["a","b"]}},"context":{"text":" ","folder":"/x","branch":"b"}}"#,
            r#"{"approval":{"tool":"Write","input":{"content":"x","n":1.0,"big":12345678901234567890},"rules":[{"label":"a","rule":{}}]},"agent":"ci","call":"c"}"#,
            r#"{"approval":{"tool":"Bash","summary":"s","reason":"r"},"timeout_seconds":31622400}"#,
            r##"{"plan":" # First\n"}"##,
            r#"{"form":{"message":"Where?","schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}"#,
            r#"{"form":{"message":"Sign in","url":"https://example.com"},"on_expiry":"tell"}"#,
        ] {
            let documented = ask(body, &Asking { key: Some("k") }).unwrap_or_else(|| panic!("{body}"));
            let wild = wild_ask(body, &Asking { key: Some("k") }).unwrap();
            assert_eq!(AskWish { original: None, ..documented }, AskWish { original: None, ..wild }, "{body}");
        }
    }

    #[test]
    fn what_says_all_is_kept_once() {
        let original = |body| super::super::ask(body, &Asking::default()).unwrap().original;
        for says_all in [
            r#"{"questions":[{"question":"Which?","options":[{"label":"a"}]}],"agent":"ci"}"#,
            r#"{"approval":{"tool":"Write","input":{"content":"x","more":1},"rules":[{"label":"a","rule":{}}]},"agent":"ci"}"#,
        ] {
            assert_eq!(original(says_all), None);
        }
        for more in [
            r#"{"questions":[{"question":"Which?","options":["a"]}]}"#,
            r#"{"questions":[{"question":"Which?"}],"timeout_seconds":5}"#,
            r#"{"approval":{"tool":"Write","input":{}},"trace":7}"#,
            r#"{"approval":{"tool":"Write","input":{},"risk":"low"}}"#,
            r#"{"approval":{"tool":"Write","input":{},"rules":[{"label":"a","rule":{},"scope":"all"}]}}"#,
        ] {
            assert_eq!(original(more).unwrap().as_str(), more);
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
            r#"{"questions":[{"question":"Q?"}],"timeout_seconds":"5"}"#,
            r#"{"questions":[{"question":"Q?"}],"timeout_seconds":31622401}"#,
            r#"{"questions":[{"question":"Q?"}],"undo_seconds":-1}"#,
            r#"{"questions":[{"question":"Q?"}],"quorum":0}"#,
            r#"{"questions":[{"question":"Q?"}],"on_expiry":"allow"}"#,
            r#"{"questions":[{"question":"Q?"}],"on_expiry":{"assume":{"Other?":"x"}}}"#,
            r#"{"questions":[{"question":"Q?"}],"session":"nonsense"}"#,
            r#"{"questions":[{"question":"Q?"}],"plan":"also"}"#,
            r#"{"questions":[{"question":"Q?"}],"questions":[]}"#,
            r#"{"questions":"[{\"question\":\"Q?\"}]"}"#,
            r#"{"approval":{"tool":" "}}"#,
            r#"{"approval":{"tool":"Bash","rules":[{"label":"a","rule":null}]}}"#,
            r#"{"form":{"message":"Where?"}}"#,
            r#"{"plan":" "}"#,
            "[]",
            "{}",
            long.as_str(),
        ] {
            assert!(ask(body, &Asking::default()).is_none(), "{body}");
        }
    }
}
