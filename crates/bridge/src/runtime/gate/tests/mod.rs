//! Who may wish what, and who has which right, as tables: every wish, every role, every door and dialect, each way it
//! comes in.
//!
//! The tables are in `table.txt` and `rights.txt` beside this file; `BLESS=1 cargo test -p askbridge-bridge the_table`
//! rewrites them. Read the difference before you believe it: each `yes` in it is a right. Doors and dialects come from
//! the listing, so that a new one is in the table from its first day; a new role, wish, right or source does not compile
//! before it is in here.

mod callers;
mod house;
mod rights;
mod samples;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use askbridge_core::refusal::Refusal;
use askbridge_peers::listing::{LISTING, Listing, RouteKind};
use askbridge_peers::wish::Rejection;

use self::callers::Callers;
use self::house::{House, TargetSession, WHOSE, Whose};
use self::samples::{Sample, samples};
use super::{Entrance, Right, Source};

const HEAD: &str = "\
Who may wish what. Made by the tests of the gate; `BLESS=1` rewrites it.

Columns, by role: a token of an `agent`, a `person`, an `operator`, a `bot`; the `local` token file; a `terminal`; an
`unproven` terminal. Then: a process `below` an agent on the local socket, a client let in by `loopback` without a token,
the server `itself`.
Rows: a wish, and whose session it is about: the caller's `own`; `another`'s, addressed to everybody; a `private` one of
another's, addressed to a person who is not in the table; a `tap`, addressed to the people above; an `unknown` one. `-`: about none.

yes      granted
rules    let through by the gate, and refused by the rules for what the session is like
no       forbidden
tap      needs a tap first
404      as if it did not exist
";

/// A source of wishes, where an agent's end belongs to the session in question or to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carrier {
    Request,
    Socket,
    AgentOfThis,
    AgentOfAnother,
}

impl Carrier {
    fn name(self) -> &'static str {
        match self {
            Self::Request => "a request",
            Self::Socket => "a socket",
            Self::AgentOfThis => "the bridge's end of that session's agent",
            Self::AgentOfAnother => "the bridge's end of another session's agent",
        }
    }

    fn source(self, target: &TargetSession) -> Source {
        let source = match self {
            Self::Request => Source::Request,
            Self::Socket => Source::Socket,
            Self::AgentOfThis => Source::Agent(target.session),
            Self::AgentOfAnother => Source::Agent(target.elsewhere()),
        };
        // Does not compile until a new source is one of the carriers above.
        match source {
            Source::Request | Source::Socket | Source::Agent(_) => source,
            // Its rights are those of an agent's hook; the rules check its claim.
            Source::Host(session, _) => Source::Agent(session),
        }
    }
}

/// The ways in which wishes of a door or dialect come in.
fn carriers(listing: &Listing) -> Vec<Carrier> {
    let has = |kind| listing.routes.iter().any(|route| route.kind == kind);
    let mut carriers = Vec::new();
    if has(RouteKind::Request) || has(RouteKind::Open) {
        carriers.push(Carrier::Request);
    }
    if has(RouteKind::Socket) {
        carriers.push(Carrier::Socket);
    }
    // Without a route of its own, it is used by handlers, or by what runs or mirrors an agent.
    if listing.routes.is_empty() {
        carriers.extend([Carrier::Request, Carrier::AgentOfThis, Carrier::AgentOfAnother]);
    }
    carriers
}

#[tokio::test]
async fn the_table_of_who_may_wish_what_is_as_it_was_reviewed() {
    let house = House::open().await;
    let callers = Callers::of(&house.app).await;
    // Ways in with equal results share one table.
    let mut tables = Vec::<(String, Vec<String>)>::new();
    for listing in LISTING {
        for carrier in carriers(listing) {
            let table = table(&house, &callers, listing.name, carrier).await;
            let way = format!("{} by {}", listing.name, carrier.name());
            match tables.iter_mut().find(|(known, _)| *known == table) {
                Some((_, ways)) => ways.push(way),
                None => tables.push((table, vec![way])),
            }
        }
    }
    let mut text = HEAD.to_owned();
    for (table, ways) in tables {
        write!(text, "\n## {}\n\n{table}", ways.join("\n## ")).unwrap();
    }
    reviewed("table.txt", &text);
    house.close().await;
}

/// Compares a table with the file that was reviewed.
#[expect(clippy::disallowed_methods, reason = "a switch of these tests alone")]
fn reviewed(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/runtime/gate/tests").join(file);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let reviewed = fs::read_to_string(&path).unwrap_or_default();
    let changed: Vec<_> = text.lines().filter(|line| !reviewed.lines().any(|known| known == *line)).collect();
    assert!(
        reviewed == text,
        "what callers may do has changed; new lines:\n{}\nif that is right, rewrite {} with `BLESS=1`",
        changed.join("\n"),
        path.display()
    );
}

