//! A scripted model that speaks Codex's protocol: it calls one tool, and records what it reads.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use serde_json::Value;

use crate::PATIENCE;

/// Unread lines. Beyond: the model waits.
const LINES_MAX: usize = 64;

pub(crate) struct Model {
    child: Child,
    said: Receiver<Value>,
    address: String,
}

impl Model {
    pub(crate) fn start(tool: &str, arguments: &Value) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents/clients/responses.py");
        let mut command = Command::new("python3");
        command.args(["-I", script, tool, &arguments.to_string()]).stdout(Stdio::piped()).stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.next().unwrap().unwrap();
        let (say, said) = sync_channel(LINES_MAX);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if say.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, said, address }
    }

    /// Waits for the result of the model's call.
    #[track_caller]
    pub(crate) fn result(&self) -> String {
        self.next("result")
    }

    /// Waits for the next text of a person that the model reads.
    #[track_caller]
    pub(crate) fn hears(&self) -> String {
        self.next("user")
    }

    #[track_caller]
    fn next(&self, what: &str) -> String {
        loop {
            let said = self.said.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("the model was told no {what}"));
            assert!(said.get("missing").is_none(), "the model was not offered its tool: {said}");
            match said.get(what) {
                Some(Value::Array(parts)) => return parts.iter().filter_map(|part| part["text"].as_str()).collect(),
                Some(text) => return text.as_str().unwrap().to_owned(),
                None => {}
            }
        }
    }

    /// Returns the model's entry for Codex's settings.
    pub(crate) fn settings(&self) -> String {
        format!(
            "model = \"scripted\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\
             analytics = {{ enabled = false }}\nmodel_providers.scripted = {{ name = \"scripted\", base_url = \"{}\", \
             wire_api = \"responses\", env_key = \"SCRIPTED_KEY\" }}\n",
            self.address
        )
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
