//! Test setup: a server for each test, and the people and scripts around it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use tempfile::TempDir;

use crate::patience::until;

const BINARY: &str = env!("CARGO_BIN_EXE_askbridge");

/// A running askbridge with its own data folder.
pub(crate) struct TestBridge {
    pub(crate) dir: TempDir,
    server: Option<Child>,
    /// The log level.
    log: &'static str,
    /// The token of a person's phone, once there is one: only the first device is paired without a tap.
    phone: OnceLock<String>,
}

/// A program that ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A program that runs.
pub(crate) struct Running {
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl TestBridge {
    pub(crate) fn start() -> Self {
        Self::start_telling("info")
    }

    /// Starts one with this log level.
    pub(crate) fn start_telling(log: &'static str) -> Self {
        let mut bridge = Self::stopped();
        bridge.log = log;
        bridge.start_again();
        bridge
    }

    /// Prepares a server without starting it.
    pub(crate) fn stopped() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), server: None, log: "info", phone: OnceLock::new() }
    }

    pub(crate) fn start_again(&mut self) {
        let log = File::create(self.dir.path().join("server.log")).unwrap();
        let mut command = self.command(&["serve"]);
        command
            .env("ASKBRIDGE_LISTEN", "127.0.0.1:0")
            .env("ASKBRIDGE_LOG", self.log)
            .stdout(Stdio::piped())
            .stderr(log);
        let mut server = command.spawn().unwrap();
        let mut link = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut link).unwrap();
        assert!(link.starts_with("http://127.0.0.1:"), "{link}");
        self.server = Some(server);
    }

    /// Starts it with more arguments than `serve`.
    pub(crate) fn start_with(&mut self, args: &[&str]) {
        let log = File::create(self.dir.path().join("server.log")).unwrap();
        let args: Vec<_> = ["serve"].iter().chain(args).copied().collect();
        let mut server = self.command(&args).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut link = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut link).unwrap();
        assert!(link.starts_with("http"), "{link}{}", self.log());
        self.server = Some(server);
    }

    /// What the server logged.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("server.log")).unwrap()
    }

    /// Kills it with SIGKILL, as the OOM killer would.
    pub(crate) fn kill(&mut self) {
        let mut server = self.server.take().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
    }

    /// Whether the server that was started has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.server.as_mut().is_some_and(|server| server.try_wait().unwrap().is_some())
    }

    pub(crate) fn is_running(&self) -> bool {
        self.server.is_some()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// The environment of programs: only a path, a home and our data folder.
    fn environment(&self) -> [(&'static str, String); 5] {
        let bin = Path::new(BINARY).parent().unwrap().display();
        let home = self.dir.path().display().to_string();
        [
            ("PATH", format!("{bin}:/usr/local/bin:/usr/bin:/bin")),
            ("HOME", home),
            ("USER", "ada".to_owned()),
            ("TERM", "xterm".to_owned()),
            ("ASKBRIDGE_DATA", self.data().display().to_string()),
        ]
    }

    /// A program without a terminal, even if the tests run in one.
    fn far_from_terminals(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new("setsid");
        command.arg(program).args(args).env_clear().envs(self.environment());
        command.stdin(Stdio::null()).current_dir(self.dir.path());
        command
    }

    fn command(&self, args: &[&str]) -> Command {
        self.far_from_terminals(BINARY, args)
    }

    /// Runs askbridge without a terminal, as a script would.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args))
    }

    /// Runs a script.
    pub(crate) fn bash(&self, script: &str) -> Ran {
        ran(self.far_from_terminals("bash", &["-c", script]))
    }

    pub(crate) fn python(&self, script: &str) -> Ran {
        ran(self.far_from_terminals("python3", &["-c", script]))
    }

    pub(crate) fn bash_with_token(&self, script: &str, token: &str) -> Ran {
        let mut command = self.far_from_terminals("bash", &["-c", script]);
        command.env("ASKBRIDGE_TOKEN", token);
        ran(command)
    }

    /// Starts askbridge and lets it run.
    pub(crate) fn spawn(&self, args: &[&str]) -> Running {
        self.running(self.command(args))
    }

    pub(crate) fn spawn_bash(&self, script: &str) -> Running {
        self.running(self.far_from_terminals("bash", &["-c", script]))
    }

    fn running(&self, mut command: Command) -> Running {
        let file = |name: &str| {
            let (file, path) =
                tempfile::Builder::new().prefix(name).tempfile_in(self.dir.path()).unwrap().keep().unwrap();
            (file, path)
        };
        let ((out, stdout), (err, stderr)) = (file("out"), file("err"));
        Running { child: command.stdout(out).stderr(err).spawn().unwrap(), stdout, stderr }
    }

    /// Returns a program for a terminal, with its environment.
    pub(crate) fn at_a_terminal(&self, program: &str, args: &[&str]) -> portable_pty::CommandBuilder {
        let mut command = portable_pty::CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        command.cwd(self.dir.path());
        command
    }

    /// Returns a token that may decide.
    pub(crate) fn person(&self) -> String {
        let pair = || {
            let made =
                self.run(&["pair", "--print-token", "--yes-i-am-a-person", "--name", "ada", "--device", "phone"]);
            assert_eq!(made.code, Some(0), "{}", made.stderr);
            made.stdout.trim().to_owned()
        };
        self.phone.get_or_init(pair).clone()
    }

    /// From now on, the phone is the one that was paired with this token.
    pub(crate) fn has_phone(&self, token: &str) {
        self.phone.set(token.to_owned()).expect("there is no other phone");
    }

    /// Waits until a device is asked for a tap, and returns its ask.
    #[track_caller]
    pub(crate) fn the_open_tap(&self) -> Value {
        until("a tap is asked for", || self.open().into_iter().find(|ask| ask["agent"] == "askbridge"))
    }

    /// Answers the open tap on the phone: `--allow` or `--deny`.
    #[track_caller]
    pub(crate) fn tap(&self, decision: &str) {
        let tap = self.the_open_tap();
        self.answer(&[tap["id"].as_str().unwrap(), decision]).good();
    }

    /// Switches taps off, for tests that are about something else, or pair several devices.
    pub(crate) fn without_taps(&self) {
        self.person();
        let switching = self.spawn(&["taps", "off"]);
        self.tap("--allow");
        assert_eq!(switching.ended().code, Some(0));
    }

    /// Answers as a person with a phone.
    pub(crate) fn answer(&self, args: &[&str]) -> Ran {
        let mut command = self.command(&["answer"]);
        command.args(args).env("ASKBRIDGE_TOKEN", self.person());
        ran(command)
    }

    /// Sends a request over the local socket, as any agent could.
    pub(crate) fn post(&self, path: &str, key: &str, body: &Value) -> Value {
        let mut socket = UnixStream::connect(self.data().join("run/askbridge.sock")).unwrap();
        let body = body.to_string();
        let length = body.len();
        write!(
            socket,
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nidempotency-key: {key}\r\nconnection: close\r\n\
             content-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut response = String::new();
        socket.read_to_string(&mut response).unwrap();
        serde_json::from_str(response.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    pub(crate) fn ask(&self, key: &str, body: &Value) -> String {
        let ask = self.post("/v1/asks", key, body);
        ask["id"].as_str().unwrap_or_else(|| panic!("{ask}")).to_owned()
    }

    /// The open asks.
    pub(crate) fn open(&self) -> Vec<Value> {
        let inbox = self.run(&["inbox", "--json"]);
        assert_eq!(inbox.code, Some(0), "{}", inbox.stderr);
        inbox.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Waits until one ask is open, and returns its id.
    #[track_caller]
    pub(crate) fn the_open_ask(&self) -> String {
        until("one ask is open", || match self.open().as_slice() {
            [] => None,
            [one] => Some(one["id"].as_str().unwrap().to_owned()),
            several => panic!("{} asks are open", several.len()),
        })
    }

    /// The processes that were started in this bridge's home, and have not exited.
    pub(crate) fn still_running(&self) -> Vec<String> {
        let home = format!("HOME={}", self.dir.path().display());
        let below = |process: &Path| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes())
        };
        let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        let commands = processes.filter(|process| below(process)).map(|process| fs::read(process.join("cmdline")));
        commands.filter_map(Result::ok).map(|command| String::from_utf8_lossy(&command).replace('\0', " ")).collect()
    }

    /// Replaces in a screen what differs between machines and runs.
    pub(crate) fn redact(&self, text: &str) -> String {
        let text = text.replace(&self.dir.path().display().to_string(), "DIR");
        let mut words: Vec<_> = text.split(' ').map(str::to_owned).collect();
        for place in 1..words.len() {
            let unit = words[place].starts_with("second") || words[place].starts_with("minute");
            if unit && words[place - 1].parse::<u64>().is_ok() {
                "N".clone_into(&mut words[place - 1]);
                words[place] = words[place].replacen("seconds", "second", 1).replacen("minutes", "minute", 1);
            }
        }
        words.join(" ")
    }
}

impl Drop for TestBridge {
    fn drop(&mut self) {
        if self.server.is_some() {
            self.kill();
        }
    }
}

fn ran(mut command: Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

impl Ran {
    /// Asserts that it succeeded, and returns what it printed.
    #[track_caller]
    pub(crate) fn good(&self) -> &str {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        &self.stdout
    }
}

impl Running {
    pub(crate) fn stdout(&self) -> String {
        fs::read_to_string(&self.stdout).unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(&self.stderr).unwrap()
    }

    /// Waits until it has printed something.
    #[track_caller]
    pub(crate) fn prints(&self, text: &str) {
        until(&format!("it prints {text:?}"), || self.stdout().contains(text).then_some(()));
    }

    #[track_caller]
    pub(crate) fn tells(&self, text: &str) {
        until(&format!("it tells {text:?}"), || self.stderr().contains(text).then_some(()));
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    }

    #[track_caller]
    pub(crate) fn ended(mut self) -> Ran {
        let status = until("the program ends", || self.child.try_wait().unwrap());
        Ran { code: status.code(), stdout: self.stdout(), stderr: self.stderr() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A script waits for the programs of its pipeline, which would outlive it. `setsid` made it the leader of a group.
        if let Ok(None) = self.child.try_wait() {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
