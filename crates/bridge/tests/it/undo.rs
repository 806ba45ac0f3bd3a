//! An answer with its own undo time: proposed on every device, undone on any of the person's, kept by the journal.

use std::time::Duration;

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_core::ids::Timestamp;
use askbridge_journal::sqlite;
use serde_json::{Value, json};

use crate::kit::House;

async fn asked(house: &House, agent: &str, more: Value) -> String {
    let mut body = json!({"questions": [{"question": "Go on?", "options": ["Yes", "No"]}]});
    let (fields, more) = (body.as_object_mut().expect("an object"), more.as_object().expect("an object"));
    fields.extend(more.clone());
    let (status, ask) = house.post("/v1/asks", agent, &body).await;
    assert_eq!(status, 201, "{ask}");
    ask["id"].as_str().expect("an ask has an id").to_owned()
}

fn yes(undo: Value) -> Value {
    json!({"answers": {"Go on?": "Yes"}, "undo_seconds": undo})
}

#[tokio::test]
async fn a_second_device_sees_what_is_proposed_and_takes_it_back() {
    let house = House::open().await;
    let (agent, phone, laptop) = (house.agent("ci").await, house.person("ada").await, house.person("ada").await);
    let bob = house.person("bob").await;
    let ask = asked(&house, &agent, json!({})).await;
    let (mut on_phone, mut on_laptop) = (house.native(&phone).await, house.native(&laptop).await);
    let mut frame = yes(json!(30));
    frame.as_object_mut().unwrap().extend([("type".into(), "answer".into()), ("tag".into(), 1.into())]);
    frame["ask"] = json!(ask);
    on_phone.say(&frame.to_string()).await;

    let told = on_laptop.hear("the proposal", |frame| frame["event"]["type"] == "proposed").await;
    assert_eq!((&told["event"]["ask"], &told["event"]["by"]["person"]), (&json!(ask), &json!("ada")));
    let reply = on_phone.hear("the ruling", |frame| frame["type"] == "reply").await;
    assert_eq!(reply["ok"], true, "{reply}");
    let (_, shown) = house.get(&format!("/v1/asks/{ask}"), &laptop).await;
    assert_eq!(
        (&shown["state"], &shown["answers"], &shown["by"]["person"], &shown["verdict"]),
        (&json!("proposed"), &json!({"Go on?": "Yes"}), &json!("ada"), &Value::Null)
    );
    let (_, page) = house.get("/v1/asks", &laptop).await;
    assert_eq!(page["items"][0]["undo_until"], shown["undo_until"], "{page}");

    let undo = json!({"type": "undo", "tag": 2, "ask": ask}).to_string();
    let mut on_bobs = house.native(&bob).await;
    on_bobs.say(&undo).await;
    let refused = on_bobs.hear("a refusal", |frame| frame["tag"] == 2).await;
    assert_eq!(refused["error"]["code"], "nothing_to_undo");
    on_laptop.say(&undo).await;
    on_phone.hear("that it was taken back", |frame| frame["event"]["type"] == "undone").await;
    let (_, shown) = house.get(&format!("/v1/asks/{ask}"), &phone).await;
    assert_eq!((&shown["state"], &shown["answers"]), (&json!("open"), &json!({})));
    let (_, now) = house.post(&format!("/v1/asks/{ask}/answer"), &bob, &yes(json!(0))).await;
    assert_eq!((&now["state"], &now["by"]["person"]), (&json!("answered"), &json!("bob")));
    house.close().await;
}

#[tokio::test]
async fn an_undo_time_that_is_none_is_refused_with_words() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let ask = asked(&house, &agent, json!({})).await;
    let words = "`undo_seconds` has to be a whole number of seconds from 0 to 60";
    let mut native = house.native(&ada).await;
    for (tag, undo) in [json!(61), json!(-1), json!("x"), json!(1.5)].into_iter().enumerate() {
        let (status, problem) = house.post(&format!("/v1/asks/{ask}/answer"), &ada, &yes(undo.clone())).await;
        assert_eq!(
            (status, &problem["code"], &problem["detail"]),
            (422, &json!("bad_request"), &json!(words)),
            "{undo}"
        );
        let frame = json!({"type": "answer", "tag": tag, "ask": ask, "decision": "deny", "undo_seconds": undo});
        native.say(&frame.to_string()).await;
        let refused = native.hear("a refusal", |frame| frame["type"] == "reply").await;
        assert_eq!(
            (&refused["tag"], &refused["error"]["code"], &refused["error"]["detail"]),
            (&json!(tag), &json!("bad_request"), &json!(words)),
            "{undo}"
        );
    }
    assert_eq!(house.get(&format!("/v1/asks/{ask}"), &ada).await.1["state"], "open");
    house.close().await;
}