/// The line above a table, with the names of the callers.
fn heading(callers: &Callers) -> String {
    let mut line = format!("{:26}{:9}", "", "");
    for (name, _) in &callers.0 {
        write!(line, " {name:8}").unwrap();
    }
    format!("{}\n", line.trim_end())
}

/// Tries every wish on every session as every caller.
async fn table(house: &House, callers: &Callers, via: &'static str, carrier: Carrier) -> String {
    let mut targets = BTreeMap::new();
    let mut text = heading(callers);
    for Sample { name, make } in samples() {
        let is_about_a_session = make(&TargetSession::unknown(1)) != make(&TargetSession::unknown(2));
        let whose = if is_about_a_session { &WHOSE[..] } else { &[Whose::Own] };
        for whose in whose {
            let mut line = format!("{name:26}{:9}", if is_about_a_session { whose.name() } else { "-" });
            for (column, (_, caller)) in callers.0.iter().enumerate() {
                let key = (*whose, column);
                let target = match targets.remove(&key) {
                    Some(target) => target,
                    None => house.target(*whose, caller).await,
                };
                let entrance = Entrance { via, source: carrier.source(&target) };
                let granted = house.gate().grant(caller, entrance, make(&target)).await;
                write!(line, " {:8}", outcome(&granted)).unwrap();
                // A refused wish changed nothing, so the target serves for the next one.
                if granted.is_err() {
                    targets.insert(key, target);
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

fn outcome<T>(granted: &Result<T, Rejection>) -> &'static str {
    match granted {
        Ok(_) => "yes",
        Err(Rejection::Forbidden(_)) => "no",
        Err(Rejection::TapNeeded(_)) => "tap",
        Err(Rejection::Refused(Refusal::UnknownSession(_) | Refusal::UnknownAsk(_) | Refusal::UnknownMessage(_))) => {
            "404"
        }
        Err(Rejection::Refused(_)) => "rules",
        Err(other) => other.code(),
    }
}

#[tokio::test]
async fn what_every_round_carries_along_stays_small() {
    let house = House::open().await;
    let callers = Callers::of(&house.app).await;
    let (gate, entrance, target) = (house.gate(), Entrance::request("http"), TargetSession::unknown(1));
    let granting = gate.grant(&callers.0[0].1, entrance, (samples()[0].make)(&target));
    // Rare wishes are boxed; any of them inlined would exceed this.
    assert!(size_of_val(&granting) <= 2048, "{} bytes", size_of_val(&granting));
    drop(granting);
    house.close().await;
}

/// Finds the source files in a folder that contain one of these texts, without the tests.
fn search(folder: &Path, texts: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        if path.is_dir() {
            search(&path, texts, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            if texts.iter().any(|text| source.contains(text)) {
                found.push(path);
            }
        }
    }
}

/// Only what runs an agent's process or holds its hook may call itself that agent's end in the bridge.
#[test]
fn only_hosts_and_hooks_come_in_as_an_agent() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    search(&source, &["Entrance::agent(", "Entrance::of_host(", "Source::Agent(", "Source::Host("], &mut found);
    let rooms = ["hosts", "hooks", "runtime/gate"].map(|room| source.join(room));
    found.retain(|path| !rooms.iter().any(|room| path.starts_with(room)));
    assert_eq!(found, Vec::<PathBuf>::new());
}

/// What changes something without a wish, by the name of the function.
const WITHOUT_A_WISH: &[&str] = &[
    "handle.submit(",
    "handle.note(",
    "handle.record(",
    "handle.sit(",
    "handle.whisper(",
    "handle.stream(",
    "handle.shelve(",
    "handle.tell_own(",
    "store.put(",
    "store.delete(",
];

/// The server's files that do, each with the reason for which that is no way around the gate.
const PAST_THE_GATE: &[(&str, &str)] = &[
    ("endings.rs", "closes what a program opened that has exited, in the server's own name"),
    ("talk/connection.rs", "content and seats; asks the gate for the right to record in the session first"),
    ("taps/open.rs", "the server's own asks"),
    ("taps/table.rs", "the server's own asks"),
    ("taps/watch.rs", "the server's own asks"),
    ("v1/asks/preview.rs", "a link for a caller that may see the ask"),
    ("v1/connections.rs", "withdraws what a machine that is gone had open; tells a person's devices"),
    ("v1/devices.rs", "tells a person's devices that one of them changed"),
    ("v1/pair.rs", "tells a person's devices that one was added"),
    ("v1/tokens.rs", "tells a person's devices that one was revoked"),
];

#[test]
fn the_server_changes_something_without_a_wish_only_where_that_was_considered() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server");
    let mut found = Vec::new();
    search(&server, WITHOUT_A_WISH, &mut found);
    found.sort_unstable();
    let known: Vec<_> = PAST_THE_GATE.iter().map(|(file, _)| server.join(file)).collect();
    assert_eq!(found, known, "left: what does; right: what was considered. Make it a wish, or say why not");
}
