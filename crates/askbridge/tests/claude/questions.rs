//! What the model reads, for every way in which a question can end.

use askbridge_scripted::model::{Script, ask, ask_with, on_any_result, on_user, text, thinking};
use serde_json::{Value, json};

use crate::house::{House, id};

const CALL: &str = "toolu_1";

fn one_question() -> Script {
    let asks = [thinking("Hm."), text("I have to ask."), ask(CALL, "Which?", ["A", "B"])];
    Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), asks)
}

/// Asks one question, ends it with `end`, and returns what the model reads.
fn read(end: impl FnOnce(&House, &str)) -> (String, bool) {
    read_after(one_question(), json!({}), end)
}

fn read_after(script: Script, settings: Value, end: impl FnOnce(&House, &str)) -> (String, bool) {
    let house = House::open(script);
    let talk = house.session(settings);
    talk.say("hi");
    let asked = talk.open_ask();
    end(&house, id(&asked));
    let result = house.model.until_result(CALL);
    talk.until_delivered(id(&asked));
    talk.until_turns(1);
    assert_eq!(house.model.unscripted(), Vec::<String>::new());
    (result.text, result.is_error)
}

#[test]
fn a_question_goes_to_a_person_and_the_answer_comes_back_with_everything_said_around_it() {
    let house = House::open(one_question());
    let talk = house.session(json!({}));
    assert_eq!(talk.show()["process"], "none");
    talk.say("hi");
    let asked = talk.open_ask();
    assert_eq!(talk.show()["process"], "running");
    assert_eq!(asked["questions"][0]["question"], "Which?");
    assert_eq!(asked["questions"][0]["options"][1]["label"], "B");
    assert_eq!(asked["door"], "claude");
    assert_eq!(asked["context"]["text"], "I have to ask.");
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    let result = house.model.until_result(CALL);
    let wanted = r#"Your questions have been answered: "Which?"="B". You can now continue with these answers in mind."#;
    assert_eq!((result.text.as_str(), result.is_error), (wanted, false));
    talk.until_delivered(id(&asked));
    talk.until_turns(1);

    let story: Vec<_> = talk.events().into_iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect();
    let count = |kind: &str| story.iter().filter(|known| *known == kind).count();
    for once in ["started", "hosted", "said", "asked", "settled", "thinking", "tool_called", "tool_returned"] {
        assert_eq!(count(once), 1, "{once} in {story:?}");
    }
    assert_eq!((count("text"), count("turn_ended"), count("delivered")), (2, 1, 2), "{story:?}");
    let called = &talk.events_of("tool_called")[0];
    assert_eq!((&called["call"], &called["ask"]), (&json!(CALL), &asked["id"]));
    let ended = &talk.events_of("turn_ended")[0];
    assert_eq!(ended["reason"], "completed");
    assert!(ended["usage"]["total_cost_usd"].is_number(), "{ended}");
    assert_eq!(talk.show()["title"], "hi");
    assert_eq!(house.model.unscripted(), Vec::<String>::new());
}

#[test]
fn free_text_is_read_as_it_was_written() {
    let words = "Neither, \"wait\"\nplease 🙏";
    let (text, is_error) = read(|house, ask| drop(house.answer(ask, json!({"answers": {"Which?": words}}))));
    assert!(text.starts_with(&format!("The user answered: \"Which?\"=\"{words}\".")), "{text}");
    assert!(!is_error);
}

