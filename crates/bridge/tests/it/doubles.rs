//! Four languages at one table: what an agent asks through `asker` is shown in `chorus`, `letterbox` and `native`, and
//! whoever answers, the agent hears it once.

use askbridge_core::ids::AskId;
use serde_json::{Value, json};

use crate::kit::{House, Socket};

fn ask(id: &str) -> String {
    json!({"op": "ask", "id": id, "body": {"question": "Which database?", "options": ["Postgres", "SQLite"]}})
        .to_string()
}

/// Asks, and returns the ask's id once it is durable.
async fn asks(asker: &mut Socket, id: &str) -> String {
    asker.say(&ask(id)).await;
    let taken = asker.hear("taken", |frame| frame["op"] == "taken" && frame["id"] == id).await;
    taken["ask"].as_str().expect("an ask has an id").to_owned()
}

fn session_of(ask: &str) -> String {
    ask.parse::<AskId>().expect("this is an ask's id").session.to_string()
}

fn is_event<'a>(kind: &'a str, ask: &'a str) -> impl Fn(&Value) -> bool + 'a {
    move |frame| {
        let event = &frame["event"];
        let about = event["ask"] == ask || event["ask"]["id"] == ask || event["parcel"]["verdict"] == ask;
        event["type"] == kind && about
    }
}

fn is_note(kind: &str) -> impl Fn(&Value) -> bool {
    move |frame| frame["event"]["type"] == kind && frame["event"]["parcel"]["message"].is_string()
}

#[tokio::test]
async fn an_ask_is_shown_everywhere_and_answered_from_each_in_turn() {
    let house = House::open().await;
    let (ada, whim) = (house.person("ada").await, house.agent("whim").await);
    let mut chorus = house.chorus(&ada).await;
    let mut letterbox = house.letterbox(&ada, None).await;
    letterbox.hear("all").await;
    let mut native = house.native(&ada).await;
    let mut asker = house.asker(&whim).await;

    for (id, answered_by) in [("q1", "chorus"), ("q2", "letterbox"), ("q3", "native")] {
        let ask = asks(&mut asker, id).await;
        chorus.hear("the ask", |frame| frame["sing"] == "ask" && frame["call"] == id).await;
        assert_eq!(letterbox.hear("letter").await["letter"], ask.as_str());
        native.hear("the ask", is_event("asked", &ask)).await;

        match answered_by {
            "chorus" => {
                let to = json!({"Which database?": "SQLite"});
                chorus.say(&json!({"answer": {"in": session_of(&ask), "call": id, "to": to}}).to_string()).await;
            }
            "letterbox" => {
                let ticks = json!({"letter": ask, "ticks": {"Which database?": [1]}});
                let posted = house.post("/letterbox/reply", &ada, &ticks).await;
                assert_eq!(posted, (200, json!({"resolved": true})));
            }
            _ => {
                let answers = json!({"Which database?": "SQLite"});
                native.say(&json!({"type": "answer", "tag": 1, "ask": ask, "answers": answers}).to_string()).await;
                let heard = native.hear_all("the reply", |frame| frame["type"] == "reply").await;
                assert!(heard.iter().any(is_event("settled", &ask)), "first the news, then the receipt: {heard:#?}");
            }
        }

        let verdict = asker.hear("the verdict", |frame| frame["op"] == "verdict").await;
        let expected = json!({"op": "verdict", "id": id, "ruling": "answer", "answers": {"Which database?": "SQLite"}, "words": ""});
        assert_eq!(verdict, expected);
        chorus.hear("the end", |frame| frame["sing"] == "over" && frame["call"] == id).await;
        assert_eq!(letterbox.hear("taken").await, json!({"letter": ask, "how": "answered"}));

        let (_, shown) = house.get(&format!("/v1/asks/{ask}"), &ada).await;
        assert_eq!((&shown["by"]["via"], &shown["delivered_at"]), (&json!(answered_by), &Value::Null));
        asker.say(&json!({"op": "heard", "id": id}).to_string()).await;
        native.hear("the proof", is_event("delivered", &ask)).await;
        let (_, shown) = house.get(&format!("/v1/asks/{ask}"), &ada).await;
        assert!(shown["delivered_at"].is_string(), "{shown:#}");
    }
    house.close().await;
}

#[tokio::test]
async fn the_answer_to_an_asker_that_died_waits_as_a_message() {
    let house = House::open().await;
    let (ada, whim) = (house.person("ada").await, house.agent("whim").await);
    let mut native = house.native(&ada).await;
    let mut chorus = house.chorus(&ada).await;
    let mut asker = house.asker(&whim).await;
    let ask = asks(&mut asker, "q1").await;
    asker.kill();
    native.hear("that the way back is gone", is_event("stranded", &ask)).await;

    // Without a call: the only open ask of the session is meant.
    let session = session_of(&ask);
    chorus.say(&json!({"answer": {"in": session, "to": {"Which database?": "Postgres"}}}).to_string()).await;
    let said = native.hear("the message", |frame| frame["event"]["type"] == "said").await;
    assert_eq!(said["event"]["about"], ask.as_str());
    let (_, shown) = house.get(&format!("/v1/sessions/{session}"), &ada).await;
    let text = shown["queued_messages"][0]["text"].as_str().expect("a message waits");
    assert!(text.ends_with("ada says: Postgres"), "{text}");

    // It comes back, asks the same, and gets what waits: once, as a note.
    let mut asker = house.asker(&whim).await;
    assert_eq!(asks(&mut asker, "q1").await, ask);
    let heard = asker.hear_all("the note", |frame| frame["op"] == "note").await;
    assert!(heard.iter().all(|frame| frame["op"] != "verdict"), "{heard:#?}");
    let note = heard.last().expect("the note is the last")["note"].clone();
    asker.say(&json!({"op": "heard", "note": note}).to_string()).await;
    native.hear("the proof", is_note("delivered")).await;
    let (_, shown) = house.get(&format!("/v1/sessions/{session}"), &ada).await;
    assert_eq!(shown["queued_messages"], json!([]));
    let (_, shown) = house.get(&format!("/v1/asks/{ask}"), &ada).await;
    assert!(shown["delivered_at"].is_string(), "a note that was heard delivers its ask");
    house.close().await;
}

