//! Test setup: a server, Claude Code in a terminal with our hooks, and the person's phone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use askbridge_scripted::claude::places;
use askbridge_scripted::model::{Script, ToolResult, ask, on_any_result, on_user, text};
use portable_pty::CommandBuilder;
use serde_json::{Value, json};

use super::terminal::Terminal;
use crate::house::House;

pub(crate) const CALL: &str = "toolu_1";
const PROMPT: &str = "hi-there";
/// How long to wait before a key is pressed again.
const AGAIN: Duration = Duration::from_secs(4);

pub(crate) struct Workstation {
    pub(crate) house: House,
    pub(crate) terminal: Terminal,
}

/// How Claude Code is started.
pub(crate) struct Setting<'a> {
    pub(crate) mode: &'a str,
    pub(crate) flags: &'a [&'a str],
    /// Are our hooks in the person's settings?
    pub(crate) hooks: bool,
    /// Variables of the server.
    pub(crate) server: &'a [(&'a str, &'a str)],
}

impl Default for Setting<'_> {
    fn default() -> Self {
        Self { mode: "default", flags: &[], hooks: true, server: &[] }
    }
}

/// Says something, asks, and accepts any result.
pub(super) fn question() -> Script {
    asking([text("I have to ask."), ask(CALL, "Which?", ["Aaa", "Bbb"])])
}

pub(crate) fn asking<const N: usize>(pieces: [askbridge_scripted::model::Piece; N]) -> Script {
    Script::new().turn(on_any_result(), [text("all done now")]).turn(on_user(PROMPT), pieces)
}

impl Workstation {
    #[track_caller]
    pub(crate) fn sit(script: Script, setting: &Setting<'_>) -> Self {
        let house = House::open_with(script, setting.server);
        furnish(&house, setting.hooks);
        Self::take(house, setting, &[])
    }

    /// Starts Claude Code in a house that is set up, with extra variables.
    #[track_caller]
    pub(crate) fn take(house: House, setting: &Setting<'_>, more: &[(&str, &str)]) -> Self {
        let mut command = CommandBuilder::new(places::claude());
        command.env_clear();
        for (name, value) in environment(&house) {
            command.env(name, value);
        }
        for (name, value) in more {
            command.env(name, value);
        }
        command.args(["--permission-mode", setting.mode]);
        command.args(setting.flags);
        command.cwd(house.scratch.work());
        let terminal = Terminal::open(command);
        Self { house, terminal }
    }

    /// Types the prompt, once the input line is shown.
    #[track_caller]
    pub(crate) fn prompt(&mut self) {
        self.until_shown("❯");
        self.terminal.press(PROMPT);
        self.until_shown(PROMPT);
        let known = self.house.model.heard().len();
        self.press_until("\r", "the model to be asked", |workstation| workstation.house.model.heard().len() > known);
    }

    #[track_caller]
    pub(crate) fn until_shown(&self, wanted: &str) {
        let what = format!("the terminal to show {wanted:?}");
        self.until(&what, |workstation| workstation.terminal.has_shown(wanted).then_some(()));
    }

    #[track_caller]
    pub(crate) fn until<T>(&self, what: &str, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        let what = format!("{what}; the terminal shows …{}", tail(&self.terminal.text()));
        self.house.until(&what, || look(self))
    }

