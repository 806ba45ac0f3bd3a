//! Bugs in reading an answer: what was meant, and what was understood.

use std::time::Duration;

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_core::ids::{SessionId, Timestamp};
use askbridge_journal::sqlite;
use askbridge_peers::uuid;
use serde_json::{Value, json};

use super::{answer, ask, question};
use crate::kit::House;

#[tokio::test]
async fn bug_1_an_empty_answer_is_not_an_answer() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let id = ask(&house, &agent, &question()).await;
    for blank in ["", "  ", "\n", "\u{200b}", "\u{feff}"] {
        assert_eq!(answer(&house, &ada, &id, json!({"Which way?": blank})).await.0, 422, "{blank:?}");
    }
    assert_eq!(house.get(&format!("/v1/asks/{id}"), &agent).await.1["state"], "open");
    house.close().await;
}

#[tokio::test]
async fn bug_2_closing_a_card_denies_with_the_persons_words() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let approval = json!({"approval": {"tool": "Bash", "input": {"command": "make"}}});
    let id = ask(&house, &agent, &approval).await;
    house.post(&format!("/v1/asks/{id}/dismiss"), &ada, &json!({"words": "use ninja"})).await;
    let (_, view) = house.get(&format!("/v1/asks/{id}"), &agent).await;
    assert_eq!(view["verdict"]["ruling"], "deny");
    assert!(view["verdict"]["words"].as_str().unwrap().contains("use ninja"), "{view}");
    house.close().await;
}

#[tokio::test]
async fn bug_3_an_answer_by_index_reaches_the_agent_as_texts() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let id = ask(&house, &agent, &question()).await;
    assert_eq!(answer(&house, &ada, &id, json!({"Which way?": {"options": [1]}})).await.0, 200);
    let (_, view) = house.get(&format!("/v1/asks/{id}"), &agent).await;
    assert_eq!(view["answers"], json!({"Which way?": "South"}));
    house.close().await;
}

#[tokio::test]
async fn bug_4_twin_questions_and_twin_labels_are_told_apart_or_refused() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let one = json!({"question": "Which?", "options": [{"label": "A"}, {"label": "A"}, {"label": "B"}]});
    let twins = json!({"questions": [one, one]});
    let (status, asked) = house.post("/v1/asks", &agent, &twins).await;
    assert_eq!(status, 201, "{asked}");
    let names = |view: &Value| -> Vec<String> {
        let questions = view["questions"].as_array().unwrap().iter();
        questions.map(|question| question["question"].as_str().unwrap().to_owned()).collect()
    };
    let shown = names(&asked);
    assert_ne!(shown[0], shown[1], "{asked}");
    let labels = asked["questions"][0]["options"].as_array().unwrap();
    assert_ne!(labels[0]["label"], labels[1]["label"], "{asked}");
    let id = asked["id"].as_str().unwrap();
    let first = labels[0]["label"].clone();
    let second = asked["questions"][1]["options"][1]["label"].clone();
    let answers = json!({shown[0].clone(): first, shown[1].clone(): second});
    assert_eq!(answer(&house, &ada, id, answers.clone()).await.0, 200);
    let (_, view) = house.get(&format!("/v1/asks/{id}"), &agent).await;
    assert_eq!(view["answers"].as_object().unwrap().len(), 2, "{view}");
    house.close().await;
}

#[tokio::test]
async fn bug_5_a_comma_in_a_label_splits_nothing() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let options = json!([{"label": "Red, green"}, {"label": "Red"}, {"label": "Blue"}]);
    let body = json!({"questions": [{"question": "Colours?", "options": options, "multiSelect": true}]});
    let id = ask(&house, &agent, &body).await;
    assert_eq!(answer(&house, &ada, &id, json!({"Colours?": ["Red, green", "Blue"]})).await.0, 200);
    let (_, view) = house.get(&format!("/v1/asks/{id}"), &agent).await;
    assert_eq!(view["answers"], json!({"Colours?": ["Red, green", "Blue"]}));
    house.close().await;
}

#[tokio::test]
async fn bug_6_a_partial_answer_says_what_was_skipped() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut two = question();
    two["questions"].as_array_mut().unwrap().push(json!({"question": "When?", "options": [{"label": "Now"}]}));
    let id = ask(&house, &agent, &two).await;
    assert_eq!(answer(&house, &ada, &id, json!({"Which way?": "North"})).await.0, 200);
    let (_, view) = house.get(&format!("/v1/asks/{id}"), &agent).await;
    assert_eq!(view["skipped"], json!(["When?"]));
    assert!(view["verdict"]["words"].as_str().unwrap().contains("When?"), "{view}");
    house.close().await;
}

