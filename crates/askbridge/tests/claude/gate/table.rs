//! Policies and what becomes of a call under them, the same at every door.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use askbridge_scripted::claude::{Subject, places};
use askbridge_scripted::model::{Piece, Script, on_result, on_user, text, tool};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::hooks::workstation::{binary, environment, furnish};
use crate::house::{House, id};

/// As root, Claude Code skips permissions only if it is told that it runs in a sandbox.
pub(super) const SANDBOX: (&str, &str) = ("IS_SANDBOX", "1");

/// What the person does with the call.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Person {
    IsNotAsked,
    Allows,
    Denies,
}

/// A policy, a call, and what becomes of it.
struct Row {
    /// The command is `touch NAME`, and each rule is about it.
    name: &'static str,
    /// What each rule does, in order.
    rules: &'static [&'static str],
    mode: &'static str,
    person: Person,
    runs: bool,
    /// The rule that decided before the call, and what.
    ruled: Option<(&'static str, &'static str)>,
    /// Parts of what the model reads.
    reads: &'static [&'static str],
    /// Does the test double make the same of it? It knows no modes.
    on_the_double: bool,
}

const DENY: &str = "do = \"deny\"\nwords = \"Not this.\"\nevery_call = true";
const ASK: &str = "do = \"ask\"\nevery_call = true";
const ALLOW: &str = "do = \"allow\"\nevery_call = true";
const PARK: &str = "do = \"park\"\nevery_call = true";
const PLAIN_ASK: &str = "do = \"ask\"";
const PLAIN_DENY: &str = "do = \"deny\"\nwords = \"Not as an ask.\"";