    /// Presses keys until they have the wanted effect: a screen may be drawn before it takes input.
    #[track_caller]
    pub(crate) fn press_until(&mut self, keys: &str, what: &str, done: impl Fn(&Self) -> bool) {
        let mut pressed: Option<Instant> = None;
        let end = Instant::now() + Duration::from_secs(90);
        while !done(self) {
            assert!(Instant::now() < end, "waited for {what}; the terminal shows …{}", tail(&self.terminal.text()));
            if pressed.is_none_or(|at| at.elapsed() > AGAIN) {
                self.terminal.press(keys);
                pressed = Some(Instant::now());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for the one open ask on the phone.
    #[track_caller]
    pub(crate) fn rings(&self) -> Value {
        self.until("the phone to ring", |workstation| workstation.open_asks().pop())
    }

    pub(crate) fn open_asks(&self) -> Vec<Value> {
        self.house.get("/v1/asks")["items"].as_array().unwrap().clone()
    }

    /// Waits until an ask has this state.
    #[track_caller]
    pub(crate) fn until_state(&self, ask: &Value, state: &str) -> Value {
        let id = crate::house::id(ask);
        self.until(&format!("the ask to be {state}"), |workstation| {
            Some(workstation.house.ask(id)).filter(|ask| ask["state"] == state)
        })
    }

    #[track_caller]
    pub(crate) fn until_delivered(&self, ask: &Value) -> Value {
        let id = crate::house::id(ask);
        self.until("the proof of delivery", |workstation| {
            Some(workstation.house.ask(id)).filter(|ask| !ask["delivered_at"].is_null())
        })
    }

    /// Returns the call's result as the model reads it.
    #[track_caller]
    pub(crate) fn result(&self) -> ToolResult {
        self.until("the model to hear about its call", |workstation| workstation.house.model.tool_result(CALL))
    }

    /// Answers in the terminal, with the first option.
    #[track_caller]
    pub(crate) fn answers_in_the_terminal(&mut self) -> ToolResult {
        self.until_shown("Bbb");
        self.press_until("\r", "the answer to be taken", |workstation| {
            workstation.house.model.tool_result(CALL).is_some()
        });
        self.result()
    }
}

/// Returns the end of what the terminal shows.
fn tail(text: &str) -> String {
    let skip = text.chars().count().saturating_sub(800);
    text.chars().skip(skip).collect()
}

/// Makes a home in which Claude Code has run before: it asks for no theme, no key and no trust.
pub(crate) fn furnish(house: &House, hooks: bool) {
    let home = house.scratch.home();
    let trusted = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    let known = json!({
        "hasCompletedOnboarding": true, "theme": "dark", "bypassPermissionsModeAccepted": true,
        "customApiKeyResponses": {"approved": ["scripted-key"], "rejected": []},
        "projects": {house.scratch.work().to_str().unwrap(): trusted},
    });
    fs::write(home.join(".claude.json"), known.to_string()).unwrap();
    fs::create_dir_all(home.join(".claude")).unwrap();
    if hooks {
        let printed = Command::new(binary()).args(["hook", "--print-settings"]).output().unwrap();
        assert!(printed.status.success());
        fs::write(home.join(".claude/settings.json"), printed.stdout).unwrap();
    }
}

pub(crate) fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_askbridge"))
}

/// Returns the whole environment of Claude Code: our binary on PATH, and where the server is.
pub(crate) fn environment(house: &House) -> Vec<(String, String)> {
    let folder = binary().parent().unwrap().to_owned();
    let mut variables = house.scratch.env(&house.model.url());
    for (name, value) in &mut variables {
        if name == "PATH" {
            *value = format!("{}:{value}", folder.display());
        }
    }
    let data = house.data().to_string_lossy().into_owned();
    // A machine that is busy with tests may be slow, and these tests are not about hooks that time out.
    let patient = ("ASKBRIDGE_HOOKS_ACCEPT", "60s");
    let more = [("TERM", "xterm-256color"), ("IS_SANDBOX", "1"), ("ASKBRIDGE_DATA", &data), patient];
    variables.extend(more.map(|(name, value)| (name.to_owned(), value.to_owned())));
    variables
}

/// Makes just enough of a git repository to have this branch.
pub(super) fn on_branch(folder: &Path, branch: &str) {
    fs::create_dir(folder.join(".git")).unwrap();
    fs::write(folder.join(".git/HEAD"), format!("ref: refs/heads/{branch}\n")).unwrap();
}
