//! The bridge on NATS, as a library user opens it today, and as the binary will.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::Clock;
use askbridge_bridge::runtime::{Location, NatsAccess, Store};
use serde_json::json;

use crate::kit::House;

/// A real server, ended with the test.
pub(crate) struct Server {
    process: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Server {
    pub(crate) fn start(binary: PathBuf) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a free port").port();
        let mut command = Command::new(binary);
        command.args(["--jetstream", "--addr", "127.0.0.1", "--port", &port.to_string(), "--store_dir"]);
        let process =
            command.arg(folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the server starts");
        Self { process, address: format!("nats://127.0.0.1:{port}"), _folder: folder }
    }

    /// Opens a store on it, as another node would.
    pub(crate) async fn node(&self, seed: u64) -> Store {
        let location = Location::Nats {
            servers: self.address.clone(),
            streams: 3,
            replicas: 1,
            access: NatsAccess::default(),
            folder: None,
        };
        Store::open(&location, &Chance::seeded(seed)).await.expect("the store opens")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }
}

/// The server that `cargo xtask install` fetches, or the one that the environment names. `None`: there is neither.
#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
pub(crate) fn binary() -> Option<PathBuf> {
    let named = std::env::var_os("ASKBRIDGE_NATS_SERVER").map(PathBuf::from);
    let fetched = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/nats-server"));
    Some(named.unwrap_or_else(fetched)).filter(|path| path.is_file())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_asked_on_one_node_is_answered_on_another() {
    let Some(binary) = binary() else {
        eprintln!("not tried: there is no NATS server; `cargo xtask install` fetches one");
        return;
    };
    let server = Server::start(binary);
    let here = House::open_on(server.node(1).await, Clock::System, 1).await;
    let (agent, ada) = (here.agent("ci").await, here.person("ada").await);
    // Tokens are read when a node starts.
    let there = House::open_on(server.node(2).await, Clock::System, 2).await;
    let mut phone = there.native(&ada).await;

    let (status, asked) = here.post("/v1/asks", &agent, &json!({"question": "Deploy?"})).await;
    assert_eq!(status, 201, "{asked}");
    let id = asked["id"].as_str().unwrap();
    let shown = phone.hear("the ask", |frame| frame["event"]["type"] == "asked").await;
    assert!(shown.to_string().contains(id), "{shown}");

    let answer = json!({"answers": {"Deploy?": "Yes"}});
    let (status, settled) = there.post(&format!("/v1/asks/{id}/answer"), &ada, &answer).await;
    assert_eq!(status, 200, "{settled}");
    let (_, told) = here.get(&format!("/v1/asks/{id}?wait=10"), &agent).await;
    assert_eq!((&told["state"], &told["answers"]), (&json!("answered"), &json!({"Deploy?": "Yes"})));
    here.close().await;
    there.close().await;
}
