//! A token that is made on one node works on all, and one that is revoked on one node works on none.

use serde_json::json;

use crate::nats::Nats;
use crate::node::Node;
use crate::wire::{Http, Socket};

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_revoked_on_one_node_is_refused_on_another_and_its_socket_closed() {
    let nats = Nats::start();
    let one = Node::start(&nats, "one").await;
    let two = Node::start(&nats, "two").await;
    let ada = one.person("ada").await;
    let me = two.until("/v1/me", &ada, |status, _| status == 200).await;
    assert_eq!(me["name"], "ada");
    let mut phone = Socket::connect(&two.address).await.unwrap();
    phone.send(&json!({"type": "hello", "token": ada})).await.unwrap();
    while phone.next().await.unwrap()["type"] != "snapshot" {}

    let (_, tokens) = one.get("/v1/devices", &ada).await;
    let id = tokens["items"][0]["id"].as_str().unwrap().to_owned();
    let bearer = format!("authorization: Bearer {ada}\r\n");
    let mut http = Http::connect(&one.address).await.unwrap();
    let (status, said) = http.send("DELETE", &format!("/v1/devices/{id}"), &bearer, "").await.unwrap();
    assert!(status < 300, "{status} {}", String::from_utf8_lossy(&said));
    while phone.next().await.is_some() {}
    two.until("/v1/me", &ada, |status, _| status == 401).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_metrics_of_a_node_say_how_the_nodes_and_the_servers_are() {
    let nats = Nats::start();
    let one = Node::start(&nats, "one").await;
    let page = one.http().await.get_text("/metrics").await.unwrap();
    for line in ["askbridge_nats_connected 1", "askbridge_nodes{state=\"up\"} 1", "askbridge_node_holds_back 0"] {
        assert!(page.lines().any(|found| found == line), "{line}: {page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_file_of_one_machine_opens_no_other() {
    let nats = Nats::start();
    let one = Node::start(&nats, "one").await;
    let two = Node::start(&nats, "two").await;
    assert_ne!(one.local_token(), two.local_token());
    assert_eq!(one.get("/v1/me", &one.local_token()).await.0, 200);
    assert_eq!(two.get("/v1/me", &one.local_token()).await.0, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_tap_does_not_come_back_with_the_node() {
    let nats = Nats::start();
    let mut one = Node::start(&nats, "one").await;
    let ada = one.person("ada").await;
    let (status, said) = one.local("/v1/taps", &json!({"on": true})).await;
    assert!(status < 300, "{said}");
    let off = json!({"on": false});
    let (status, said) = one.local("/v1/taps", &off).await;
    assert_eq!(status, 403, "it takes a new tap: {said}");
    one.stop();
    one.run().await;
    let (status, said) = one.local("/v1/taps", &off).await;
    assert_eq!(status, 403, "the tap of before was used: {said}");
    let (_, me) = one.get("/v1/taps", &one.local_token()).await;
    assert_eq!(me["on"], true);
    drop(ada);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_changed_on_one_node_does_not_bring_back_a_token_that_is_revoked_on_another() {
    let nats = Nats::start();
    let one = Node::start(&nats, "one").await;
    let two = Node::start(&nats, "two").await;
    let ada = one.person("ada").await;
    for round in 0..3 {
        let thief = one.person(&format!("thief{round}")).await;
        let list = two.until("/v1/devices", &thief, |status, _| status == 200).await;
        let id = list["items"][0]["id"].as_str().unwrap().to_owned();
        let renaming = async {
            for number in 0..40 {
                let _ = one.post(&format!("/v1/devices/{id}"), &thief, &json!({"device": format!("d{number}")})).await;
            }
        };
        let revoking = async {
            let bearer = format!("authorization: Bearer {thief}\r\n");
            let mut http = Http::connect(&two.address).await.unwrap();
            http.send("DELETE", &format!("/v1/devices/{id}"), &bearer, "").await.unwrap()
        };
        let (_, (status, _)) = tokio::join!(renaming, revoking);
        assert!(status < 300, "{status}");
        one.until("/v1/me", &thief, |status, _| status == 401).await;
        assert_eq!(two.get("/v1/me", &thief).await.0, 401);
    }
    assert_eq!(one.get("/v1/me", &ada).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_file_of_one_machine_neither_starts_agents_on_another_nor_gives_it_up() {
    let nats = Nats::start();
    let one = Node::start(&nats, "one").await;
    let two = Node::start(&nats, "two").await;
    let token = one.local_token();
    let cluster = one.until("/v1/cluster", &token, |_, all| all["nodes"].as_array().is_some_and(|all| all.len() == 2));
    let cluster = cluster.await;
    let nodes = cluster["nodes"].as_array().unwrap();
    let there = nodes.iter().find(|node| node["name"] == "two").unwrap();
    let folder = there["roots"][0].as_str().unwrap();
    let start = json!({"agent": "claude", "host": "two", "cwd": folder});
    let (status, said) = one.post("/v1/sessions", &token, &start).await;
    assert_eq!(status, 403, "{said}");
    let forget = format!("/v1/cluster/nodes/{}/forget", there["id"].as_str().unwrap());
    let (status, said) = one.post(&forget, &token, &json!({"even_if_up": true})).await;
    assert_eq!(status, 403, "{said}");
    assert!(two.is_ready().await);
}
