//! A minimal host: writes lines, reads lines, and waits for the frame it wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

/// How long to wait for one line. Beyond: the test fails and says what it waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// Unread lines. Beyond: the CLI waits, as it would for any slow reader.
const LINES_MAX: usize = 1024;

/// A running CLI. Killed when dropped.
pub struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    /// Every frame it has sent, in order.
    said: Vec<Value>,
    requests: usize,
}

/// How it ended.
#[derive(Debug)]
pub struct HostExit {
    pub status: ExitStatus,
    pub stderr: String,
}

impl Host {
    pub(super) fn new(mut child: Child) -> Self {
        let stdout = child.stdout.take().expect("stdout is piped");
        let mut stderr = child.stderr.take().expect("stderr is piped");
        let (sender, lines) = sync_channel(LINES_MAX);
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            drop(stderr.read_to_string(&mut text));
            text
        });
        Self { stdin: child.stdin.take(), child, lines, stderr: Some(stderr), said: Vec::new(), requests: 0 }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns the frames that were read so far.
    pub fn said(&self) -> &[Value] {
        &self.said
    }

    #[track_caller]
    pub fn send(&mut self, frame: &Value) {
        self.send_line(&frame.to_string());
    }

    /// Sends a line as it is, JSON or not.
    #[track_caller]
    pub fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).expect("the CLI reads its input");
    }

    #[track_caller]
    pub fn say(&mut self, text: &str) {
        let message = json!({"role": "user", "content": text});
        self.send(&json!({"type": "user", "message": message, "parent_tool_use_id": null, "session_id": ""}));
    }

    /// Sends a control request and waits for its response.
    #[track_caller]
    pub fn request(&mut self, request: Value) -> Value {
        let id = self.ask(request);
        let wanted = |frame: &Value| frame["type"] == "control_response" && frame["response"]["request_id"] == id;
        self.until("the response to a control request", wanted)["response"].clone()
    }

    /// Sends a control request without waiting, and returns its id.
    #[track_caller]
    pub fn ask(&mut self, request: Value) -> String {
        self.requests += 1;
        let id = format!("host-{}", self.requests);
        self.send(&json!({"type": "control_request", "request_id": id, "request": request}));
        id
    }

    /// Initializes with a `PreToolUse` hook for these tools, or without any hook if the matcher is empty.
    #[track_caller]
    pub fn initialize(&mut self, matcher: &str) -> Value {
        let hook = json!([{"matcher": matcher, "hookCallbackIds": ["hook_0"], "timeout": 86_400}]);
        let hooks = if matcher.is_empty() { json!({}) } else { json!({"PreToolUse": hook}) };
        let response = self.request(json!({"subtype": "initialize", "hooks": hooks}));
        assert_eq!(response["subtype"], "success", "{response}");
        response["response"].clone()
    }

    /// Waits for a control request from the CLI.
    #[track_caller]
    pub fn asked(&mut self, subtype: &str) -> Value {
        self.until(subtype, |frame| frame["type"] == "control_request" && frame["request"]["subtype"] == subtype)
    }

    /// Responds to a control request from the CLI.
    #[track_caller]
    pub fn respond(&mut self, request: &Value, response: Value) {
        let response = json!({"subtype": "success", "request_id": request["request_id"], "response": response});
        self.send(&json!({"type": "control_response", "response": response}));
    }

    /// Waits for the end of the turn.
    #[track_caller]
    pub fn result(&mut self) -> Value {
        self.until("result", |frame| frame["type"] == "result")
    }

    /// Waits for the next wanted frame and returns it; those before it are in [`Host::said`].
    #[track_caller]
    pub fn until(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            match self.next() {
                Some(frame) if wanted(&frame) => return frame,
                Some(_) => {}
                None => panic!("waited for `{what}`, but it ended or fell silent; it said {}", self.summary()),
            }
        }
    }

    /// Returns the next frame, or `None` at the end of the output.
    fn next(&mut self) -> Option<Value> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                let frame: Value = serde_json::from_str(&line).unwrap_or_else(|_| json!({"not json": line}));
                self.said.push(frame.clone());
                Some(frame)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Returns the types of all frames, for a failure message.
    fn summary(&self) -> String {
        let name = |frame: &Value| {
            let part = |value: &Value| value.as_str().map(|text| format!("/{text}")).unwrap_or_default();
            let kind = frame["type"].as_str().unwrap_or("?");
            format!("{kind}{}{}", part(&frame["subtype"]), part(&frame["request"]["subtype"]))
        };
        self.said.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// Closes its input and waits until it has ended.
    #[track_caller]
    pub fn close(mut self) -> HostExit {
        drop(self.stdin.take());
        while self.next().is_some() {}
        let status = self.child.wait().expect("it is our child");
        let stderr = self.stderr.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        HostExit { status, stderr }
    }

    /// Kills it, as a crash would.
    pub fn kill(mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns the texts of all tool results in frames, by call.
pub fn tool_results(frames: &[Value]) -> Vec<(String, String)> {
    let blocks = frames.iter().filter(|frame| frame["type"] == "user");
    let blocks = blocks.flat_map(|frame| frame["message"]["content"].as_array().cloned().unwrap_or_default());
    let results = blocks.filter(|block| block["type"] == "tool_result");
    let text = |block: Value| {
        let id = block["tool_use_id"].as_str().unwrap_or_default().to_owned();
        (id, block["content"].as_str().map_or_else(|| crate::model::request::plain(&block["content"]), str::to_owned))
    };
    results.map(text).collect()
}
