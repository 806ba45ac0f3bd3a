//! SIGKILL to nodes and NATS servers at random, under load: what was acknowledged is there, on every node, once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use askbridge_scripted::storm;

use serde_json::{Value, json};

use crate::nats::Nats;
use crate::node::{Node, PATIENCE};
use crate::wire::Http;

/// What clients were told.
#[derive(Default)]
struct Ledger {
    /// Asks that were acknowledged, by the key of their request.
    asked: BTreeMap<String, String>,
    /// Answers that were acknowledged, by ask.
    answered: BTreeMap<String, String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_the_kill_of_any_node_and_any_server() {
    let kills = storm::count("kills of a node or a NATS server, at random under load", 6, 60);
    let mut nats = Nats::start();
    let mut nodes = Node::several(&nats, ["one", "two", "three"]).await;
    let ada = nodes[0].person("ada").await;
    let (status, made) = nodes[0].local("/v1/tokens", &json!({"name": "ci"})).await;
    assert_eq!(status, 201, "{made}");
    let ci = made["token"].as_str().unwrap().to_owned();
    for node in &nodes {
        node.until("/v1/me", &ada, |status, _| status == 200).await;
        node.until("/v1/me", &ci, |status, _| status == 200).await;
    }
    let (ledger, done) = (Arc::new(Mutex::new(Ledger::default())), Arc::new(AtomicBool::new(false)));
    let addresses: Vec<_> = nodes.iter().map(|node| node.address.clone()).collect();
    let clients: Vec<_> = (0..4)
        .map(|client| {
            let (ledger, done, addresses) = (Arc::clone(&ledger), Arc::clone(&done), addresses.clone());
            tokio::spawn(rounds(client, addresses, ci.clone(), ada.clone(), ledger, done))
        })
        .collect();

    // Pseudo-random, and the same in every run.
    let mut chance: u64 = 0x5eed;
    let mut next = |below: usize| {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(chance >> 33).unwrap() % below
    };
    for _ in 0..kills {
        tokio::time::sleep(Duration::from_millis(200 + next(400) as u64)).await;
        match next(2) {
            0 => {
                let node = next(3);
                nodes[node].kill();
                nodes[node].run().await;
            }
            _ => {
                let server = next(3);
                nats.kill(server);
                tokio::time::sleep(Duration::from_millis(next(800) as u64)).await;
                nats.run(server);
            }
        }
    }
    for node in &mut nodes {
        node.ready().await;
    }
    done.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap();
    }
    let ledger = std::mem::take(&mut *ledger.lock().unwrap());
    assert!(ledger.asked.len() > 4 && !ledger.answered.is_empty(), "nothing happened under the kills");
    println!("storm: {} asks and {} answers were acknowledged", ledger.asked.len(), ledger.answered.len());
    for node in &nodes {
        for (key, ask) in &ledger.asked {
            let answer = ledger.answered.get(ask);
            let is_so = |_: u16, shown: &Value| match answer {
                None => shown["id"] == **ask,
                Some(answer) => shown["state"] == "answered" && shown["answers"]["Which?"] == **answer,
            };
            let shown = node.until(&format!("/v1/asks/{ask}"), &ada, is_so).await;
            assert_eq!(shown["id"], **ask, "{key}");
        }
    }
}

/// Asks and answers, each at another node than the last, and tries again until it is acknowledged.
async fn rounds(
    client: usize,
    addresses: Vec<String>,
    ci: String,
    ada: String,
    ledger: Arc<Mutex<Ledger>>,
    done: Arc<AtomicBool>,
) {
    let body = json!({"questions": [{"question": "Which?", "options": ["Yes", "No"]}]});
    let mut place = client;
    let mut number = 0;
    while !done.load(Ordering::Relaxed) {
        number += 1;
        let key = format!("{client}-{number}");
        let headers = format!("authorization: Bearer {ci}\r\nidempotency-key: {key}\r\n");
        let asked = stubborn(&addresses, &mut place, "/v1/asks", &headers, &body).await;
        let ask = asked["id"].as_str().unwrap().to_owned();
        let former = ledger.lock().unwrap().asked.insert(key, ask.clone());
        assert_eq!(former, None);
        let answer = ["Yes", "No"][number % 2];
        let headers = format!("authorization: Bearer {ada}\r\n");
        let path = format!("/v1/asks/{ask}/answer");
        stubborn(&addresses, &mut place, &path, &headers, &json!({"answers": {"Which?": answer}})).await;
        ledger.lock().unwrap().answered.insert(ask, answer.to_owned());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Sends a request to one node after the other until one acknowledges it. The same request twice is the same deed.
async fn stubborn(addresses: &[String], place: &mut usize, path: &str, headers: &str, body: &Value) -> Value {
    let patience = std::time::Instant::now() + PATIENCE;
    loop {
        *place += 1;
        let attempt = async {
            let mut http = Http::connect(&addresses[*place % addresses.len()]).await.ok()?;
            http.post(path, headers, body).await.ok()
        };
        match tokio::time::timeout(Duration::from_secs(30), attempt).await {
            Ok(Some((200 | 201, said))) => return said,
            Ok(Some((status, said))) => assert!(matches!(status, 404 | 429 | 500..=599), "{path}: {status} {said}"),
            Ok(None) | Err(_) => {}
        }
        assert!(std::time::Instant::now() < patience, "no node acknowledges {path}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