#[tokio::test]
async fn a_verdict_that_was_not_acknowledged_is_handed_again() {
    let house = House::open().await;
    let (ada, whim) = (house.person("ada").await, house.agent("whim").await);
    let mut native = house.native(&ada).await;
    let mut asker = house.asker(&whim).await;
    let ask = asks(&mut asker, "q1").await;
    native.say(&json!({"type": "dismiss", "tag": 1, "ask": ask, "words": "not now"}).to_string()).await;
    let first = asker.hear("the verdict", |frame| frame["op"] == "verdict").await;
    asker.kill();

    let mut asker = house.asker(&whim).await;
    assert_eq!(asks(&mut asker, "q1").await, ask);
    let again = asker.hear("the verdict", |frame| frame["op"] == "verdict").await;
    assert_eq!(again, first);
    let handed = native.hear("the second try", |frame| frame["event"]["attempt"] == 2).await;
    assert_eq!(handed["event"]["parcel"]["verdict"], ask.as_str());
    asker.say(r#"{"op":"heard","id":"q1"}"#).await;
    native.hear("the proof", is_event("delivered", &ask)).await;
    house.close().await;
}

#[tokio::test]
async fn an_ask_in_flight_when_its_asker_dies_is_stranded_when_it_lands() {
    let house = House::open().await;
    let (ada, whim) = (house.person("ada").await, house.agent("whim").await);
    let mut native = house.native(&ada).await;
    let mut asker = house.asker(&whim).await;
    asker.say(&ask("q1")).await;
    asker.kill();
    let asked = native.hear("the ask", |frame| frame["event"]["type"] == "asked").await;
    let ask = asked["event"]["ask"]["id"].as_str().expect("an ask has an id").to_owned();
    native.hear("that the way back is gone", is_event("stranded", &ask)).await;
    house.close().await;
}

#[tokio::test]
async fn a_letterbox_resumes_with_what_it_missed_and_only_that() {
    let house = House::open().await;
    let (ada, whim) = (house.person("ada").await, house.agent("whim").await);
    let mut asker = house.asker(&whim).await;
    let mut letterbox = house.letterbox(&ada, None).await;
    letterbox.hear("all").await;
    let seen = asks(&mut asker, "q1").await;
    assert_eq!(letterbox.hear("letter").await["letter"], seen.as_str());
    let last_id = letterbox.last_id.clone().expect("a letter carries its cursor");
    drop(letterbox);

    let missed = asks(&mut asker, "q2").await;
    let mut letterbox = house.letterbox(&ada, Some(&last_id)).await;
    assert_eq!(letterbox.hear("letter").await["letter"], missed.as_str());
    let live = asks(&mut asker, "q3").await;
    assert_eq!(letterbox.hear("letter").await["letter"], live.as_str());
    house.close().await;
}

#[tokio::test]
async fn each_language_lets_in_whom_its_manners_say() {
    let house = House::open().await;
    let (ada, whim) = (house.person("ada").await, house.agent("whim").await);
    assert_eq!(house.socket("/chorus", None).await.err(), Some(401));
    assert_eq!(house.socket("/chorus", Some("ab_wrong")).await.err(), Some(401));
    assert_eq!(house.socket("/asker", None).await.err(), Some(401));
    let mut wrong = house.socket("/asker?token=ab_wrong", None).await.expect("the token is looked at inside");
    assert_eq!(wrong.hear_end().await, 4401);
    assert_eq!(house.get("/letterbox", "ab_wrong").await.0, 401);
    assert_eq!(house.get("/chorus", &ada).await.0, 426);

    // A person does not ask, an agent does not decide, whatever the language.
    let mut person = house.asker(&ada).await;
    person.say(&ask("q1")).await;
    let refused = person.hear("a refusal", |frame| frame["op"] == "refused").await;
    assert_eq!(refused["code"], "forbidden");
    let mut asker = house.asker(&whim).await;
    let own = asks(&mut asker, "q1").await;
    let ticks = json!({"letter": own, "ticks": {"Which database?": [0]}});
    assert_eq!(house.post("/letterbox/reply", &whim, &ticks).await.0, 403);
    house.close().await;
}

#[tokio::test]
async fn a_bridge_that_stops_strands_what_only_its_connections_reach() {
    let house = House::open().await;
    let whim = house.agent("whim").await;
    let mut asker = house.asker(&whim).await;
    let ask: AskId = asks(&mut asker, "q1").await.parse().expect("this is an ask's id");
    let handle = house.handle.clone();
    let bridge = house.stop_serving().await;
    assert_eq!(asker.hear_end().await, 1001);
    let view = handle.ask(ask).await.expect("the ask is kept");
    assert!(view.stranded && view.state.is_open(), "{view:?}");
    bridge.stop().await;
}