#[test]
fn a_note_stands_beside_the_answer() {
    let answer = json!({"answers": {"Which?": "A"}, "notes": {"Which?": "for now"}});
    let (text, _) = read(|house, ask| drop(house.answer(ask, answer)));
    assert!(text.contains(r#""Which?"="A" notes: for now"#), "{text}");
}

#[test]
fn a_skipped_question_is_named_in_words() {
    let option = |label: &str| json!({"label": label, "description": label});
    let question = |text: &str| json!({"question": text, "header": "H", "options": [option("A"), option("B")]});
    let input = json!({"questions": [question("First?"), question("Second?")]});
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [ask_with(CALL, input)]);
    let (text, _) = read_after(script, json!({}), |house, ask| {
        house.answer(ask, json!({"answers": {"First?": "A"}}));
    });
    assert!(text.contains(r#""First?"="A""#), "{text}");
    assert!(
        text.contains(r#""Second?"="(skipped: the person did not answer this one; do not assume an answer)""#),
        "{text}"
    );
}

#[test]
fn several_choices_are_read_as_labels() {
    let option = |label: &str| json!({"label": label, "description": label});
    let options = [option("A"), option("B"), option("C")];
    let input = json!({"questions": [{"question": "Which?", "header": "H", "multiSelect": true, "options": options}]});
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [ask_with(CALL, input)]);
    let (text, _) = read_after(script, json!({}), |house, ask| {
        house.answer(ask, json!({"answers": {"Which?": ["A", "C"]}}));
    });
    assert!(text.contains(r#""Which?"="A, C""#), "{text}");
}

#[test]
fn a_dismissal_is_read_in_exactly_our_words() {
    let dismiss = |house: &House, ask: &str, body: Value| {
        assert_eq!(house.post(&format!("/v1/asks/{ask}/dismiss"), &body).0, 200);
    };
    let (text, is_error) = read(|house, ask| dismiss(house, ask, json!({})));
    assert!(is_error);
    assert_eq!(
        text,
        "The person closed the question without answering. Do not assume an answer: go on without it, or ask differently."
    );
    let (text, _) = read(|house, ask| dismiss(house, ask, json!({"words": "ask me tomorrow"})));
    assert_eq!(text, "The person closed the question without choosing, and wrote: ask me tomorrow");
}

#[test]
fn a_timeout_is_told_as_a_timeout_and_a_late_answer_becomes_a_message() {
    // The first turn that matches is used, and the late answer quotes the question.
    let script = Script::new()
        .turn(on_user("A late answer"), [text("thanks")])
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [ask(CALL, "Which?", ["A", "B"])]);
    let house = House::open(script);
    let talk = house.session(json!({"timeout_seconds": 1}));
    talk.say("hi");
    let asked = talk.open_ask();
    let result = house.model.until_result(CALL);
    assert!(result.text.starts_with("Nobody answered within 1 second. This is a timeout, not a refusal"), "{result:?}");
    talk.until_delivered(id(&asked));
    talk.until_turns(1);
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    talk.until_turns(2);
    let last = house.model.last().unwrap().last_user_text().unwrap();
    assert!(last.starts_with("A late answer to your earlier question “Which?”."), "{last}");
    assert!(last.ends_with("ada now says: B"), "{last}");
}

#[test]
fn two_questions_in_one_message_stay_apart() {
    let asks = [ask("toolu_1", "First?", ["A", "B"]), ask("toolu_2", "Second?", ["C", "D"])];
    let house = House::open(Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), asks));
    let talk = house.session(json!({}));
    talk.say("hi");
    // Claude Code runs the hooks of one message side by side, so either may reach us first.
    let asked = talk.open_asks(2);
    let about = |question: &str| asked.iter().find(|ask| ask["questions"][0]["question"] == question).unwrap();
    house.answer(id(about("Second?")), json!({"answers": {"Second?": "D"}}));
    house.answer(id(about("First?")), json!({"answers": {"First?": "A"}}));
    assert!(house.model.until_result("toolu_1").text.contains(r#""First?"="A""#));
    assert!(house.model.until_result("toolu_2").text.contains(r#""Second?"="D""#));
    talk.until_turns(1);
    assert_eq!(talk.events_of("asked").len(), 2);
}

#[test]
fn bug_16_a_question_is_asked_in_every_permission_mode() {
    for mode in ["default", "acceptEdits", "plan", "auto", "dontAsk"] {
        let (text, is_error) = read_after(one_question(), json!({"permission_mode": mode}), |house, ask| {
            house.answer(ask, json!({"answers": {"Which?": "B"}}));
        });
        assert!(text.contains(r#""Which?"="B""#) && !is_error, "{mode}: {text}");
    }
    let house = House::open_with(one_question(), &[("IS_SANDBOX", "1")]);
    let talk = house.session(json!({"permission_mode": "bypassPermissions"}));
    talk.say("hi");
    house.answer(id(&talk.open_ask()), json!({"answers": {"Which?": "A"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="A""#));
}
