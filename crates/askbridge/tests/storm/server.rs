//! The real binary in a folder of its own, at an address that survives its death.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;
use tokio::net::UnixStream;

use crate::wire::Http;

pub(crate) struct Server {
    pub(crate) folder: TempDir,
    pub(crate) address: String,
    child: Option<Child>,
}

impl Server {
    /// Starts the binary on a port that was free a moment ago.
    pub(crate) async fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Self { folder: TempDir::new().unwrap(), address: format!("127.0.0.1:{port}"), child: None };
        server.run().await;
        server
    }

    /// Starts it again after a kill, and waits until it accepts connections.
    pub(crate) async fn run(&mut self) {
        let child = Command::new(env!("CARGO_BIN_EXE_askbridge"))
            .env_clear()
            .env("ASKBRIDGE_DATA", self.folder.path())
            .env("ASKBRIDGE_LISTEN", &self.address)
            .env("ASKBRIDGE_LOG", "warn")
            .env("USER", "storm")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        self.child = Some(child);
        let patience = Instant::now() + Duration::from_secs(30);
        while !self.is_up().await {
            let died = self.child.as_mut().and_then(|child| child.try_wait().unwrap());
            assert!(died.is_none(), "the server died while starting: {died:?}");
            assert!(Instant::now() < patience, "the server does not come up");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    async fn is_up(&self) -> bool {
        match Http::connect(&self.address).await {
            Ok(mut http) => http.get("/healthz", "").await.is_ok_and(|(status, _)| status == 200),
            Err(_) => false,
        }
    }

    /// kill -9, by its own process id.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let pid = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
            assert!(child.wait().unwrap().success());
        }
    }

    pub(crate) fn agent_token(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("token")).unwrap().trim().to_owned()
    }

    pub(crate) fn socket_path(&self) -> PathBuf {
        self.folder.path().join("run/askbridge.sock")
    }

    /// Pairs a person and returns their token.
    pub(crate) async fn person(&self, name: &str) -> String {
        let mut local = Http::over(UnixStream::connect(self.socket_path()).await.unwrap());
        let wish = json!({"name": name, "token": true, "i_am_a_person": true});
        let (status, paired) = local.post("/v1/pairings", "", &wish).await.unwrap();
        assert_eq!(status, 201, "{paired}");
        paired["token"].as_str().unwrap().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
