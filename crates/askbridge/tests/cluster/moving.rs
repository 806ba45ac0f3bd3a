//! A journal moves from SQLite to NATS and back, and nothing is lost on the way.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::nats::Nats;
use crate::node::Node;

/// Runs `askbridge journal …` for a data folder.
fn journal(data: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_askbridge"));
    command.arg("journal").args(args).env_clear().env("HOME", data).env("ASKBRIDGE_DATA", data);
    command.output().unwrap()
}

fn said(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text} {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(text.trim()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_that_moved_to_nats_and_back_has_the_same_asks_answers_and_tokens() {
    let nats = Nats::start();
    let mut node = Node::on("sqlite", "desk").await;
    let ada = node.person("ada").await;
    let (answered, open) = (node.ask("Deploy?", &json!({})).await, node.ask("Delete?", &json!({})).await);
    let answer = json!({"answers": {"Deploy?": "Yes"}});
    let (status, said_so) = node.post(&format!("/v1/asks/{answered}/answer"), &ada, &answer).await;
    assert_eq!(status, 200, "{said_so}");
    let local = node.local_token();
    node.stop();

    let moved = said(&journal(node.folder(), &["migrate", "sqlite", &nats.journal(), "--json"]));
    assert!(moved["entries"].as_u64().unwrap() >= 4 && moved["resumed"] == 0, "{moved}");
    let again = said(&journal(node.folder(), &["migrate", "sqlite", &nats.journal(), "--json"]));
    assert_eq!((&again["entries"], &again["resumed"]), (&moved["entries"], &moved["entries"]), "it is all there");

    node.journal = nats.journal();
    node.run().await;
    let (_, deploy) = node.get(&format!("/v1/asks/{answered}"), &ada).await;
    assert_eq!((&deploy["state"], &deploy["answers"]), (&json!("answered"), &json!({"Deploy?": "Yes"})));
    let (_, listed) = node.get("/v1/asks?state=open", &ada).await;
    assert!(listed.to_string().contains(&open), "{listed}");
    assert_eq!(node.get("/v1/me", &local).await.0, 200, "the token file still opens its own machine");
    let other = Node::start(&nats, "other").await;
    assert_eq!(other.get("/v1/me", &ada).await.0, 200, "a person's token works on every node");
    assert_eq!(other.get("/v1/me", &local).await.0, 401, "the token file opens no other");
    let (status, said_so) =
        other.post(&format!("/v1/asks/{open}/answer"), &ada, &json!({"answers": {"Delete?": "No"}})).await;
    assert_eq!(status, 200, "{said_so}");
    drop(other);
    node.stop();

    let back = tempfile::tempdir().unwrap();
    let place = format!("sqlite:{}", back.path().display());
    let returned = said(&journal(node.folder(), &["migrate", &nats.journal(), &place, "--json"]));
    assert!(returned["entries"].as_u64() > moved["entries"].as_u64(), "{returned}");
    let report = said(&journal(back.path(), &["verify", "--json"]));
    assert_eq!(report["entries"], returned["entries"], "{report}");
    let mut home = Node::on("sqlite", "home").await;
    home.stop();
    home.adopt(back);
    home.run().await;
    let (_, delete) = home.get(&format!("/v1/asks/{open}"), &ada).await;
    assert_eq!((&delete["state"], &delete["answers"]), (&json!("answered"), &json!({"Delete?": "No"})));
}
