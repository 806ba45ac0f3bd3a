//! Real NATS servers on this machine, ended with the test.

#![allow(dead_code, reason = "each test uses some of it")]

use std::fmt::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use askbridge_journal::Nats;
use askbridge_journal::nats::Options;

/// How to start the servers.
pub(crate) struct Setup {
    pub(crate) servers: usize,
    /// More lines of each server's configuration.
    pub(crate) more: String,
    pub(crate) syncs_always: bool,
    /// The first server keeps its streams in this folder, instead of one beside the others'.
    pub(crate) first_store: Option<PathBuf>,
}

impl Default for Setup {
    fn default() -> Self {
        Self { servers: 3, more: String::new(), syncs_always: true, first_store: None }
    }
}

pub(crate) struct Cluster {
    servers: Vec<Option<Child>>,
    ports: Vec<u16>,
    monitors: Vec<u16>,
    dir: tempfile::TempDir,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        Self::with(&Setup::default())
    }

    /// One server without a cluster.
    pub(crate) fn alone() -> Self {
        Self::with(&Setup { servers: 1, ..Setup::default() })
    }

    pub(crate) fn with(setup: &Setup) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let count = setup.servers;
        let ports = free_ports(3 * count);
        let routes: Vec<_> = ports[2 * count..].iter().map(|port| format!("nats-route://127.0.0.1:{port}")).collect();
        for number in 0..count {
            let beside = dir.path().join(format!("{number}"));
            let store = setup.first_store.clone().filter(|_| number == 0).unwrap_or(beside);
            let sync = if setup.syncs_always { ", sync_interval: always" } else { "" };
            let mut text = format!(
                "server_name: n{number}\nlisten: \"127.0.0.1:{}\"\nhttp: \"127.0.0.1:{}\"\n\
                 jetstream {{ store_dir: \"{}\"{sync}, max_memory_store: 64MB, max_file_store: 1GB }}\n{}\n",
                ports[number],
                ports[count + number],
                store.display(),
                setup.more,
            );
            if count > 1 {
                let (listen, routes) = (ports[2 * count + number], routes.join(", "));
                writeln!(text, "cluster {{ name: ab, listen: \"127.0.0.1:{listen}\", routes: [{routes}] }}").unwrap();
            }
            std::fs::write(dir.path().join(format!("{number}.conf")), text).unwrap();
        }
        let monitors = ports[count..2 * count].to_vec();
        let servers = (0..count).map(|_| None).collect();
        let mut cluster = Self { servers, ports: ports[..count].to_vec(), monitors, dir };
        (0..count).for_each(|number| cluster.revive(number));
        cluster
    }

    /// The folder of the servers' files.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The addresses of all servers, with a user and a password if there is one.
    pub(crate) fn url_as(&self, user: &str) -> String {
        let at = if user.is_empty() { String::new() } else { format!("{user}@") };
        let addresses: Vec<_> = self.ports.iter().map(|port| format!("nats://{at}127.0.0.1:{port}")).collect();
        addresses.join(",")
    }

    pub(crate) fn url(&self) -> String {
        self.url_as("")
    }

    pub(crate) fn monitors(&self) -> Vec<String> {
        self.monitors.iter().map(|port| format!("http://127.0.0.1:{port}")).collect()
    }

    /// What a node needs to connect.
    pub(crate) fn options(&self, client: u64) -> Options {
        let replicas = self.servers.len().min(3);
        Options { streams: 3, replicas, ..Options::new(self.url(), 7, client) }
    }

    /// Connects as a node of its own.
    pub(crate) async fn node(&self, client: u64) -> Nats {
        Nats::connect(&self.options(client)).await.unwrap()
    }

    /// Connects as a program that is not askbridge.
    pub(crate) async fn stranger(&self) -> async_nats::jetstream::Context {
        let addresses: Vec<_> = self.ports.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        let client = async_nats::ConnectOptions::new().retry_on_initial_connect().connect(addresses).await.unwrap();
        client.flush().await.unwrap();
        async_nats::jetstream::new(client)
    }

    /// Starts a server, or starts it again.
    pub(crate) fn revive(&mut self, server: usize) {
        let config = self.dir.path().join(format!("{server}.conf"));
        let log = self.dir.path().join(format!("{server}.log"));
        let mut command = Command::new(binary());
        command.arg("-c").arg(config).arg("-l").arg(log).stdout(Stdio::null()).stderr(Stdio::null());
        self.servers[server] = Some(command.spawn().unwrap());
    }

    /// Kills a server.
    pub(crate) fn kill(&mut self, server: usize) {
        if let Some(mut child) = self.servers[server].take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Stops a server without ending it: its connections stay open, and nobody replies.
    pub(crate) fn pause(&self, server: usize) {
        self.signal(server, "-STOP");
    }

    pub(crate) fn resume(&self, server: usize) {
        self.signal(server, "-CONT");
    }

    fn signal(&self, server: usize, signal: &str) {
        let process = self.servers[server].as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([signal, &process]).status().unwrap().success());
    }

    /// The address of one server.
    pub(crate) fn url_of(&self, server: usize) -> String {
        format!("nats://127.0.0.1:{}", self.ports[server])
    }

    /// The number of the server with this name.
    pub(crate) fn named(&self, name: &str) -> usize {
        name.strip_prefix('n').and_then(|number| number.parse().ok()).unwrap()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for server in 0..self.servers.len() {
            self.kill(server);
        }
    }
}

fn free_ports(count: usize) -> Vec<u16> {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect()
}

#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
fn binary() -> PathBuf {
    let named = std::env::var_os("ASKBRIDGE_NATS_SERVER").map(PathBuf::from);
    let path = named.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/nats-server")));
    assert!(path.is_file(), "there is no NATS server at {}; run cargo xtask test", path.display());
    path
}
