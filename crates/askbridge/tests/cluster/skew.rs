//! A node that sleeps (SIGSTOP) and wakes up, and what it then may do.

use rustix::process::Signal;
use serde_json::json;

use crate::nats::Nats;
use crate::node::Node;

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_slept_through_a_deadline_wakes_up_to_what_the_others_decided() {
    let nats = Nats::start();
    let [one, two, _three] = Node::several(&nats, ["one", "two", "three"]).await;
    let ada = two.person("ada").await;
    let ask = one.ask("Deploy?", &json!({"timeout_seconds": 4})).await;
    let path = format!("/v1/asks/{ask}");
    two.until(&path, &ada, |_, ask| ask["state"] == "open").await;
    one.signal(Signal::STOP);
    two.until(&path, &ada, |_, ask| ask["state"] == "expired").await;
    // By then the others take it for down.
    let token = two.local_token();
    two.until("/v1/cluster", &token, |_, cluster| {
        cluster["nodes"].as_array().is_some_and(|nodes| nodes.iter().any(|node| node["state"] == "down"))
    })
    .await;
    one.signal(Signal::CONT);
    let told = one.until(&path, &one.local_token(), |_, ask| ask["state"] == "expired").await;
    assert_eq!(told["id"], ask);
    two.until("/v1/cluster", &token, |_, cluster| {
        cluster["nodes"].as_array().is_some_and(|nodes| nodes.iter().all(|node| node["state"] == "up"))
    })
    .await;
}
