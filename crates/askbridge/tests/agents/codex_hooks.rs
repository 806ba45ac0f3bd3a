//! The real Codex in a terminal, with our hooks in its settings, and the person's phone.
//!
//! A run without a terminal (`codex exec`) never asks a person, whatever its settings, so its hooks are tested only
//! here. They are trusted as a person would do it: in Codex's own dialog. Its background server is off, because it
//! would outlive the test.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use serde_json::{Value, json};

use crate::agent::{house, open, until_delivered};
use crate::codex::{environment, home, program};
use crate::house::{House, id};
use crate::http::call_local;
use crate::model::Model;
use crate::terminal::Terminal;
use crate::{BREATH, PATIENCE};

const PROMPT: &str = "hi-there";
/// How long to wait before a key is pressed again: a screen may be drawn before it takes input.
const AGAIN: Duration = Duration::from_secs(5);
/// How often a person starts it before they give up.
const STARTS_MAX: usize = 3;
/// The number of hooks that `askbridge init` writes.
const HOOKS: usize = 4;
/// The dialog that Codex shows when no decision has come from elsewhere.
const DIALOG: &str = "Would you like to run the following command?";

/// A person's workstation with Codex on it.
struct Workstation {
    house: House,
    model: Model,
    terminal: Terminal,
}

impl Workstation {
    /// Starts Codex with our hooks, for a person who is away. Its model wants to run `touch made` outside the sandbox.
    fn sit() -> Self {
        let house = house(&[]);
        let call =
            json!({"cmd": "touch made", "sandbox_permissions": "require_escalated", "justification": "Make a file?"});
        let model = Model::start("exec_command", &call);
        fs::create_dir_all(home(&house)).unwrap();
        let settings = format!("{}approval_policy = \"on-request\"\nsandbox_mode = \"read-only\"\n", model.settings());
        fs::write(home(&house).join("config.toml"), settings).unwrap();
        askbridge(&house, &["init", "codex", "--hooks"]);
        let socket = house.data().join("run/askbridge.sock");
        let (status, told) = call_local(&socket, "POST", "/v1/away", &json!({"mode": "on"})).unwrap();
        assert_eq!(status, 200, "{told}");
        let terminal = codex(&house);
        Self { house, model, terminal }
    }

    /// Trusts the hooks in Codex's own dialog, as a person does.
    #[track_caller]
    fn trusts(mut self) -> Self {
        assert_eq!(self.trusted(), 0, "trusting is the person's own");
        self.chooses("2", |workstation| workstation.terminal.has_shown("› 2. Trust all and continue"));
        self.press_until("\r", "Codex to remember it", |workstation| workstation.trusted() == HOOKS);
        self
    }

    /// Presses a key where Codex asks about trust. It discards what was typed before that, and exits if that takes it
    /// more than a second; then it is started again.
    #[track_caller]
    fn chooses(&mut self, key: &str, done: impl Fn(&mut Self) -> bool) {
        for _ in 0..STARTS_MAX {
            let asks =
                |workstation: &mut Self| workstation.terminal.has_shown("Continue without trusting (hooks won't run)");
            self.until("the question of trust", |workstation| workstation.terminal.has_ended() || asks(workstation));
            self.press_until(key, "its choice", |workstation| workstation.terminal.has_ended() || done(workstation));
            if !self.terminal.has_ended() {
                return;
            }
            self.terminal = codex(&self.house);
        }
        panic!("Codex does not stay; the terminal shows {}", self.terminal.text());
    }

    /// Counts the hooks that Codex has stored as trusted.
    fn trusted(&self) -> usize {
        fs::read_to_string(home(&self.house).join("config.toml")).unwrap().matches("trusted_hash").count()
    }

    /// Waits for the ask on the phone.
    #[track_caller]
    fn rings(&mut self) -> Value {
        self.until("the phone to ring", |workstation| !open_asks(&workstation.house).is_empty());
        open(&self.house, 1).remove(0)
    }

    /// Waits for Codex's own dialog.
    #[track_caller]
    fn until_dialog(&mut self) {
        self.until("Codex's own dialog", |workstation| workstation.terminal.has_shown(DIALOG));
    }

    #[track_caller]
    fn until(&mut self, what: &str, done: impl Fn(&mut Self) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !done(self) {
            assert!(Instant::now() < end, "waited for {what}; the terminal shows {}", self.terminal.text());
            std::thread::sleep(BREATH);
        }
    }

    #[track_caller]
    fn press_until(&mut self, keys: &str, what: &str, done: impl Fn(&mut Self) -> bool) {
        let (end, mut pressed) = (Instant::now() + PATIENCE, None::<Instant>);
        while !done(self) {
            assert!(Instant::now() < end, "waited for {what}; the terminal shows {}", self.terminal.text());
            if pressed.is_none_or(|at| at.elapsed() > AGAIN) {
                self.terminal.press(keys);
                pressed = Some(Instant::now());
            }
            std::thread::sleep(BREATH);
        }
    }

    #[track_caller]
    fn until_state(&mut self, ask: &Value, state: &str) {
        self.until(&format!("the ask to be {state}"), |workstation| workstation.house.ask(id(ask))["state"] == state);
    }

    /// Was the command run?
    fn has_run(&self) -> bool {
        self.house.scratch.work().join("made").exists()
    }
}