#[tokio::test]
async fn bug_19_a_timeout_does_not_read_like_a_refusal() {
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let folder = tempfile::tempdir().unwrap();
    let house = House::open_file(&sqlite::Options::new(folder.path(), 1), Clock::Manual(clock.clone()), 1).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut dated = question();
    dated["timeout_seconds"] = json!(60);
    let (expires, closed) = (ask(&house, &agent, &dated).await, ask(&house, &agent, &question()).await);
    house.post(&format!("/v1/asks/{closed}/dismiss"), &ada, &json!({})).await;
    clock.advance(Duration::from_secs(61));
    let (_, expired) = house.get(&format!("/v1/asks/{expires}?wait=10"), &agent).await;
    let (_, closed) = house.get(&format!("/v1/asks/{closed}"), &agent).await;
    let words = |view: &Value| view["verdict"]["words"].as_str().unwrap().to_owned();
    assert!(words(&expired).contains("not a refusal") && words(&expired).contains("Nobody"), "{expired}");
    assert!(words(&closed).contains("closed") && !words(&closed).contains("Nobody"), "{closed}");
    house.close().await;
}

#[tokio::test]
async fn bug_22_long_input_with_odd_line_ends_goes_back_untouched() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let input = json!({"command": format!("\r\n\r\necho {}\r\n\n", "x".repeat(100_000)), "extra": [null, 1.0]});
    let id = ask(&house, &agent, &json!({"approval": {"tool": "Bash", "input": input}})).await;
    house.post(&format!("/v1/asks/{id}/answer"), &ada, &json!({"decision": "allow"})).await;
    let (_, view) = house.get(&format!("/v1/asks/{id}"), &agent).await;
    assert_eq!((&view["approval"]["input"], &view["state"]), (&input, &json!("answered")));
    house.close().await;
}

#[tokio::test]
async fn bug_26_a_command_is_shown_whole_whatever_hides_in_it() {
    let house = House::speaking("prime").await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let command = format!("echo hello{}; rm -rf ~ # \u{202e}txet", " ".repeat(5_000));
    let approval = json!({"approval": {"tool": "Bash", "input": {"command": command}}});
    let id = ask(&house, &agent, &approval).await;
    let (_, view) = house.get(&format!("/v1/asks/{id}"), &ada).await;
    assert_eq!(view["approval"]["input"]["command"], command);
    // A client without approvals shows it as text, and leaves nothing out either.
    let session: SessionId = view["session"].as_str().unwrap().parse().unwrap();
    let path = format!("/api/v1/chat/ws/{}", uuid::of_session(session));
    let mut prime = house.socket(&path, Some(&ada)).await.expect("the token is known");
    let shown = prime.hear("the ask", |frame| frame["type"] == "ask_user_question").await;
    assert!(shown["questions"][0]["question"].as_str().unwrap().contains("rm -rf ~"), "{shown}");
    house.close().await;
}

#[tokio::test]
async fn bug_28_a_blank_message_is_no_message() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let id = ask(&house, &agent, &question()).await;
    let (_, view) = house.get(&format!("/v1/asks/{id}"), &ada).await;
    let mut native = house.native(&ada).await;
    for text in ["", " \n", "\t"] {
        native.say(&json!({"type": "say", "tag": 1, "session": view["session"], "text": text}).to_string()).await;
        let refused = native.hear("a refusal", |frame| frame["type"] == "reply").await;
        assert_eq!((&refused["ok"], &refused["error"]["code"]), (&json!(false), &json!("bad_request")));
    }
    let path = format!("/v1/sessions/{}", view["session"].as_str().unwrap());
    assert_eq!(house.get(&path, &ada).await.1["queued_messages"], json!([]));
    house.close().await;
}

#[tokio::test]
async fn bug_30_a_question_for_a_secret_is_refused_until_it_can_be_kept() {
    let house = House::open().await;
    let agent = house.agent("ci").await;
    let secret = json!({"questions": [{"question": "Password?", "secret": true}]});
    let (status, refused) = house.post("/v1/asks", &agent, &secret).await;
    assert_eq!(status, 422, "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("secret"), "{refused}");
    house.close().await;
}
