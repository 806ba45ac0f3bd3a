//! Test setup: a server for each test, a scripted model, and a person who answers.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use askbridge_scripted::claude::{ScratchHome, Subject};
use askbridge_scripted::model::{Model, Script};
use serde_json::{Value, json};

use crate::http::{call, call_local};

/// Nothing takes this long. Beyond: the test fails and says what it waited for.
const PATIENCE: Duration = Duration::from_secs(60);
const BREATH: Duration = Duration::from_millis(10);

pub(crate) struct House {
    pub(crate) scratch: ScratchHome,
    pub(crate) model: Model,
    subject: Subject,
    settings: Vec<(String, String)>,
    server: Option<Child>,
    pub(crate) address: String,
    /// The token of a person who may also run agents.
    pub(crate) ada: String,
}

impl House {
    pub(crate) fn open(script: Script) -> Self {
        Self::open_with(script, &[])
    }

    /// Opens one with these extra variables in the server's environment.
    pub(crate) fn open_with(script: Script, settings: &[(&str, &str)]) -> Self {
        Self::open_as(Subject::Real, script, settings)
    }

    /// Opens one that runs this agent.
    pub(crate) fn open_as(subject: Subject, script: Script, settings: &[(&str, &str)]) -> Self {
        let mut house = Self {
            scratch: ScratchHome::new(),
            model: Model::start(script),
            subject,
            settings: settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            server: None,
            address: String::new(),
            ada: String::new(),
        };
        house.start();
        let pairing = json!({"name": "ada", "token": true, "i_am_a_person": true});
        let (status, paired) = call_local(&house.data().join("run/askbridge.sock"), "POST", "/v1/pairings", &pairing)
            .expect("the local socket answers");
        assert_eq!(status, 201, "{paired}");
        house.ada = paired["token"].as_str().unwrap().to_owned();
        house
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.scratch.home().join("askbridge")
    }

    pub(crate) fn start(&mut self) {
        let log = File::options().append(true).create(true).open(self.scratch.home().join("server.log")).unwrap();
        // Without a terminal, and in a new session, so that nothing is taken for an agent's child.
        let mut command = Command::new("setsid");
        command.arg(env!("CARGO_BIN_EXE_askbridge")).arg("serve").env_clear().envs(self.scratch.env(&self.model.url()));
        command.env("ASKBRIDGE_DATA", self.data()).env("ASKBRIDGE_LISTEN", "127.0.0.1:0").env("USER", "ada");
        command.env("ASKBRIDGE_CLAUDE", self.subject.path()).env("ASKBRIDGE_LOG", "debug");
        command.env("ASKBRIDGE_AGENT_ENV", "DISABLE_TELEMETRY,DISABLE_AUTOUPDATER,TMPDIR,IS_SANDBOX");
        command.envs(self.settings.iter().cloned()).current_dir(self.scratch.work());
        let mut server = command.stdout(Stdio::piped()).stderr(log).stdin(Stdio::null()).spawn().unwrap();
        let mut link = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut link).unwrap();
        self.address = link.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        assert!(self.address.starts_with("127.0.0.1:"), "the server says {link:?}; {}", self.log());
        self.server = Some(server);
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.scratch.home().join("server.log")).unwrap_or_default()
    }

    pub(crate) fn server_pid(&self) -> i32 {
        self.server.as_ref().unwrap().id().try_into().unwrap()
    }

    /// Kills it with SIGKILL, by its own process id.
    pub(crate) fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            server.kill().unwrap();
            server.wait().unwrap();
        }
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) fn stop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let pid = rustix::process::Pid::from_child(&server);
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
            assert!(server.wait().unwrap().success(), "{}", self.log());
        }
    }

    #[track_caller]
    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        call(&self.address, &self.ada, "POST", path, body).unwrap_or_else(|| panic!("no answer to POST {path}"))
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, body) = call(&self.address, &self.ada, "GET", path, &Value::Null).expect("an answer");
        assert_eq!(status, 200, "GET {path}: {body}");
        body
    }

    /// Starts a session in the working folder.
    #[track_caller]
    pub(crate) fn session(&self, more: Value) -> Talk<'_> {
        let mut wish = json!({"agent": "claude", "cwd": self.scratch.work()});
        wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (status, session) = self.post("/v1/sessions", &wish);
        assert_eq!(status, 201, "{session}");
        Talk { house: self, id: session["id"].as_str().unwrap().to_owned() }
    }

    pub(crate) fn talk(&self, id: &str) -> Talk<'_> {
        Talk { house: self, id: id.to_owned() }
    }

    #[track_caller]
    pub(crate) fn ask(&self, id: &str) -> Value {
        self.get(&format!("/v1/asks/{id}"))
    }

    #[track_caller]
    pub(crate) fn answer(&self, ask: &str, body: Value) -> Value {
        let (status, answered) = self.post(&format!("/v1/asks/{ask}/answer"), &body);
        assert!(status == 200 || status == 202, "{status} {answered}");
        answered
    }

    /// Waits for something; on a timeout says what it waited for.
    #[track_caller]
    pub(crate) fn until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(Instant::now() < end, "waited for {what}; {}", self.log());
            std::thread::sleep(BREATH);
        }
    }

    /// Returns the files of processes that run, or have run.
    pub(crate) fn left_behind(&self) -> Vec<String> {
        let entries = fs::read_dir(self.data().join("run/agents")).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.kill();
        // Agents outlive the server, but not the test.
        let pids = fs::read_dir(self.data().join("run/agents")).into_iter().flatten().flatten();
        let pids = pids.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "pid"));
        for path in pids {
            let pid = fs::read_to_string(path).ok().and_then(|text| text.split(' ').next()?.parse().ok());
            if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
            }
        }
    }
}

