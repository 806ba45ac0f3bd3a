//! Three real NATS servers on this machine, ended with the test.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use askbridge_journal::Nats;
use askbridge_journal::nats::Options;

pub(crate) struct Cluster {
    servers: Vec<Option<Child>>,
    url: String,
    _dir: tempfile::TempDir,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ports = free_ports(6);
        let routes: Vec<_> = ports[3..].iter().map(|port| format!("nats-route://127.0.0.1:{port}")).collect();
        let routes = routes.join(", ");
        let servers = (0..3).map(|number| {
            let (store, config) = (dir.path().join(format!("{number}")), dir.path().join(format!("{number}.conf")));
            let text = format!(
                "server_name: n{number}\nlisten: \"127.0.0.1:{}\"\n\
                 jetstream {{ store_dir: \"{}\", sync_interval: always, max_memory_store: 64MB, max_file_store: 1GB }}\n\
                 cluster {{ name: ab, listen: \"127.0.0.1:{}\", routes: [{routes}] }}\n",
                ports[number],
                store.display(),
                ports[3 + number],
            );
            std::fs::write(&config, text).unwrap();
            let mut command = Command::new(binary());
            command.arg("-c").arg(config).arg("-l").arg(dir.path().join(format!("{number}.log")));
            Some(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
        });
        let servers = servers.collect();
        let addresses: Vec<_> = ports[..3].iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        Self { servers, url: addresses.join(","), _dir: dir }
    }

    /// Connects as a node of its own.
    pub(crate) async fn node(&self, client: u64) -> Nats {
        Nats::connect(&Options { streams: 3, ..Options::new(&self.url, 7, client) }).await.unwrap()
    }

    /// Kills a server.
    pub(crate) fn kill(&mut self, server: usize) {
        if let Some(mut child) = self.servers[server].take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
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
