//! An agent that asks over its own connection (whimmy's plugin): an answer is delivered once the plugin proves that it
//! read it, whichever way the person answered and however often the connection was lost.

use askbridge_core::ids::AskId;
use serde_json::{Value, json};

use crate::kit::{House, Socket};

async fn asks(plugin: &mut Socket, id: &str) {
    let options = ["Postgres", "SQLite"].map(|label| json!({"label": label, "description": ""}));
    let questions = json!([{"question": "Which database?", "header": "DB", "options": options, "multiSelect": false}]);
    let asked = json!({"sessionKey": "k1", "agentId": "main", "questionId": id, "questions": questions});
    plugin
        .say(&json!({"type": "event", "payload": {"event": "ask_user_question", "payload": asked}}).to_string())
        .await;
}

fn is_event<'a>(kind: &'a str, ask: &'a Value) -> impl Fn(&Value) -> bool + 'a {
    move |frame| {
        let event = &frame["event"];
        let about = event["ask"] == *ask || event["ask"]["id"] == *ask || event["parcel"]["verdict"] == *ask;
        event["type"] == kind && about
    }
}

/// Waits for the next question, and returns its id.
async fn asked(native: &mut Socket) -> Value {
    native.hear("the ask", |frame| frame["event"]["type"] == "asked").await["event"]["ask"]["id"].clone()
}

fn is_answer(frame: &Value) -> bool {
    frame["type"] == "hook.ask_user_answer"
}

async fn answers(native: &mut Socket, ask: &Value, label: &str) {
    let answers = json!({"Which database?": label});
    native.say(&json!({"type": "answer", "tag": 1, "ask": ask, "answers": answers}).to_string()).await;
}

#[tokio::test]
async fn a_question_is_shown_everywhere_and_answered_from_each_in_turn() {
    let house = House::speaking("whimmy").await;
    let (ada, openclaw) = (house.person("ada").await, house.agent("openclaw").await);
    let mut native = house.native(&ada).await;
    let mut stream = house.events(&ada).await;
    stream.hear("snapshot").await;
    let mut plugin = house.plugin(&openclaw).await;

    for (id, via) in [("q1", "native"), ("q2", "http")] {
        asks(&mut plugin, id).await;
        let ask = asked(&mut native).await;
        let path = format!("/v1/asks/{}", ask.as_str().expect("an ask has an id"));
        let told = loop {
            let told = stream.hear("event").await;
            if told["event"]["type"] == "asked" {
                break told;
            }
        };
        assert_eq!(told["event"]["ask"]["id"], ask);
        match via {
            "native" => {
                answers(&mut native, &ask, "SQLite").await;
                let heard = native.hear_all("the reply", |frame| frame["type"] == "reply").await;
                assert!(heard.iter().any(is_event("settled", &ask)), "first the event, then the receipt: {heard:#?}");
            }
            _ => {
                let answer = json!({"answers": {"Which database?": "SQLite"}});
                assert_eq!(house.post(&format!("{path}/answer"), &ada, &answer).await.0, 200);
            }
        }
        let heard = plugin.hear("the answer", is_answer).await;
        assert_eq!(heard["payload"], json!({"questionId": id, "answers": {"Which database?": "SQLite"}}));
        let (_, shown) = house.get(&path, &ada).await;
        assert_eq!((&shown["by"]["via"], &shown["delivered_at"]), (&json!(via), &Value::Null));
        plugin.hear("a ping", |frame| frame["type"] == "ping").await;
        plugin.say(r#"{"type":"pong"}"#).await;
        native.hear("the proof", is_event("delivered", &ask)).await;
        let (_, shown) = house.get(&path, &ada).await;
        assert!(shown["delivered_at"].is_string(), "{shown:#}");
    }
    house.close().await;
}

#[tokio::test]
async fn an_answer_given_while_the_connection_is_lost_goes_to_the_next_one() {
    let house = House::speaking("whimmy").await;
    let (ada, openclaw) = (house.person("ada").await, house.agent("openclaw").await);
    let mut native = house.native(&ada).await;
    let mut plugin = house.plugin(&openclaw).await;
    // Killed right after the question, which is asked all the same.
    asks(&mut plugin, "q1").await;
    plugin.kill();
    let ask = asked(&mut native).await;
    answers(&mut native, &ask, "Postgres").await;
    native.hear("that it counts", is_event("settled", &ask)).await;

    let mut plugin = house.plugin(&openclaw).await;
    let heard = plugin.hear("the answer", is_answer).await;
    assert_eq!(heard["payload"], json!({"questionId": "q1", "answers": {"Which database?": "Postgres"}}));
    plugin.hear("a ping", |frame| frame["type"] == "ping").await;
    plugin.say(r#"{"type":"pong"}"#).await;
    native.hear("the proof", is_event("delivered", &ask)).await;
    house.close().await;
}

#[tokio::test]
async fn an_answer_that_was_not_acknowledged_is_handed_again() {
    let house = House::speaking("whimmy").await;
    let (ada, openclaw) = (house.person("ada").await, house.agent("openclaw").await);
    let mut native = house.native(&ada).await;
    let mut plugin = house.plugin(&openclaw).await;
    asks(&mut plugin, "q1").await;
    let ask = asked(&mut native).await;
    native.say(&json!({"type": "dismiss", "tag": 1, "ask": ask, "words": "not now"}).to_string()).await;
    let first = plugin.hear("the verdict", is_answer).await;
    plugin.kill();

    let mut plugin = house.plugin(&openclaw).await;
    assert_eq!(plugin.hear("the verdict", is_answer).await, first);
    plugin.hear("a ping", |frame| frame["type"] == "ping").await;
    plugin.say(r#"{"type":"pong"}"#).await;
    native.hear("the proof", is_event("delivered", &ask)).await;
    house.close().await;
}

#[tokio::test]
async fn a_bridge_that_stops_says_goodbye_and_keeps_what_was_asked() {
    let house = House::speaking("whimmy").await;
    let (ada, openclaw) = (house.person("ada").await, house.agent("openclaw").await);
    let mut native = house.native(&ada).await;
    let mut plugin = house.plugin(&openclaw).await;
    asks(&mut plugin, "q1").await;
    let ask: AskId = asked(&mut native).await.as_str().and_then(|id| id.parse().ok()).expect("an ask has an id");
    let handle = house.handle.clone();
    let bridge = house.stop_serving().await;
    assert_eq!(plugin.hear_end().await, 1001);
    let view = handle.ask(ask).await.expect("the ask is kept");
    assert!(view.state.is_open(), "{view:?}");
    bridge.stop().await;
}

#[tokio::test]
async fn an_agent_does_not_decide_and_a_person_is_no_plugin() {
    let house = House::speaking("whimmy").await;
    let (ada, openclaw) = (house.person("ada").await, house.agent("openclaw").await);
    assert_eq!(house.socket("/api/v1/providers/ws", None).await.err(), Some(401));
    assert_eq!(house.socket("/api/v1/providers/ws?token=ab_wrong", None).await.err(), Some(401));
    assert_eq!(house.plugin(&ada).await.hear_end().await, 1008);
    assert_eq!(house.get("/v1/ws", &ada).await.0, 426);

    let mut native = house.native(&ada).await;
    let mut plugin = house.plugin(&openclaw).await;
    asks(&mut plugin, "q1").await;
    let ask = asked(&mut native).await;
    let path = format!("/v1/asks/{}/answer", ask.as_str().expect("an ask has an id"));
    assert_eq!(house.post(&path, &openclaw, &json!({"answers": {"Which database?": "SQLite"}})).await.0, 403);
    house.close().await;
}
