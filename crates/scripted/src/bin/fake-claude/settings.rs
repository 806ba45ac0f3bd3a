//! The parts of the command line and the environment that the double uses.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use askbridge_scripted::model::Script;

use crate::brain::Brain;

pub(crate) const VERSION: &str = "2.1.325";

pub(crate) struct Settings {
    pub(crate) session: Option<String>,
    pub(crate) resume: Option<String>,
    /// Wait for `initialize` before a parked question comes back.
    pub(crate) await_initialize: bool,
    pub(crate) partial_messages: bool,
    pub(crate) mode: String,
    pub(crate) model: String,
    pub(crate) home: PathBuf,
    pub(crate) cwd: PathBuf,
    pub(crate) brain: Brain,
    /// Run the benchmark mode instead of a conversation.
    pub(crate) drills: bool,
    /// In the benchmark mode: is what the model says streamed as well?
    pub(crate) streams: bool,
    /// In the benchmark mode: does every message get a whole turn?
    /// In a benchmark: calls about which no person is asked.
    pub(crate) calls: bool,
    pub(crate) whole_turns: bool,
}

pub(crate) enum Start {
    Run(Settings),
    Say(String),
    Refuse(String),
}

impl Settings {
    pub(crate) fn read() -> Start {
        let mut args = std::env::args().skip(1);
        let mut settings = Self {
            session: None,
            resume: None,
            await_initialize: false,
            partial_messages: false,
            mode: "default".to_owned(),
            model: "claude-opus-5-5".to_owned(),
            home: PathBuf::from(var("HOME").unwrap_or_default()),
            cwd: std::env::current_dir().unwrap_or_default(),
            brain: Brain::Nobody,
            drills: var("FAKE_CLAUDE_DRILL").is_some(),
            streams: var("FAKE_CLAUDE_DRILL").as_deref() == Some("streams"),
            calls: var("FAKE_CLAUDE_DRILL").as_deref() == Some("calls"),
            whole_turns: var("FAKE_CLAUDE_DRILL").as_deref() == Some("turns"),
        };
        while let Some(arg) = args.next() {
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (arg, None),
            };
            match name.as_str() {
                "--version" | "-v" => return Start::Say(format!("{VERSION} (Claude Code)")),
                "--session-id" => settings.session = value.or_else(|| args.next()),
                "--resume" => settings.resume = value.or_else(|| args.next()),
                "--await-initialize" => settings.await_initialize = true,
                "--include-partial-messages" => settings.partial_messages = true,
                "--permission-mode" => settings.mode = value.or_else(|| args.next()).unwrap_or_default(),
                "--dangerously-skip-permissions" => settings.mode = "bypassPermissions".to_owned(),
                "--model" => settings.model = value.or_else(|| args.next()).unwrap_or_default(),
                // Other flags matter only to the real one; they are skipped, and so are their values.
                _ => {}
            }
        }
        if settings.mode == "bypassPermissions" && is_root() && var("IS_SANDBOX").is_none() {
            let refusal =
                "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons";
            return Start::Refuse(refusal.to_owned());
        }
        if settings.drills {
            return Start::Run(settings);
        }
        match brain() {
            Ok(brain) => Start::Run(Self { brain, ..settings }),
            Err(error) => Start::Refuse(error),
        }
    }
}

fn brain() -> Result<Brain, String> {
    if let Some(script) = var("FAKE_CLAUDE_SCRIPT") {
        let text = if script.trim_start().starts_with('{') {
            script
        } else {
            std::fs::read_to_string(&script)
                .map_err(|error| format!("could not read the script `{script}`: {error}"))?
        };
        let script =
            Script::from_json(&text).map_err(|error| format!("FAKE_CLAUDE_SCRIPT is not a script: {error}"))?;
        return Ok(Brain::Script(Box::new(script)));
    }
    let url = var("ANTHROPIC_BASE_URL").and_then(|url| url.strip_prefix("http://").map(str::to_owned));
    url.map(Brain::Api).ok_or_else(|| "fake-claude needs FAKE_CLAUDE_SCRIPT, or ANTHROPIC_BASE_URL=http://…".to_owned())
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}

#[allow(clippy::disallowed_methods, reason = "this is the double's settings module")]
fn var(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
