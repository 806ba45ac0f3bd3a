//! What the end of a call or of a turn means for an ask of a hook.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

use std::sync::Arc;

use askbridge_core::answer::{Answer, Decision, Scope};
use askbridge_core::ask::{Ask, Context};
use askbridge_core::ids::Raw;
use askbridge_core::verdict::{Ruling, Verdict};
use askbridge_core::view::AskView;
use askbridge_peers::doors::hook::{Finished, Mouth, ToolCall, finished, is_about, told};
use askbridge_testkit::{asks, events};
use serde_json::json;

const ASKED: &str = r#"{"questions":[{"question":"Which database?"}]}"#;

/// A sample as a hook would have asked it, after an event.
fn view(sample: &str, input: &str, after: Option<&str>) -> AskView {
    let ask = asks::ask(sample).unwrap();
    let ask =
        Arc::new(Ask { call: None, original: Some(Raw::from(input)), context: Context::default(), ..(*ask).clone() });
    match after {
        Some(event) => events::view(&ask, [&events::about_ask(event, &ask).unwrap()]),
        None => AskView::fresh(ask),
    }
}

fn call(tool: &str, input: &str) -> ToolCall {
    ToolCall { id: Some("toolu_1".to_owned()), tool: tool.to_owned(), input: Raw::from(input) }
}

fn run(view: &AskView, tool: &str, input: &str, answers: Option<&str>) -> Option<Finished> {
    let call = call(tool, input);
    assert!(is_about(view, &call), "{input}");
    let response = answers.map(|answer| Raw::from(json!({"answers": {"Which database?": answer}}).to_string()));
    finished(view, Some((&call, response.as_ref())))
}

#[test]
fn a_question_that_was_run_while_it_was_open_was_answered_in_the_terminal() {
    let open = view("single", ASKED, None);
    assert_eq!(run(&open, "AskUserQuestion", ASKED, Some("Postgres")), Some(Finished::Overtaken { ran: None }));
    assert_eq!(finished(&open, None), Some(Finished::Overtaken { ran: None }), "the turn went on without us");
}

#[test]
fn an_answer_is_delivered_only_if_it_is_the_one_that_was_heard() {
    let answered = view("single", ASKED, Some("answered"));
    let heard = |answer| run(&answered, "AskUserQuestion", ASKED, Some(answer));
    assert_eq!(heard("Postgres"), Some(Finished::Delivered));
    assert_eq!(heard("SQLite"), Some(Finished::Overtaken { ran: None }));
    let in_the_input = r#"{"questions":[{"question":"Which database?"}],"answers":{"Which database?":"SQLite"}}"#;
    let call = call("AskUserQuestion", in_the_input);
    assert_eq!(
        finished(&answered, Some((&call, None))),
        Some(Finished::Overtaken { ran: None }),
        "where only the input says it"
    );
}

#[test]
fn a_command_that_was_run_although_it_was_denied_was_allowed_in_the_terminal() {
    let input = r#"{"command":"ls"}"#;
    assert_eq!(
        run(&view("approval", input, Some("denied")), "Bash", input, None),
        Some(Finished::Overtaken { ran: None })
    );
    assert_eq!(run(&view("approval", input, Some("answered")), "Bash", input, None), Some(Finished::Delivered));
    assert!(!is_about(&view("approval", input, None), &call("Bash", r#"{"command":"rm"}"#)));
}

#[test]
fn the_end_of_a_turn_is_the_proof_of_a_no() {
    let input = r#"{"command":"ls"}"#;
    assert_eq!(finished(&view("approval", input, Some("denied")), None), Some(Finished::Delivered));
    assert_eq!(finished(&view("approval", input, Some("expired")), None), Some(Finished::Overtaken { ran: None }));
    let mut parked = view("single", ASKED, None);
    parked.parked = true;
    assert_eq!(finished(&parked, None), None, "it outlives its turn");
    let aside = Context { more: Some(Raw::from(r#"{"in_subagent":true}"#)), ..Context::default() };
    let of_subagent = view("approval", input, None);
    let ask = Arc::new(Ask { context: aside, ..(*of_subagent.ask).clone() });
    assert_eq!(finished(&AskView::fresh(ask), None), None, "a subagent is beside the turn");
}

#[test]
fn the_end_of_a_turn_proves_nothing_that_its_hook_could_not_carry() {
    let input = r#"{"command":"ls"}"#;
    let denied = AskView { stranded: true, ..view("approval", input, Some("denied")) };
    assert_eq!(
        finished(&denied, None),
        Some(Finished::Overtaken { ran: None }),
        "the hook was gone before that was said"
    );
}

/// An allowed approval with a changed input.
fn edited(input: &str, edited: &str) -> AskView {
    let mut view = view("approval", input, Some("answered"));
    let decision = Decision::Allow { scope: Scope::Once, edited: Some(Raw::from(edited)) };
    view.verdict = Some(Verdict { ruling: Ruling::Answer(Answer::Approval(decision)), words: String::new() });
    view
}

#[test]
fn a_changed_command_is_delivered_only_if_it_is_what_ran() {
    let (asked, allowed) = (r#"{"command":"rm -r build"}"#, r#"{"command":"ls build"}"#);
    let view = edited(asked, allowed);
    assert_eq!(run(&view, "Bash", allowed, None), Some(Finished::Delivered));
    let ran = Some(Raw::from(asked));
    assert_eq!(run(&view, "Bash", asked, None), Some(Finished::Overtaken { ran }), "the original ran");
    let told = told(&view, &call("Bash", allowed), false).unwrap();
    let expected = "The person changed the input of this call before allowing it. \
                    What ran, and what its result is about, is: {\"command\":\"ls build\"}";
    let output = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": expected}});
    assert_eq!(serde_json::from_str::<serde_json::Value>(&told).unwrap(), output);
    assert_eq!(self::told(&view, &call("Bash", asked), false), None, "it ran as the model wrote it");
}

#[test]
fn a_command_that_was_allowed_as_it_was_and_changed_on_its_way_was_not_what_was_allowed() {
    let asked = r#"{"command":"ls","timeout":1}"#;
    let mut allowed = view("approval", asked, Some("answered"));
    allowed.ask = Arc::new(Ask { call: Some("toolu_1".into()), ..(*allowed.ask).clone() });
    let changed = r#"{"command":"ls; rm -r build"}"#;
    let ran = Some(Raw::from(changed));
    assert_eq!(run(&allowed, "Bash", changed, None), Some(Finished::Overtaken { ran }));
}

#[test]
fn a_run_that_only_we_can_answer_hears_that_nobody_came_and_has_no_terminal() {
    let input = r#"{"command":"ls"}"#;
    let alone = |view: AskView| {
        let context = Context { more: Some(Raw::from(r#"{"beside":"nobody"}"#)), ..Context::default() };
        let ask = Arc::new(Ask { context, ..(*view.ask).clone() });
        AskView { ask, ..view }
    };
    let expired = alone(view("approval", input, Some("expired")));
    assert_eq!(finished(&expired, None), Some(Finished::Delivered));
    assert_eq!(finished(&AskView { stranded: true, ..expired }, None), None, "its hook was gone before");
    assert_eq!(finished(&alone(view("approval", input, None)), None), Some(Finished::LetGo));
    let mouth = Mouth::of(&alone(view("approval", input, None)).ask.context);
    assert_eq!((mouth, mouth.words()), (Mouth::Nobody, "another hook of the agent"));
}
