//! Benchmark mode: asks again as soon as it is answered, and records how long each round took.
//!
//! `FAKE_CLAUDE_DRILL=1` turns it on, `FAKE_CLAUDE_DRILL=streams` with what the real one streams around a question. The
//! message `drill 2000` starts it, for that many milliseconds; `drill 2000 AT` waits until `AT`, in milliseconds since
//! 1970, so that many can begin at once. A round is timed from writing the line with the question to reading the line
//! with its answer. The frames are those of the real one, formatted as text, so that the double costs little.
//! `FAKE_CLAUDE_DRILL=turns` is another mode: see `drill_turn`. With `FAKE_CLAUDE_DRILL=calls` a round is a command about which no
//! person is asked, from calling its hook to reading that it may run.

use std::fs;
use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::settings::Settings;
use crate::wire::{LineWriter, about, tool_result};

pub(crate) const INPUT: &str = r#"{"questions":[{"question":"Which database should the new service use?","header":"Database","options":[{"label":"PostgreSQL","description":"Relational, needs a server"},{"label":"SQLite","description":"Embedded, one file"}],"multiSelect":false}]}"#;

/// A command that no rule of a benchmark is about.
const COMMAND: &str = r#"{"command":"cargo test --workspace --test it -- filter","description":"Run the tests"}"#;

pub(crate) struct Drill {
    pub(crate) settings: Settings,
    pub(crate) writer: LineWriter,
    /// The id of the host's hook for questions. Empty: it has none.
    pub(crate) hook: String,
    /// The number of the current round.
    pub(crate) rounds: u64,
    drills: u32,
    /// The fields of `system/init`, once they were needed.
    pub(crate) init: String,
}

/// Calls and messages are numbered by rounds. A process that resumes a conversation must not use the numbers of the one
/// before: a call with the same id is the same call.
fn first_round() -> u64 {
    u64::from(std::process::id()) * 1_000_000
}

/// Runs until the input ends, which it does not as long as we hold it open ourselves.
pub(crate) fn run(settings: Settings) -> ExitCode {
    let writer = LineWriter::new(settings.resume.clone().or_else(|| settings.session.clone()));
    let mut drill =
        Drill { settings, writer, hook: String::new(), rounds: first_round(), drills: 0, init: String::new() };
    let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
    while let Some(line) = lines.next() {
        let Ok(frame) = serde_json::from_str::<Value>(&line) else { return ExitCode::FAILURE };
        match frame["type"].as_str() {
            Some("control_request") => drill.request(&frame),
            Some("user") if drill.settings.whole_turns => {
                let Some(()) = drill.whole_turn(frame["uuid"].as_str(), &mut lines) else { return ExitCode::FAILURE };
            }
            Some("user") => {
                let text = frame["message"]["content"].as_str().unwrap_or_default();
                let mut numbers = text.strip_prefix("drill ").unwrap_or_default().split(' ');
                let mut next = || Duration::from_millis(numbers.next().and_then(|it| it.parse().ok()).unwrap_or(0));
                let (span, at) = (next(), SystemTime::UNIX_EPOCH + next());
                drill.turn(frame["uuid"].as_str(), span, at, &mut lines);
            }
            _ => {}
        }
    }
    ExitCode::SUCCESS
}

impl Drill {
    pub(crate) fn request(&mut self, frame: &Value) {
        let request = &frame["request"];
        if request["subtype"] == "initialize" {
            let hook = &request["hooks"]["PreToolUse"][0]["hookCallbackIds"][0];
            self.hook = hook.as_str().unwrap_or_default().to_owned();
            let about = about(&self.settings);
            self.writer.respond(frame, about);
        } else {
            self.writer.respond(frame, json!({}));
        }
    }