/// Starts it in a terminal, with a prompt.
fn codex(house: &House) -> Terminal {
    let mut command = CommandBuilder::new(program());
    command.env_clear();
    for (name, value) in environment(house) {
        command.env(name, value);
    }
    // A machine that is busy with tests may be slow, and these tests are not about hooks that time out.
    command.env("ASKBRIDGE_HOOKS_ACCEPT", "60s");
    command.env("TERM", "xterm-256color");
    command.args(["--no-daemon", PROMPT]);
    command.cwd(house.scratch.work());
    Terminal::open(command)
}

/// Returns the output of a command that is run in the same home.
#[track_caller]
fn askbridge(house: &House, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_askbridge"));
    command.args(args).env_clear().envs(environment(house)).env("ASKBRIDGE_DATA", house.data());
    let told = command.current_dir(house.scratch.work()).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&told.stdout), String::from_utf8_lossy(&told.stderr));
    assert!(told.status.success(), "askbridge {args:?}: {said}");
    said
}

fn open_asks(house: &House) -> Vec<Value> {
    house.get("/v1/asks?state=open")["items"].as_array().unwrap().clone()
}

fn all_asks(house: &House) -> Value {
    house.get("/v1/asks?state=all")["items"].clone()
}

#[test]
fn what_is_allowed_from_the_phone_is_run() {
    let workstation = Workstation::sit();
    let unrun = "so Codex does not run them: PermissionRequest, SessionEnd, SessionStart, Stop";
    let told = askbridge(&workstation.house, &["doctor"]);
    assert!(told.contains(unrun), "{told}");
    let mut workstation = workstation.trusts();
    let asked = workstation.rings();
    let told = askbridge(&workstation.house, &["doctor"]);
    assert!(!told.contains("does not run them"), "{told}");
    assert_eq!((&asked["door"], &asked["agent"]), (&json!("hook"), &json!("codex")));
    assert_eq!((&asked["approval"]["tool"], &asked["approval"]["summary"]), (&json!("Bash"), &json!("touch made")));
    assert_eq!(asked["context"]["folder"], json!(workstation.house.scratch.work()));
    assert!(!workstation.has_run());
    workstation.house.answer(id(&asked), json!({"decision": "allow"}));
    let read = workstation.model.result();
    assert!(read.contains("Process exited with code 0"), "{read}");
    assert!(workstation.has_run());
    assert!(!workstation.terminal.has_shown(DIALOG), "nobody was asked twice");
    until_delivered(&workstation.house, &asked);
}

#[test]
fn a_no_from_the_phone_reaches_the_model_in_its_words() {
    let mut workstation = Workstation::sit().trusts();
    let asked = workstation.rings();
    workstation.house.answer(id(&asked), json!({"decision": "deny", "words": "use /var/tmp instead"}));
    let read = workstation.model.result();
    assert!(read.contains("Denied: use /var/tmp instead"), "{read}");
    assert!(!workstation.has_run());
    until_delivered(&workstation.house, &asked);
}

#[test]
fn what_a_person_writes_meanwhile_is_read_at_the_end_of_the_turn() {
    let mut workstation = Workstation::sit().trusts();
    let asked = workstation.rings();
    let session = asked["session"].as_str().unwrap();
    let message = json!({"text": "one more thing: tests"});
    let (status, said) = workstation.house.post(&format!("/v1/sessions/{session}/messages"), &message);
    assert_eq!(status, 202, "{said}");
    workstation.house.answer(id(&asked), json!({"decision": "allow"}));
    workstation.model.result();
    let heard = workstation.model.hears();
    assert!(heard.contains("one more thing: tests"), "{heard}");
}

#[test]
fn escape_in_the_terminal_takes_the_question_back() {
    let mut workstation = Workstation::sit().trusts();
    let asked = workstation.rings();
    workstation.press_until("\u{1b}", "the card to close", |workstation| open_asks(&workstation.house).is_empty());
    let over = workstation.house.ask(id(&asked));
    assert_eq!((&over["state"], &over["words"]), (&json!("overtaken"), &json!("the terminal")), "{over}");
    assert!(!workstation.has_run());
}

#[test]
fn a_hook_that_nobody_trusts_is_not_run() {
    let mut workstation = Workstation::sit();
    workstation.chooses("3", |workstation| workstation.terminal.has_shown(DIALOG));
    assert_eq!((all_asks(&workstation.house), workstation.trusted()), (json!([]), 0));
}

#[test]
fn without_askbridge_codex_asks_as_if_it_were_not_installed() {
    let mut workstation = Workstation::sit();
    workstation.house.kill();
    let mut workstation = workstation.trusts();
    workstation.until_dialog();
    assert!(!workstation.has_run());
    workstation.press_until("y", "the command to be run", |workstation| workstation.has_run());
    assert!(workstation.model.result().contains("Process exited with code 0"));
    workstation.house.start();
    assert_eq!(all_asks(&workstation.house), json!([]));
}

#[test]
fn killed_while_codex_waits_its_dialog_comes_and_the_card_learns_of_its_answer() {
    let mut workstation = Workstation::sit().trusts();
    let asked = workstation.rings();
    assert!(!workstation.terminal.has_shown(DIALOG), "Codex shows no dialog while its hook waits");
    workstation.house.kill();
    workstation.until_dialog();
    workstation.house.start();
    let stranded = workstation.house.ask(id(&asked));
    assert_eq!((&stranded["state"], &stranded["stranded"]), (&json!("open"), &json!(true)), "{stranded}");
    workstation.press_until("y", "the command to be run", |workstation| workstation.has_run());
    workstation.until_state(&asked, "overtaken");
}
