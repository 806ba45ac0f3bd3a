//! A deadline comes once, whichever node is there to see it.

use serde_json::{Value, json};

use crate::nats::Nats;
use crate::node::Node;

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_comes_once_although_the_node_that_was_asked_is_dead() {
    let nats = Nats::start();
    let [mut one, two, three] = Node::several(&nats, ["one", "two", "three"]).await;
    let ada = two.person("ada").await;
    three.until("/v1/me", &ada, |status, _| status == 200).await;
    let ask = one.ask("Deploy?", &json!({"timeout_seconds": 3})).await;
    one.kill();
    let path = format!("/v1/asks/{ask}");
    let expired = two.until(&path, &ada, |_, ask| ask["state"] == "expired").await;
    three.until(&path, &ada, |_, ask| ask["state"] == "expired").await;
    let session = expired["session"].as_str().unwrap();
    let (_, events) = three.get(&format!("/v1/sessions/{session}/events"), &ada).await;
    let settled: Vec<&Value> =
        events["items"].as_array().unwrap().iter().filter(|entry| entry.to_string().contains("\"expired\"")).collect();
    assert_eq!(settled.len(), 1, "{events}");
}
