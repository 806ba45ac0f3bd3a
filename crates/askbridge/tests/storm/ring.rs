//! SIGKILL at every step of a ring: before it is stored, while the service has it, while it is answered, while it is taken
//! back. Each ask rings once, and its tap counts once.

use std::time::Duration;

use askbridge_scripted::storm;
use serde_json::{Value, json};

use crate::ntfy::{Ntfy, Step};
use crate::server::Server;
use crate::wire::Http;

const PATIENCE: Duration = Duration::from_secs(20);

/// The steps, in their order. Each is followed by a kill at a random moment within it.
const STEPS: [Step; 5] = [Step::Asked, Step::Received, Step::Taken, Step::Tapped, Step::Closing];

#[tokio::test(flavor = "multi_thread")]
async fn an_ask_rings_once_and_is_answered_once_wherever_the_server_is_killed() {
    let kills = storm::count("kills of the server, at every step of a ring", 20, 200);
    let ntfy = Ntfy::open().await;
    let mut server = Server::start_with(&[("ASKBRIDGE_NOTIFY_GRACE", "0")]).await;
    let ada = server.person("ada").await;
    let channel = json!({"kind": "ntfy", "server": ntfy.url(), "topic": "ada", "person": "ada"});
    let mut local = server.local().await;
    let (status, added) = local.post("/v1/channels", "", &channel).await.unwrap();
    assert_eq!(status, 201, "{added}");

    // Pseudo-random, and the same in every run, so that a failure can be repeated.
    let mut moment: u64 = 0x5eed;
    for round in 0..kills {
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let within = Duration::from_micros((moment >> 33) % 4_000);
        let step = STEPS[round % STEPS.len()];
        let question = format!("Number {round}?");
        ntfy.arm(step);
        let ask = place(&server, &question, round).await;
        let is_tapped_before = matches!(step, Step::Tapped | Step::Closing);
        if is_tapped_before {
            let message = ntfy.published(&question).await;
            ntfy.tap(&message, "Yes");
        }
        if matches!(step, Step::Received | Step::Taken | Step::Closing) {
            ntfy.reached().await;
        }
        tokio::time::sleep(within).await;
        server.kill();
        ntfy.arm(Step::Nothing);
        server.run().await;
        // It has rung by then, or rings now.
        let message = ntfy.published(&question).await;
        if !is_tapped_before {
            ntfy.tap(&message, "Yes");
        }
        let answered = settled(&server, &ada, &ask).await;
        assert_eq!(answered["answers"], json!({question.clone(): "Yes"}), "{step:?}: {answered}");
        assert_eq!(answered["by"]["via"], "ntfy", "{step:?}");
        ntfy.closed(&message).await;
        assert_eq!(ntfy.count(&question), 1, "{step:?}, round {round}: it rang more than once");
    }
    server.kill();
    // Nothing rang a second time later, and no answer was recorded twice.
    for round in 0..kills {
        assert_eq!(ntfy.count(&format!("Number {round}?")), 1, "round {round}");
    }
    let journal = std::process::Command::new(env!("CARGO_BIN_EXE_askbridge"))
        .args(["journal", "export"])
        .env_clear()
        .env("ASKBRIDGE_DATA", server.folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&journal.stdout);
    let settled = text.matches(r#""type":"settled""#).count();
    assert!(settled >= kills, "{} {}", text.len(), String::from_utf8_lossy(&journal.stderr));
    let answered = text.matches(r#""via":"ntfy""#).count();
    assert_eq!(answered, kills, "each ask was answered once");
}

/// Asks until the server has it: the same key is the same ask.
async fn place(server: &Server, question: &str, round: usize) -> String {
    let token = server.agent_token();
    let headers = format!("authorization: Bearer {token}\r\nidempotency-key: ring-{round}\r\n");
    let body = json!({"questions": [{"question": question, "options": ["Yes", "No"]}], "agent": "ci"});
    let mut http = Http::connect(&server.address).await.unwrap();
    let (status, ask) = http.post("/v1/asks", &headers, &body).await.unwrap();
    assert_eq!(status, 201, "{ask}");
    ask["id"].as_str().unwrap().to_owned()
}

async fn settled(server: &Server, token: &str, ask: &str) -> Value {
    let looking = async {
        loop {
            let mut http = Http::connect(&server.address).await.unwrap();
            let (_, seen) = http.get(&format!("/v1/asks/{ask}?wait=10"), token).await.unwrap();
            if seen["state"] == "answered" {
                return seen;
            }
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.unwrap_or_else(|_| panic!("{ask} is not answered"))
}