const fn row(name: &'static str, rules: &'static [&'static str], mode: &'static str, person: Person) -> Row {
    Row { name, rules, mode, person, runs: true, ruled: None, reads: &[], on_the_double: true }
}

const BYPASS: &str = "bypassPermissions";

const ROWS: [Row; 14] = [
    Row {
        runs: false,
        ruled: Some(("one-0", "deny")),
        reads: &["“one-0”", "no person was asked", "Not this."],
        ..row("one", &[DENY], BYPASS, Person::IsNotAsked)
    },
    Row { ruled: Some(("two-0", "allow")), ..row("two", &[ALLOW], "default", Person::IsNotAsked) },
    Row { ruled: Some(("three-0", "ask")), ..row("three", &[ASK], BYPASS, Person::Allows) },
    Row {
        runs: false,
        ruled: Some(("four-0", "ask")),
        reads: &["Denied: not today"],
        ..row("four", &[ASK], BYPASS, Person::Denies)
    },
    Row {
        runs: false,
        ruled: Some(("five-1", "deny")),
        reads: &["“five-1”"],
        ..row("five", &[ALLOW, DENY, ASK], "default", Person::IsNotAsked)
    },
    Row { ruled: Some(("six-1", "ask")), ..row("six", &[ALLOW, ASK], "acceptEdits", Person::Allows) },
    // A rule that looks at asks alone comes before what is allowed: the call becomes an ask, if the mode asks.
    row("seven", &[ALLOW, PLAIN_ASK], "default", Person::Allows),
    Row {
        runs: false,
        reads: &["“eight-1”", "Not as an ask."],
        ..row("eight", &[ALLOW, PLAIN_DENY], "default", Person::IsNotAsked)
    },
    // Rules about asks see nothing of a call that the mode allows.
    Row { on_the_double: false, ..row("nine", &[PLAIN_DENY], BYPASS, Person::IsNotAsked) },
    Row { on_the_double: false, ..row("ten", &[], BYPASS, Person::IsNotAsked) },
    // In these modes Claude Code asks no person by itself.
    Row { ruled: Some(("eleven-0", "allow")), ..row("eleven", &[ALLOW], "dontAsk", Person::IsNotAsked) },
    Row { ruled: Some(("twelve-0", "allow")), ..row("twelve", &[ALLOW], "auto", Person::IsNotAsked) },
    Row { ruled: Some(("thirteen-0", "ask")), ..row("thirteen", &[ASK], "auto", Person::Allows) },
    Row {
        runs: false,
        ruled: Some(("fourteen-0", "ask")),
        reads: &["Denied: not today"],
        ..row("fourteen", &[PARK], "plan", Person::Denies)
    },
];

/// The rule file of the whole table.
fn rules() -> String {
    let mut file = String::new();
    for row in &ROWS {
        for (at, does) in row.rules.iter().enumerate() {
            let name = row.name;
            file.push_str(&format!("[[rules]]\nname = \"{name}-{at}\"\ntool = \"Bash(touch {name})\"\n{does}\n\n"));
        }
    }
    file
}

/// The line of a rule in that file.
fn line(rule: &str) -> usize {
    let named = format!("name = \"{rule}\"");
    rules().lines().position(|line| line == named).unwrap()
}

fn call(row: &Row) -> Piece {
    tool(format!("toolu_{}", row.name), "Bash", json!({"command": format!("touch {}", row.name), "description": "d"}))
}

fn said(row: &Row) -> String {
    format!("go-{}-now", row.name)
}

fn script() -> Script {
    ROWS.iter().fold(Script::new(), |script, row| {
        let id = format!("toolu_{}", row.name);
        script.turn(on_result(id), [text("done")]).turn(on_user(said(row)), [call(row)])
    })
}

/// A house with these rules in force from the start, before a device is paired.
pub(super) struct Ruled {
    pub(super) house: House,
    pub(super) rules: PathBuf,
    folder: TempDir,
}

impl Ruled {
    pub(super) fn open(subject: Subject, script: Script, rules: &str, more: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("rules.toml");
        fs::write(&path, rules).unwrap();
        let settings = [&[SANDBOX, ("ASKBRIDGE_RULES", path.to_str().unwrap())], more].concat();
        let house = House::open_as(subject, script, &settings);
        Self { house, rules: path, folder }
    }

    /// The house, and the folder that its rule file is in.
    pub(super) fn split(self) -> (House, TempDir) {
        (self.house, self.folder)
    }

    /// Writes other rules, and waits until so many are in force.
    #[track_caller]
    pub(super) fn write(&self, rules: &str, count: usize) {
        fs::write(&self.rules, rules).unwrap();
        self.house.until("the rules to be in force", || (self.house.get("/v1/rules")["rules"] == count).then_some(()));
    }
}

/// Starts a run in the person's own shell, with hooks that report every call.
pub(super) fn run(house: &House, prompt: &str, mode: &str) -> Child {
    let mut command = Command::new(places::claude());
    command.args(["-p", prompt, "--output-format", "json", "--permission-mode", mode]);
    command.env_clear().envs(environment(house)).current_dir(house.scratch.work());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Puts the hooks that `init claude --rules` writes into the person's settings.
pub(super) fn furnish_for_rules(house: &House) {
    furnish(house, false);
    let printed = Command::new(binary()).args(["hook", "--print-settings", "--rules"]).output().unwrap();
    assert!(printed.status.success());
    fs::write(house.scratch.home().join(".claude/settings.json"), printed.stdout).unwrap();
}

fn decide(house: &House, ask: &Value, person: Person) {
    let body = match person {
        Person::Allows => json!({"decision": "allow"}),
        _ => json!({"decision": "deny", "words": "not today"}),
    };
    house.answer(id(ask), body);
}

/// Compares what became of a call with its row.
fn check(house: &House, row: &Row, asks: usize, ruled: &[Value], has_run: bool, door: &str) {
    let name = row.name;
    let read = house.model.until_result(&format!("toolu_{name}"));
    assert_eq!(read.is_error, !row.runs, "{door} {name}: {read:?}");
    assert_eq!(has_run, row.runs, "{door} {name}: {read:?}");
    for part in row.reads {
        assert!(read.text.contains(part), "{door} {name}: {read:?}");
    }
    let ruled: Vec<_> = ruled.iter().filter(|event| event["call"] == format!("toolu_{name}")).collect();
    match row.ruled {
        None => assert!(ruled.is_empty(), "{door} {name}: {ruled:?}"),
        Some((rule, ruling)) => {
            assert_eq!(ruled.len(), 1, "{door} {name}: {ruled:?}");
            assert_eq!((&ruled[0]["rule"], &ruled[0]["ruling"]), (&json!(rule), &json!(ruling)), "{door} {name}");
            assert_eq!(ruled[0]["line"], line(rule), "{door} {name}: {ruled:?}");
            assert!(ruled[0]["file"].as_str().unwrap().ends_with("rules.toml"), "{door} {name}");
        }
    }
    // A rule about asks settles one without a person.
    let of_rules = usize::from(name == "eight");
    assert_eq!(asks, usize::from(row.person != Person::IsNotAsked) + of_rules, "{door} {name}");
}

fn hosted(subject: Subject, door: &str, runs_tools: bool) {
    let ruled = Ruled::open(subject, script(), &rules(), &[]);
    let house = &ruled.house;
    for row in ROWS.iter().filter(|row| runs_tools || row.on_the_double) {
        let talk = house.session(json!({"permission_mode": row.mode}));
        talk.say(&said(row));
        if row.person != Person::IsNotAsked {
            let ask = talk.open_ask();
            decide(house, &ask, row.person);
        }
        talk.until_turns(1);
        let has_run = if runs_tools { house.scratch.work().join(row.name).exists() } else { row.runs };
        check(house, row, talk.events_of("asked").len(), &talk.events_of("tool_ruled"), has_run, door);
        house.post(&format!("/v1/sessions/{}/close", talk.id), &json!({}));
    }
}

#[test]
fn an_agent_that_we_run_is_ruled_call_by_call() {
    hosted(Subject::Real, "hosted", true);
}

#[test]
fn the_test_double_is_ruled_alike() {
    hosted(Subject::Fake, "double", false);
}

#[test]
fn a_run_in_a_persons_own_shell_is_ruled_alike() {
    let ruled = Ruled::open(Subject::Real, script(), &rules(), &[]);
    let house = &ruled.house;
    furnish_for_rules(house);
    for row in &ROWS {
        let running = run(house, &said(row), row.mode);
        if row.person != Person::IsNotAsked {
            let ask = house.until("the phone to ring", || house.get("/v1/asks")["items"].as_array()?.first().cloned());
            decide(house, &ask, row.person);
        }
        let ended = running.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}: {}", row.name, String::from_utf8_lossy(&ended.stdout));
        let sessions = house.get("/v1/sessions")["items"].as_array().unwrap().clone();
        let talks: Vec<_> = sessions.iter().map(|session| house.talk(session["id"].as_str().unwrap())).collect();
        let events = |kind: &str| talks.iter().flat_map(|talk| talk.events_of(kind)).collect::<Vec<_>>();
        let call = format!("touch {}", row.name);
        let is_about = |event: &&Value| event.to_string().contains(&call);
        let asks = events("asked").iter().filter(is_about).count();
        let has_run = house.scratch.work().join(row.name).exists();
        check(house, row, asks, &events("tool_ruled"), has_run, "hook");
    }
}
