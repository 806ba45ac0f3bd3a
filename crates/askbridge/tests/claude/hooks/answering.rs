//! A question on two screens: the first answer wins, and the other screen is told.

use askbridge_scripted::model::{ask, on_result, on_user, text};
use serde_json::json;

use super::workstation::{CALL, Setting, Workstation, asking, question};
use crate::house::id;

const FIRST: &str = r#""Which?"="Aaa""#;
const SECOND: &str = r#""Which?"="Bbb""#;

#[test]
fn answered_on_the_phone_the_dialog_closes_and_the_agent_goes_on() {
    let mut workstation = Workstation::sit(question(), &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    workstation.until_shown("Which?");
    assert_eq!((&asked["door"], &asked["agent"]), (&json!("hook"), &json!("claude")));
    assert_eq!(asked["questions"][0]["options"][1]["label"], "Bbb");
    assert_eq!(asked["context"]["folder"], json!(workstation.house.scratch.work()));
    assert_eq!(asked["context"]["text"], "I have to ask.");
    workstation.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    let result = workstation.result();
    assert!(result.text.contains(SECOND) && !result.is_error, "{result:?}");
    workstation.until_shown("all done now");
    let settled = workstation.until_delivered(&asked);
    assert_eq!((&settled["state"], &settled["by"]["person"]), (&json!("answered"), &json!("ada")));
    assert_eq!(workstation.house.model.unscripted(), Vec::<String>::new());
}

#[test]
fn answered_in_the_terminal_the_card_closes_and_says_where() {
    let mut workstation = Workstation::sit(question(), &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    let result = workstation.answers_in_the_terminal();
    assert!(result.text.contains(FIRST), "{result:?}");
    let over = workstation.until_state(&asked, "overtaken");
    assert_eq!(over["words"], "the terminal");
    let late = json!({"answers": {"Which?": "Bbb"}});
    let (status, refused) = workstation.house.post(&format!("/v1/asks/{}/answer", id(&asked)), &late);
    assert_eq!((status, &refused["code"]), (410, &json!("gone")), "{refused}");
}

#[test]
fn escape_in_the_terminal_takes_the_question_back() {
    let mut workstation = Workstation::sit(question(), &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    workstation.until_shown("Bbb");
    let ask = id(&asked).to_owned();
    workstation.press_until("\u{1b}", "the ask to be taken back", |workstation| {
        workstation.house.ask(&ask)["state"] != "open"
    });
    assert_eq!(workstation.house.ask(&ask)["state"], "overtaken");
}

#[test]
fn an_agent_that_is_killed_takes_its_question_along() {
    let mut workstation = Workstation::sit(question(), &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    workstation.terminal.kill();
    workstation.until_state(&asked, "withdrawn");
}

#[test]
fn both_at_once_end_in_one_answer_that_everybody_agrees_on() {
    let mut workstation = Workstation::sit(question(), &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    workstation.until_shown("Bbb");
    let ask = id(&asked).to_owned();
    let path = format!("/v1/asks/{ask}/answer");
    workstation.terminal.press("\r");
    let (status, said) = workstation.house.post(&path, &json!({"answers": {"Which?": "Bbb"}}));
    assert!(matches!(status, 200 | 202 | 409 | 410), "{status} {said}");
    // If the terminal was too late, the key went to an empty prompt.
    workstation
        .press_until("\r", "the answer to be taken", |workstation| workstation.house.model.tool_result(CALL).is_some());
    let result = workstation.result().text;
    let over = workstation.until("the ask to be over", |workstation| {
        let ask = workstation.house.ask(&ask);
        (ask["state"] == "overtaken" || !ask["delivered_at"].is_null()).then_some(ask)
    });
    match over["state"].as_str().unwrap() {
        "answered" => assert!(result.contains(SECOND), "{result} but {over}"),
        "overtaken" => assert!(result.contains(FIRST), "{result} but {over}"),
        other => panic!("the ask is {other}"),
    }
}

#[test]
fn two_questions_in_one_message_are_two_cards_with_their_own_answers() {
    let script = asking([
        text("Two things."),
        ask("toolu_1", "Which?", ["Aaa", "Bbb"]),
        ask("toolu_2", "Where?", ["Ccc", "Ddd"]),
    ]);
    let mut workstation = Workstation::sit(script, &Setting::default());
    workstation.prompt();
    for _ in 0..2 {
        let asked = workstation.rings();
        let question = asked["questions"][0]["question"].as_str().unwrap().to_owned();
        let answer = asked["questions"][0]["options"][1]["label"].clone();
        workstation.house.answer(id(&asked), json!({"answers": {question: answer}}));
        workstation.until("the card to close", |workstation| {
            workstation.open_asks().iter().all(|open| open["id"] != asked["id"]).then_some(())
        });
    }
    assert!(workstation.result().text.contains(SECOND));
    assert!(workstation.house.model.until_result("toolu_2").text.contains(r#""Where?"="Ddd""#));
}

#[test]
fn what_a_person_writes_meanwhile_is_read_when_the_turn_is_over() {
    use askbridge_scripted::model::{Script, on_any_result, on_user};
    let script = Script::new()
        .turn(on_any_result(), [text("all done now")])
        .turn(on_user("one more thing"), [text("I will do that too")])
        .turn(on_user("hi-there"), [ask(CALL, "Which?", ["Aaa", "Bbb"])]);
    let mut workstation = Workstation::sit(script, &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    let session = asked["session"].as_str().unwrap().to_owned();
    let (status, said) =
        workstation.house.post(&format!("/v1/sessions/{session}/messages"), &json!({"text": "one more thing: tests"}));
    assert_eq!(status, 202, "{said}");
    workstation.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    workstation.until_shown("I will do that too");
}

#[test]
fn what_a_rule_decided_is_corrected_and_the_agent_in_the_terminal_reads_it_when_its_turn_ends() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.toml");
    let rule =
        "[[rules]]\nname = \"no small talk\"\ndo = \"deny\"\nwords = \"Decide yourself.\"\nquestion = \"Which?\"\n";
    std::fs::write(&file, rule).unwrap();
    // After the rule's word the agent has more to do, which a person decides: until then its turn goes on.
    let script = askbridge_scripted::model::Script::new()
        .turn(on_user("A late answer"), [text("thanks a lot")])
        .turn(on_result("toolu_2"), [text("all done now")])
        .turn(on_result(CALL), [ask("toolu_2", "Then?", ["Aaa", "Bbb"])])
        .turn(on_user("hi-there"), [ask(CALL, "Which?", ["Aaa", "Bbb"])]);
    let server = [("ASKBRIDGE_RULES", file.to_str().unwrap())];
    let mut workstation = Workstation::sit(script, &Setting { server: &server, ..Setting::default() });
    workstation.prompt();
    let denied = workstation.result();
    assert!(denied.text.contains("“no small talk”") && denied.text.contains("no person was asked"), "{denied:?}");
    let asked = workstation.rings();
    let ruled = workstation.house.get("/v1/asks?state=ruled")["items"][0].clone();
    let corrected = workstation.house.answer(id(&ruled), json!({"answers": {"Which?": "Bbb"}}));
    assert_eq!(corrected["late"]["answers"], json!({"Which?": "Bbb"}), "{corrected}");
    workstation.house.answer(id(&asked), json!({"answers": {"Then?": "Aaa"}}));
    workstation.until_shown("thanks a lot");
    let texts = workstation.house.model.heard();
    let read = texts.iter().any(|request| {
        let all = serde_json::to_string(&request.body).unwrap();
        all.contains("A late answer to your earlier question “Which?”") && all.contains("ada now says: Bbb")
    });
    assert!(read, "{:?}", workstation.house.model.unscripted());
}
