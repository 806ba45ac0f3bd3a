//! Any node serves any person.

use serde_json::json;

use crate::nats::Nats;
use crate::node::Node;
use crate::wire::Socket;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_on_one_node_appears_on_another_and_is_answered_on_a_third() {
    let nats = Nats::start();
    let [asking, showing, answering] = Node::several(&nats, ["asking", "showing", "answering"]).await;
    let ada = asking.person("ada").await;
    showing.until("/v1/me", &ada, |status, _| status == 200).await;
    answering.until("/v1/me", &ada, |status, _| status == 200).await;
    let mut phone = Socket::connect(&showing.address).await.unwrap();
    phone.send(&json!({"type": "hello", "token": ada})).await.unwrap();
    while phone.next().await.unwrap()["type"] != "snapshot" {}

    let ask = asking.ask("Deploy?", &json!({})).await;
    let shown = loop {
        let frame = phone.next().await.unwrap();
        if frame["event"]["type"] == "asked" {
            break frame;
        }
    };
    assert!(shown.to_string().contains(&ask), "{shown}");
    let answer = json!({"answers": {"Deploy?": "Yes"}});
    let (status, settled) = answering.post(&format!("/v1/asks/{ask}/answer"), &ada, &answer).await;
    assert_eq!(status, 200, "{settled}");
    let (_, told) = asking.get(&format!("/v1/asks/{ask}?wait=30"), &asking.local_token()).await;
    assert_eq!((&told["state"], &told["answers"]), (&json!("answered"), &json!({"Deploy?": "Yes"})));
    assert_eq!(told["by"]["person"], "ada");
    loop {
        let frame = phone.next().await.unwrap();
        if frame["event"]["type"] == "settled" {
            break;
        }
    }

    let token = showing.local_token();
    let cluster = showing.until("/v1/cluster", &token, |_, cluster| {
        cluster["nodes"].as_array().is_some_and(|nodes| nodes.iter().filter(|node| node["state"] == "up").count() == 3)
    });
    let cluster = cluster.await;
    let mut names: Vec<_> = cluster["nodes"].as_array().unwrap().iter().map(|node| node["name"].clone()).collect();
    names.sort_by_key(ToString::to_string);
    assert_eq!(names, [json!("answering"), json!("asking"), json!("showing")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_killed_is_shown_as_down_and_its_asks_are_answered_elsewhere() {
    let nats = Nats::start();
    let [mut one, two, _three] = Node::several(&nats, ["one", "two", "three"]).await;
    let ada = two.person("ada").await;
    let ask = one.ask("Deploy?", &json!({})).await;
    one.kill();
    let (status, settled) =
        two.post(&format!("/v1/asks/{ask}/answer"), &ada, &json!({"answers": {"Deploy?": "No"}})).await;
    assert_eq!(status, 200, "{settled}");
    let token = two.local_token();
    let cluster = two.until("/v1/cluster", &token, |_, cluster| {
        cluster["nodes"].as_array().is_some_and(|nodes| nodes.iter().any(|node| node["state"] == "down"))
    });
    let cluster = cluster.await;
    let down: Vec<_> = cluster["nodes"].as_array().unwrap().iter().filter(|node| node["state"] == "down").collect();
    assert_eq!(down.len(), 1);
    assert_eq!(down[0]["name"], "one");
    assert!(down[0]["since"].is_string());

    one.run().await;
    let told = one.until(&format!("/v1/asks/{ask}"), &one.local_token(), |_, ask| ask["state"] == "answered").await;
    assert_eq!(told["answers"], json!({"Deploy?": "No"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_is_another_ask_on_another_machine_and_the_same_one_for_a_token_that_both_know() {
    let nats = Nats::start();
    let one = Node::start(&nats, "one").await;
    let two = Node::start(&nats, "two").await;
    let body = json!({"questions": [{"question": "Deploy?", "options": ["Yes", "No"]}]});
    let (status, made) = one.local("/v1/tokens", &json!({"name": "ci"})).await;
    assert_eq!(status, 201, "{made}");
    let ci = made["token"].as_str().unwrap().to_owned();
    two.until("/v1/me", &ci, |status, _| status == 200).await;
    let ask = async |node: &Node, token: &str| {
        let headers = format!("authorization: Bearer {token}\r\nidempotency-key: deploy-17\r\n");
        let (status, asked) = node.http().await.post("/v1/asks", &headers, &body).await.unwrap();
        (status, asked["id"].as_str().unwrap().to_owned())
    };
    let (_, local_one) = ask(&one, &one.local_token()).await;
    let (_, local_two) = ask(&two, &two.local_token()).await;
    assert_ne!(local_one, local_two, "two machines, two scripts");
    let (created, ci_one) = ask(&one, &ci).await;
    let (again, ci_two) = ask(&two, &ci).await;
    assert_eq!((created, again, ci_one), (201, 200, ci_two), "one script that moved to another node");
}
