//! `askbridge cluster up` starts what it says, and ends it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::nats::binary;
use crate::wire::Http;

/// The command, told to end with the test: it ends what it has started.
struct Ended(Child);

impl Ended {
    fn tell_to_end(&self) {
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        if self.0.try_wait().unwrap().is_none() {
            self.tell_to_end();
            self.0.wait().unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cluster_up_starts_nodes_that_serve_and_ends_them() {
    let folder = tempfile::tempdir().unwrap();
    let server = folder.path().join("nats-server");
    std::os::unix::fs::symlink(binary(), &server).unwrap();
    let up = Command::new(env!("CARGO_BIN_EXE_askbridge"))
        .args(["cluster", "up", "--nodes", "2", "--json"])
        .env_clear()
        .env("ASKBRIDGE_DATA", folder.path().join("data"))
        .env("PATH", folder.path())
        .env("HOME", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut up = Ended(up);
    let mut line = String::new();
    BufReader::new(up.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(said["journal"].as_str().unwrap().split(',').count(), 3);
    let nodes = said["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 2);
    for node in nodes {
        let address = node["url"].as_str().unwrap().strip_prefix("http://").unwrap();
        let (status, _) = Http::connect(address).await.unwrap().get("/readyz", "").await.unwrap();
        assert_eq!(status, 200);
        let status = Command::new(env!("CARGO_BIN_EXE_askbridge"))
            .args(["cluster", "status", "--data", node["data"].as_str().unwrap()])
            .env_clear()
            .env("HOME", folder.path())
            .output()
            .unwrap();
        let shown = String::from_utf8(status.stdout).unwrap();
        assert!(shown.contains("node-1") && shown.contains("node-2") && shown.contains("(here)"), "{shown}");
    }
    up.tell_to_end();
    assert!(up.0.wait().unwrap().success());
    for node in nodes {
        let address = node["url"].as_str().unwrap().strip_prefix("http://").unwrap();
        assert!(Http::connect(address).await.is_err(), "it has ended");
    }
}
