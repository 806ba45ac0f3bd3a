//! The real binary in its own folder, at an address that stays the same across restarts.

use std::net::TcpListener;
use std::os::fd::OwnedFd;
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
    /// Kept open across lives, as systemd does; `None` if each life opens its own.
    listener: Option<TcpListener>,
    /// Settings of every life, as variables.
    settings: Vec<(&'static str, &'static str)>,
}

impl Server {
    /// Starts the binary on a port that was just free.
    pub(crate) async fn start() -> Self {
        let mut server = Self::start_behind(TcpListener::bind("127.0.0.1:0").unwrap());
        server.listener = None;
        server.run().await;
        server
    }

    /// Starts the binary with more settings, in this life and all others.
    pub(crate) async fn start_with(settings: &[(&'static str, &'static str)]) -> Self {
        let mut server = Self::start_behind(TcpListener::bind("127.0.0.1:0").unwrap());
        (server.listener, server.settings) = (None, settings.to_vec());
        server.run().await;
        server
    }

    /// Connects over the local socket.
    pub(crate) async fn local(&self) -> Http<UnixStream> {
        Http::over(UnixStream::connect(self.socket_path()).await.unwrap())
    }

    /// Starts the binary behind a socket that is opened here and handed to it.
    pub(crate) async fn start_handed() -> Self {
        let mut server = Self::start_behind(TcpListener::bind("127.0.0.1:0").unwrap());
        server.run().await;
        server
    }

    fn start_behind(listener: TcpListener) -> Self {
        let address = listener.local_addr().unwrap().to_string();
        Self { folder: TempDir::new().unwrap(), address, child: None, listener: Some(listener), settings: Vec::new() }
    }

    /// Starts it again after a kill, and waits until it accepts connections.
    pub(crate) async fn run(&mut self) {
        self.child = Some(self.spawn(&[]));
        self.wait_until_up().await;
    }

    fn spawn(&self, args: &[&str]) -> Child {
        let binary = env!("CARGO_BIN_EXE_askbridge");
        let mut command = match &self.listener {
            None => Command::new(binary),
            Some(listener) => {
                // The shell puts the socket on the descriptor that the protocol wants, and execs the binary.
                let script = "exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" \"$@\"";
                let mut command = Command::new("/bin/sh");
                let handed: OwnedFd = listener.try_clone().unwrap().into();
                command.args(["-c", script, binary]).stdin(Stdio::from(handed));
                command
            }
        };
        command
            .arg("serve")
            .args(args)
            .env_clear()
            .env("ASKBRIDGE_DATA", self.folder.path())
            .env("ASKBRIDGE_LISTEN", &self.address)
            .env("ASKBRIDGE_LOG", "warn")
            .env("USER", "storm")
            .envs(self.settings.iter().copied())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    async fn wait_until_up(&mut self) {
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

    /// Starts the next release before the running one knows, then asks that one to stop.
    pub(crate) async fn upgrade_ahead(&mut self) {
        let next = self.spawn(&["--wait-for-lock"]);
        self.stop();
        self.child = Some(next);
        self.wait_until_up().await;
    }

    /// Asks the running release to stop, and starts the next while it is still stopping.
    pub(crate) async fn upgrade_behind(&mut self) {
        let mut old = self.child.take().unwrap();
        terminate(&old);
        let lock = self.folder.path().join("lock");
        let patience = Instant::now() + Duration::from_secs(30);
        // Before that, the next one cannot know that the lock will be released.
        while !std::fs::read_to_string(&lock).unwrap().contains("leaving") && old.try_wait().unwrap().is_none() {
            assert!(Instant::now() < patience, "the server does not say that it is leaving");
            tokio::task::yield_now().await;
        }
        self.child = Some(self.spawn(&[]));
        assert!(old.wait().unwrap().success());
        self.wait_until_up().await;
    }

    /// Reads one number of `/metrics`; 0 if the server is not running.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let Ok(mut http) = Http::connect(&self.address).await else { return 0.0 };
        let page = http.get_text("/metrics").await.unwrap_or_default();
        let value = page.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        value.unwrap_or(0.0)
    }

    /// Kills it with SIGKILL, by its own process id.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            terminate(&child);
            assert!(child.wait().unwrap().success());
        }
    }

    pub(crate) fn agent_token(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("token")).unwrap().trim().to_owned()
    }

    pub(crate) fn socket_path(&self) -> PathBuf {
        self.folder.path().join("run/askbridge.sock")
    }

    /// Pairs a person and returns their token. The first one switches taps off: a storm has many people.
    pub(crate) async fn person(&self, name: &str) -> String {
        let mut local = Http::over(UnixStream::connect(self.socket_path()).await.unwrap());
        let wish = json!({"name": name, "token": true, "i_am_a_person": true});
        let (status, paired) = local.post("/v1/pairings", "", &wish).await.unwrap();
        assert_eq!(status, 201, "{paired}");
        let token = paired["token"].as_str().unwrap().to_owned();
        let (_, taps) = local.get("/v1/taps", &self.agent_token()).await.unwrap();
        if taps["on"] == json!(true) {
            self.switch_taps_off(&token).await;
        }
        token
    }

    async fn switch_taps_off(&self, first: &str) {
        let (mut local, off) =
            (Http::over(UnixStream::connect(self.socket_path()).await.unwrap()), json!({"on": false}));
        let (status, needed) = local.post("/v1/taps", "", &off).await.unwrap();
        assert_eq!(status, 403, "{needed}");
        let (_, open) = local.get("/v1/asks", first).await.unwrap();
        let tap = open["items"].as_array().unwrap().iter().find(|ask| ask["agent"] == "askbridge").unwrap();
        let path = format!("/v1/asks/{}/answer", tap["id"].as_str().unwrap());
        let bearer = format!("authorization: Bearer {first}\r\n");
        let (status, said) = local.post(&path, &bearer, &json!({"decision": "allow"})).await.unwrap();
        assert_eq!(status, 200, "{said}");
        let (status, said) = local.post("/v1/taps?wait=30", "", &off).await.unwrap();
        assert_eq!(status, 200, "{said}");
    }
}

fn terminate(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