/// One session.
pub(crate) struct Talk<'h> {
    pub(crate) house: &'h House,
    pub(crate) id: String,
}

impl Talk<'_> {
    #[track_caller]
    pub(crate) fn say(&self, text: &str) -> String {
        let (status, said) = self.house.post(&format!("/v1/sessions/{}/messages", self.id), &json!({"text": text}));
        assert_eq!(status, 202, "{said}");
        said["id"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn show(&self) -> Value {
        self.house.get(&format!("/v1/sessions/{}", self.id))
    }

    #[track_caller]
    pub(crate) fn until_process(&self, wanted: &str) {
        self.house.until(&format!("the process to be {wanted}"), || (self.show()["process"] == wanted).then_some(()));
    }

    /// Waits until exactly this many asks are open, and returns them.
    #[track_caller]
    pub(crate) fn open_asks(&self, count: usize) -> Vec<Value> {
        let ids = self.house.until(&format!("{count} open asks"), || {
            let ids = self.show()["open_ask_ids"].as_array().unwrap().clone();
            (ids.len() == count).then_some(ids)
        });
        ids.iter().map(|id| self.house.ask(id.as_str().unwrap())).collect()
    }

    #[track_caller]
    pub(crate) fn open_ask(&self) -> Value {
        self.open_asks(1).pop().unwrap()
    }

    /// Returns all events, in order.
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<Value> {
        let (mut all, mut after) = (Vec::new(), 0);
        loop {
            let page = self.house.get(&format!("/v1/sessions/{}/events?after={after}&limit=500", self.id));
            for entry in page["items"].as_array().unwrap() {
                after = entry["position"].as_u64().unwrap();
                all.extend(entry["events"].as_array().unwrap().iter().cloned());
            }
            if page["next"].is_null() {
                return all;
            }
        }
    }

    #[track_caller]
    pub(crate) fn events_of(&self, kind: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["type"] == kind).collect()
    }

    /// Waits until this many turns have ended.
    #[track_caller]
    pub(crate) fn until_turns(&self, count: usize) {
        self.house
            .until(&format!("{count} turns to end"), || (self.events_of("turn_ended").len() >= count).then_some(()));
    }

    /// Waits for the proof that an ask's outcome was delivered.
    #[track_caller]
    pub(crate) fn until_delivered(&self, ask: &str) {
        self.house.until("the proof of delivery", || (!self.house.ask(ask)["delivered_at"].is_null()).then_some(()));
    }

    /// Waits until the files of an ended process are gone: its end is reported a moment before they are removed.
    #[track_caller]
    pub(crate) fn until_cleared(&self) {
        self.house.until("the process to be cleared up", || self.pid().is_none().then_some(()));
    }

    /// Returns the process that runs now.
    pub(crate) fn pid(&self) -> Option<i32> {
        let path = self.house.data().join("run/agents").join(format!("{}.pid", self.id));
        fs::read_to_string(path).ok()?.split(' ').next()?.parse().ok()
    }
}

pub(crate) fn id(ask: &Value) -> &str {
    ask["id"].as_str().unwrap()
}
