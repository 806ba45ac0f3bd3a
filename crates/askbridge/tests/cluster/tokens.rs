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