#[tokio::test]
async fn the_asker_hears_the_answer_when_the_undo_time_is_over() {
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let folder = tempfile::tempdir().unwrap();
    let house = House::open_file(&sqlite::Options::new(folder.path(), 1), Clock::Manual(clock.clone()), 1).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let ask = asked(&house, &agent, json!({"timeout_seconds": 20})).await;
    let (_, proposed) = house.post(&format!("/v1/asks/{ask}/answer"), &ada, &yes(json!(60))).await;
    assert_eq!((&proposed["state"], &proposed["undo_until"]), (&json!("proposed"), &proposed["deadline"]));
    let path = format!("/v1/asks/{ask}?wait=60");
    let (heard, ()) = tokio::join!(house.get(&path, &agent), async { clock.advance(Duration::from_secs(20)) });
    assert_eq!((&heard.1["state"], &heard.1["answers"]), (&json!("answered"), &json!({"Go on?": "Yes"})));
    let (status, late) = house.post(&format!("/v1/asks/{ask}/undo"), &ada, &json!({})).await;
    assert_eq!((status, &late["code"]), (409, &json!("nothing_to_undo")));
    house.close().await;
}

#[tokio::test]
async fn the_next_server_settles_what_was_proposed_before_it() {
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let folder = tempfile::tempdir().unwrap();
    let options = sqlite::Options::new(folder.path(), 7);
    let house = House::open_file(&options, Clock::Manual(clock.clone()), 1).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (early, late) = (asked(&house, &agent, json!({})).await, asked(&house, &agent, json!({})).await);
    for (ask, undo) in [(&early, 5), (&late, 60)] {
        let (_, proposed) = house.post(&format!("/v1/asks/{ask}/answer"), &ada, &yes(json!(undo))).await;
        assert_eq!(proposed["state"], "proposed");
    }
    house.close().await;
    clock.advance(Duration::from_secs(30));
    let house = House::open_file(&options, Clock::Manual(clock.clone()), 2).await;
    let (_, answered) = house.get(&format!("/v1/asks/{early}?wait=60"), &agent).await;
    assert_eq!((&answered["state"], &answered["answers"]), (&json!("answered"), &json!({"Go on?": "Yes"})));
    let (_, proposed) = house.get(&format!("/v1/asks/{late}"), &agent).await;
    assert_eq!(proposed["state"], "proposed");
    let path = format!("/v1/asks/{late}?wait=60");
    let (answered, ()) = tokio::join!(house.get(&path, &agent), async { clock.advance(Duration::from_secs(30)) });
    assert_eq!((&answered.1["state"], &answered.1["by"]["person"]), (&json!("answered"), &json!("ada")));
    house.close().await;
}

#[tokio::test]
async fn a_vote_is_taken_back_while_another_person_has_to_agree() {
    let house = House::open().await;
    let (agent, ada, bob) = (house.agent("ci").await, house.person("ada").await, house.person("bob").await);
    let ask = asked(&house, &agent, json!({"quorum": 2})).await;
    let path = |verb: &str| format!("/v1/asks/{ask}/{verb}");
    let (_, voted) = house.post(&path("answer"), &ada, &yes(json!(5))).await;
    assert_eq!((&voted["state"], voted["quorum"]["answered"].as_array().unwrap().len()), (&json!("open"), 1));
    let (status, open) = house.post(&path("undo"), &ada, &json!({})).await;
    assert_eq!((status, &open["state"], &open["quorum"]["answered"]), (200, &json!("open"), &json!([])), "{open}");
    for (person, state) in [(&bob, "open"), (&ada, "proposed")] {
        let (_, ask) = house.post(&path("answer"), person, &yes(json!(30))).await;
        assert_eq!(ask["state"], state);
    }
    assert_eq!(house.post(&path("undo"), &bob, &json!({})).await.0, 409);
    let (_, open) = house.post(&path("undo"), &ada, &json!({})).await;
    assert_eq!((&open["state"], open["quorum"]["answered"].as_array().unwrap().len()), (&json!("open"), 1));
    house.close().await;
}
