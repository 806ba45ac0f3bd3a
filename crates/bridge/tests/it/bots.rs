//! Programs that answer: under their own name, and never counted as a person.

use serde_json::{Value, json};

use crate::kit::House;
use crate::rights::samples;

fn question() -> Value {
    json!({"questions": [{"question": "Deploy now?", "options": ["Yes", "No"]}]})
}

async fn ask(house: &House, agent: &str, body: &Value) -> String {
    let (status, asked) = house.post("/v1/asks", agent, body).await;
    assert_eq!(status, 201, "{asked}");
    asked["id"].as_str().expect("an ask has an id").to_owned()
}

#[tokio::test]
async fn what_a_bot_answers_is_recorded_as_its_own_and_a_person_may_still_say_otherwise() {
    let house = House::open().await;
    let (agent, ada, bot) = (house.agent("ci").await, house.person("ada").await, house.bot("nightly").await);
    let id = ask(&house, &agent, &question()).await;
    assert_eq!(house.get("/v1/me", &bot).await.1["role"], "bot");
    assert_eq!(house.get("/v1/asks", &bot).await.1["items"][0]["id"], id, "it sees what is open");
    let yes = json!({"answers": {"Deploy now?": "Yes"}});
    let path = format!("/v1/asks/{id}/answer");
    for _ in 0..2 {
        let (status, said) = house.post(&path, &bot, &yes).await;
        assert_eq!(status, 200, "and saying it again is no news: {said}");
    }
    let (_, view) = house.get(&format!("/v1/asks/{id}"), &agent).await;
    assert_eq!((&view["state"], &view["by"]), (&json!("ruled"), &json!({"rule": "bot nightly"})), "{view}");
    assert_eq!(view["verdict"]["words"], "Decided by the rule “bot nightly”, not by a person.");
    let no = json!({"answers": {"Deploy now?": "No"}});
    assert_eq!(house.post(&path, &bot, &no).await.0, 409, "it has decided");
    assert_eq!(house.post(&path, &ada, &no).await.0, 202, "a person comes late, and is heard");
    house.close().await;
}

#[tokio::test]
async fn a_bot_is_none_of_the_people_who_have_to_agree_and_decides_nothing_but_answers() {
    let house = House::open().await;
    let (agent, bot) = (house.agent("ci").await, house.bot("nightly").await);
    let mut several = question();
    several["quorum"] = json!(2);
    let id = ask(&house, &agent, &several).await;
    let yes = json!({"answers": {"Deploy now?": "Yes"}});
    let (status, problem) = house.post(&format!("/v1/asks/{id}/answer"), &bot, &yes).await;
    assert_eq!(
        (status, &problem["detail"]),
        (403, &json!("2 people have to agree to this, and a bot does not count as one"))
    );
    let about_others = ["{session}", "{token}", "{channel}"];
    for sample in samples().iter().filter(|it| it.method != "GET" && it.is_refused("bot")) {
        if about_others.iter().any(|part| sample.path.contains(part)) {
            continue;
        }
        let (status, problem) = sample.send(&house, &bot, &sample.path.replace("{ask}", &id)).await;
        assert_eq!(status, 403, "{} {}: {problem}", sample.method, sample.path);
    }
    assert_eq!(house.get(&format!("/v1/asks/{id}"), &agent).await.1["state"], "open");
    house.close().await;
}

#[tokio::test]
async fn a_bot_decides_one_ask_as_it_stands_and_gives_no_standing_permission() {
    let house = House::open().await;
    let (agent, bot) = (house.agent("ci").await, house.bot("nightly").await);
    let approval = json!({"approval": {
        "tool": "Bash", "input": {"command": "make"}, "rules": [{"label": "always allow make", "rule": {"allow": "make"}}],
    }});
    let id = ask(&house, &agent, &approval).await;
    let path = format!("/v1/asks/{id}/answer");
    for (beyond, named) in [
        (json!({"decision": "allow", "always": 0}), "`always`"),
        (json!({"decision": "allow", "input": {"command": "rm -rf /"}}), "`input`"),
        (json!({"decision": "allow", "always": 0, "input": {"command": "rm -rf /"}}), "`always`"),
    ] {
        let (status, problem) = house.post(&path, &bot, &beyond).await;
        assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(named)), "{problem}");
    }
    assert_eq!(house.get(&format!("/v1/asks/{id}"), &agent).await.1["state"], "open");
    assert_eq!(house.post(&path, &bot, &json!({"decision": "allow"})).await.0, 200);
    let plan = ask(&house, &agent, &json!({"plan": "Paint it blue"})).await;
    let edited = json!({"decision": "approve", "plan": "Paint it red"});
    assert_eq!(house.post(&format!("/v1/asks/{plan}/answer"), &bot, &edited).await.0, 403);
    house.close().await;
}
