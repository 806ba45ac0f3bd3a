//! A node: the real binary in a data folder of its own, at an address that stays the same across restarts.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::UnixStream;

use crate::nats::Nats;
use crate::wire::Http;

/// How long anything may take. Elections on a busy machine take seconds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) address: String,
    folder: TempDir,
    pub(crate) journal: String,
    child: Option<Child>,
}

impl Node {
    /// Starts a node and waits until it is ready.
    pub(crate) async fn start(nats: &Nats, name: &str) -> Self {
        Self::on(&nats.journal(), name).await
    }

    /// Starts a node on any journal.
    pub(crate) async fn on(journal: &str, name: &str) -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let (journal, name) = (journal.to_owned(), name.to_owned());
        let mut node = Self { name, address, folder: TempDir::new().unwrap(), journal, child: None };
        node.run().await;
        node
    }

    /// Starts several nodes.
    pub(crate) async fn several(nats: &Nats, names: [&str; 3]) -> [Self; 3] {
        let [one, two, three] = names;
        // The first one makes the streams.
        let one = Self::start(nats, one).await;
        let (two, three) = tokio::join!(Self::start(nats, two), Self::start(nats, three));
        [one, two, three]
    }

    /// Starts it again after a kill, and waits until it is ready.
    pub(crate) async fn run(&mut self) {
        self.begin();
        self.ready().await;
    }

    /// Starts it, and does not wait.
    pub(crate) fn begin(&mut self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_askbridge"));
        command
            .arg("serve")
            .env_clear()
            .env("ASKBRIDGE_DATA", self.folder.path())
            .env("ASKBRIDGE_LISTEN", &self.address)
            .env("ASKBRIDGE_JOURNAL", &self.journal)
            .env("ASKBRIDGE_NODE_NAME", &self.name)
            .env("ASKBRIDGE_LOG", "warn")
            .env("USER", "me")
            .env("HOME", self.folder.path())
            .stdout(Stdio::null());
        self.child = Some(command.spawn().unwrap());
    }

    pub(crate) async fn ready(&mut self) {
        let patience = Instant::now() + PATIENCE;
        while !self.is_ready().await {
            let died = self.child.as_mut().and_then(|child| child.try_wait().unwrap());
            assert!(died.is_none(), "{} died while starting: {died:?}", self.name);
            assert!(Instant::now() < patience, "{} does not become ready", self.name);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn is_ready(&self) -> bool {
        match Http::connect(&self.address).await {
            Ok(mut http) => http.get("/readyz", "").await.is_ok_and(|(status, _)| status == 200),
            Err(_) => false,
        }
    }

    /// Kills it with SIGKILL, by its own process id.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Sends a signal, like STOP and CONT.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(self.child.as_ref().unwrap());
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) fn stop(&mut self) {
        self.signal(rustix::process::Signal::TERM);
        assert!(self.child.take().unwrap().wait().unwrap().success());
    }

    /// From its next start on, this is its data folder.
    pub(crate) fn adopt(&mut self, folder: TempDir) {
        self.folder = folder;
    }

    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub(crate) async fn http(&self) -> Http<tokio::net::TcpStream> {
        Http::connect(&self.address).await.unwrap()
    }

    /// The token with which scripts of this machine ask.
    pub(crate) fn local_token(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("token")).unwrap().trim().to_owned()
    }

    /// Calls over the local socket.
    pub(crate) async fn local(&self, path: &str, body: &Value) -> (u16, Value) {
        let socket = UnixStream::connect(self.folder.path().join("run/askbridge.sock")).await.unwrap();
        Http::over(socket).post(path, "", body).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str, token: &str) -> (u16, Value) {
        self.http().await.get(path, token).await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, token: &str, body: &Value) -> (u16, Value) {
        let bearer = format!("authorization: Bearer {token}\r\n");
        self.http().await.post(path, &bearer, body).await.unwrap()
    }

    /// Pairs a person and returns their token. The first one switches taps off, so that there can be more of them.
    pub(crate) async fn person(&self, name: &str) -> String {
        let wish = json!({"name": name, "token": true, "i_am_a_person": true});
        let (status, paired) = self.local("/v1/pairings", &wish).await;
        assert_eq!(status, 201, "{paired}");
        let token = paired["token"].as_str().unwrap().to_owned();
        let off = json!({"on": false});
        let (status, needed) = self.local("/v1/taps", &off).await;
        if status == 403 {
            let tap = self.until("/v1/asks", &token, |_, open| tap_in(open).is_some()).await;
            let path = format!("/v1/asks/{}/answer", tap_in(&tap).unwrap());
            let (status, said) = self.post(&path, &token, &json!({"decision": "allow"})).await;
            assert_eq!(status, 200, "{needed} {said}");
            let (status, said) = self.local("/v1/taps?wait=30", &off).await;
            assert_eq!(status, 200, "{said}");
        }
        token
    }

    /// Asks one question, and returns the ask's id.
    pub(crate) async fn ask(&self, question: &str, more: &Value) -> String {
        let mut body = json!({"questions": [{"question": question, "options": ["Yes", "No"]}]});
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        let (status, asked) = self.post("/v1/asks", &self.local_token(), &body).await;
        assert_eq!(status, 201, "{asked}");
        asked["id"].as_str().unwrap().to_owned()
    }

    /// Asks again and again until `is_so` of the response.
    pub(crate) async fn until(&self, path: &str, token: &str, is_so: impl Fn(u16, &Value) -> bool) -> Value {
        let patience = Instant::now() + PATIENCE;
        loop {
            let last = match Http::connect(&self.address).await {
                Ok(mut http) => http.get(path, token).await.unwrap_or((0, Value::Null)),
                Err(_) => (0, Value::Null),
            };
            if is_so(last.0, &last.1) {
                return last.1;
            }
            assert!(Instant::now() < patience, "{} still says of {path}: {last:?}", self.name);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn tap_in(open: &Value) -> Option<&str> {
    open["items"].as_array()?.iter().find(|ask| ask["agent"] == "askbridge")?["id"].as_str()
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}