    fn turn(&mut self, uuid: Option<&str>, span: Duration, at: SystemTime, lines: &mut impl Iterator<Item = String>) {
        self.writer.lifecycle(uuid, "started");
        self.writer.init(&self.settings);
        #[expect(clippy::disallowed_methods, reason = "another process has to mean the same moment")]
        let now = SystemTime::now();
        sleep(at.duration_since(now).unwrap_or_default());
        let (began, mut took) = (Instant::now(), Vec::new());
        while began.elapsed() < span {
            match self.round(lines) {
                Some(Ok(one)) => took.push(one.as_micros().to_string()),
                Some(Err(refused)) => return self.write_down(&[refused]),
                None => return,
            }
        }
        self.writer.tell(json!({
            "type": "result", "subtype": "success", "is_error": false, "result": "", "terminal_reason": "completed",
            "num_turns": 1, "duration_ms": 1, "total_cost_usd": 0.0,
        }));
        self.writer.lifecycle(uuid, "completed");
        self.write_down(&took);
    }

    /// Asks one question. Returns how long its answer took, or what came instead of one.
    fn round(&mut self, lines: &mut impl Iterator<Item = String>) -> Option<Result<Duration, String>> {
        self.rounds += 1;
        let (number, session) = (self.rounds, self.writer.session.clone());
        let (call, message) = (format!("toolu_{session}_{number}"), format!("msg_{number}"));
        let stream = |event: &str| {
            let around = r#""parent_tool_use_id":null,"session_id":"#;
            format!(r#"{{"type":"stream_event","event":{event},{around}"{session}"}}"#)
        };
        let usage = r#"{"input_tokens":100,"output_tokens":20}"#;
        let calls = self.settings.calls;
        let (tool, input) = if calls { ("Bash", COMMAND) } else { ("AskUserQuestion", INPUT) };
        let block = format!(r#"{{"type":"tool_use","id":"{call}","name":"{tool}","input":{input}}}"#);
        let streams = self.settings.streams;
        let say_streamed = |line: &str| {
            if streams {
                say(line);
            }
        };
        say_streamed(&stream(&format!(r#"{{"type":"message_start","message":{{"id":"{message}","usage":{usage}}}}}"#)));
        say_streamed(&stream(
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"AskUserQuestion","input":{}}}"#,
        ));
        say_streamed(&stream(
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"questions\": [{"}}"#,
        ));
        say(&format!(
            r#"{{"type":"assistant","message":{{"id":"{message}","role":"assistant","content":[{block}],"usage":{usage}}},"parent_tool_use_id":null,"session_id":"{session}","uuid":"{}"}}"#,
            self.writer.id()
        ));
        let request = self.writer.id();
        let began = Instant::now();
        say(&format!(
            r#"{{"type":"control_request","request_id":"{request}","request":{{"subtype":"hook_callback","callback_id":"{}","input":{{"session_id":"{session}","hook_event_name":"PreToolUse","permission_mode":"default","tool_name":"{tool}","tool_input":{input},"tool_use_id":"{call}"}},"tool_use_id":"{call}"}}}}"#,
            self.hook
        ));
        say_streamed(&stream(r#"{"type":"content_block_stop","index":0}"#));
        say_streamed(&stream(&format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"tool_use"}},"usage":{usage}}}"#
        )));
        say_streamed(&stream(r#"{"type":"message_stop"}"#));
        let wanted = format!(r#""request_id":"{request}""#);
        let answer = lines.find(|line| line.contains(&wanted))?;
        let took = began.elapsed();
        if calls && answer.contains("permissionDecision") || !calls && !answer.contains(r#""answers":{"#) {
            return Some(Err(answer));
        }
        let answered = tool_result(&call, if calls { "done" } else { "Your questions have been answered" }, false);
        self.writer.user(&answered);
        Some(Ok(took))
    }

    /// Writes one number per line, in microseconds. The rename makes the file appear whole or not at all.
    fn write_down(&mut self, took: &[String]) {
        self.drills += 1;
        let path = self.settings.cwd.join(format!("drill-{}-{}", self.writer.session, self.drills));
        let beside = path.with_extension("new");
        if fs::write(&beside, took.join("\n")).is_ok() {
            drop(fs::rename(&beside, &path));
        }
    }
}

pub(crate) fn say(line: &str) {
    let mut whole = String::with_capacity(line.len() + 1);
    whole.push_str(line);
    whole.push('\n');
    drop(std::io::stdout().lock().write_all(whole.as_bytes()));
}
