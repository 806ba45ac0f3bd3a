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

/// A person's desk with Codex on it.
struct Desk {
    house: House,
    model: Model,
    terminal: Terminal,
}

impl Desk {
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
        self.chooses("2", |desk| desk.terminal.has_shown("› 2. Trust all and continue"));
        self.press_until("\r", "Codex to remember it", |desk| desk.trusted() == HOOKS);
        self
    }

    /// Presses a key where Codex asks about trust. It discards what was typed before that, and exits if that takes it
    /// more than a second; then it is started again.
    #[track_caller]
    fn chooses(&mut self, key: &str, done: impl Fn(&mut Self) -> bool) {
        for _ in 0..STARTS_MAX {
            let asks = |desk: &mut Self| desk.terminal.has_shown("Continue without trusting (hooks won't run)");
            self.until("the question of trust", |desk| desk.terminal.has_ended() || asks(desk));
            self.press_until(key, "its choice", |desk| desk.terminal.has_ended() || done(desk));
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
        self.until("the phone to ring", |desk| !open_asks(&desk.house).is_empty());
        open(&self.house, 1).remove(0)
    }

    /// Waits for Codex's own dialog.
    #[track_caller]
    fn until_dialog(&mut self) {
        self.until("Codex's own dialog", |desk| desk.terminal.has_shown(DIALOG));
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
        self.until(&format!("the ask to be {state}"), |desk| desk.house.ask(id(ask))["state"] == state);
    }

    /// Was the command run?
    fn has_run(&self) -> bool {
        self.house.room.work().join("made").exists()
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
    command.cwd(house.room.work());
    Terminal::open(command)
}

/// Returns the output of a command that is run in the same home.
#[track_caller]
fn askbridge(house: &House, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_askbridge"));
    command.args(args).env_clear().envs(environment(house)).env("ASKBRIDGE_DATA", house.data());
    let told = command.current_dir(house.room.work()).output().unwrap();
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
    let desk = Desk::sit();
    let unrun = "so Codex does not run them: PermissionRequest, SessionEnd, SessionStart, Stop";
    let told = askbridge(&desk.house, &["doctor"]);
    assert!(told.contains(unrun), "{told}");
    let mut desk = desk.trusts();
    let asked = desk.rings();
    let told = askbridge(&desk.house, &["doctor"]);
    assert!(!told.contains("does not run them"), "{told}");
    assert_eq!((&asked["door"], &asked["agent"]), (&json!("hook"), &json!("codex")));
    assert_eq!((&asked["approval"]["tool"], &asked["approval"]["summary"]), (&json!("Bash"), &json!("touch made")));
    assert_eq!(asked["context"]["folder"], json!(desk.house.room.work()));
    assert!(!desk.has_run());
    desk.house.answer(id(&asked), json!({"decision": "allow"}));
    let read = desk.model.result();
    assert!(read.contains("Process exited with code 0"), "{read}");
    assert!(desk.has_run());
    assert!(!desk.terminal.has_shown(DIALOG), "nobody was asked twice");
    until_delivered(&desk.house, &asked);
}

#[test]
fn a_no_from_the_phone_reaches_the_model_in_its_words() {
    let mut desk = Desk::sit().trusts();
    let asked = desk.rings();
    desk.house.answer(id(&asked), json!({"decision": "deny", "words": "use /var/tmp instead"}));
    let read = desk.model.result();
    assert!(read.contains("Denied: use /var/tmp instead"), "{read}");
    assert!(!desk.has_run());
    until_delivered(&desk.house, &asked);
}

#[test]
fn what_a_person_writes_meanwhile_is_read_at_the_end_of_the_turn() {
    let mut desk = Desk::sit().trusts();
    let asked = desk.rings();
    let session = asked["session"].as_str().unwrap();
    let message = json!({"text": "one more thing: tests"});
    let (status, said) = desk.house.post(&format!("/v1/sessions/{session}/messages"), &message);
    assert_eq!(status, 202, "{said}");
    desk.house.answer(id(&asked), json!({"decision": "allow"}));
    desk.model.result();
    let heard = desk.model.hears();
    assert!(heard.contains("one more thing: tests"), "{heard}");
}

#[test]
fn escape_in_the_terminal_takes_the_question_back() {
    let mut desk = Desk::sit().trusts();
    let asked = desk.rings();
    desk.press_until("\u{1b}", "the card to close", |desk| open_asks(&desk.house).is_empty());
    let over = desk.house.ask(id(&asked));
    assert_eq!((&over["state"], &over["words"]), (&json!("overtaken"), &json!("the terminal")), "{over}");
    assert!(!desk.has_run());
}

#[test]
fn a_hook_that_nobody_trusts_is_not_run() {
    let mut desk = Desk::sit();
    desk.chooses("3", |desk| desk.terminal.has_shown(DIALOG));
    assert_eq!((all_asks(&desk.house), desk.trusted()), (json!([]), 0));
}

#[test]
fn without_askbridge_codex_asks_as_if_it_were_not_installed() {
    let mut desk = Desk::sit();
    desk.house.kill();
    let mut desk = desk.trusts();
    desk.until_dialog();
    assert!(!desk.has_run());
    desk.press_until("y", "the command to be run", |desk| desk.has_run());
    assert!(desk.model.result().contains("Process exited with code 0"));
    desk.house.start();
    assert_eq!(all_asks(&desk.house), json!([]));
}

#[test]
fn killed_while_codex_waits_its_dialog_comes_and_the_card_learns_of_its_answer() {
    let mut desk = Desk::sit().trusts();
    let asked = desk.rings();
    assert!(!desk.terminal.has_shown(DIALOG), "Codex shows no dialog while its hook waits");
    desk.house.kill();
    desk.until_dialog();
    desk.house.start();
    let stranded = desk.house.ask(id(&asked));
    assert_eq!((&stranded["state"], &stranded["stranded"]), (&json!("open"), &json!(true)), "{stranded}");
    desk.press_until("y", "the command to be run", |desk| desk.has_run());
    desk.until_state(&asked, "overtaken");
}
