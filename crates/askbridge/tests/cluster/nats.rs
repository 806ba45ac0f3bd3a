//! Three real NATS servers on this machine, ended with the test.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) struct Nats {
    servers: Vec<Option<Child>>,
    ports: Vec<u16>,
    folder: tempfile::TempDir,
}

impl Nats {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ports = free_ports(6);
        let mut nats = Self { servers: vec![None, None, None], ports, folder };
        for server in 0..3 {
            nats.run(server);
        }
        nats
    }

    /// The addresses, as the setting `journal` has them.
    pub(crate) fn journal(&self) -> String {
        let addresses: Vec<_> = self.ports[..3].iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        addresses.join(",")
    }

    /// Starts a server again after a kill, or for the first time.
    pub(crate) fn run(&mut self, number: usize) {
        let folder = self.folder.path();
        let config = folder.join(format!("{number}.conf"));
        let routes: Vec<_> = self.ports[3..].iter().map(|port| format!("nats-route://127.0.0.1:{port}")).collect();
        let text = format!(
            "server_name: n{number}\nlisten: \"127.0.0.1:{}\"\n\
             jetstream {{ store_dir: \"{}\", sync_interval: always, max_memory_store: 64MB, max_file_store: 1GB }}\n\
             cluster {{ name: ab, listen: \"127.0.0.1:{}\", routes: [{}] }}\n",
            self.ports[number],
            folder.join(format!("{number}")).display(),
            self.ports[3 + number],
            routes.join(", "),
        );
        std::fs::write(&config, text).unwrap();
        let mut command = Command::new(binary());
        command.arg("-c").arg(config).arg("-l").arg(folder.join(format!("{number}.log")));
        self.servers[number] = Some(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let patience = Instant::now() + Duration::from_secs(30);
        while std::net::TcpStream::connect(("127.0.0.1", self.ports[number])).is_err() {
            assert!(Instant::now() < patience, "the NATS server does not come up");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills a server with SIGKILL, by its own process id.
    pub(crate) fn kill(&mut self, number: usize) {
        if let Some(mut child) = self.servers[number].take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

impl Drop for Nats {
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
pub(crate) fn binary() -> PathBuf {
    let named = std::env::var_os("ASKBRIDGE_NATS_SERVER").map(PathBuf::from);
    let path = named.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/nats-server")));
    assert!(path.is_file(), "there is no NATS server at {}; run cargo xtask install", path.display());
    path
}
