//! Runs every language's transcripts.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ask::{Ask, Context, Reach};
use askbridge_core::event::ToolRuling;
use askbridge_core::ids::Timestamp;
use askbridge_core::view::AskView;
use askbridge_peers::consult::{Advice, Consulted, OccurrenceKinds};
use askbridge_peers::dialects::native;
use askbridge_peers::doors::claude::{AlwaysAsk, Begin, Carry, Claude, Process};
use askbridge_peers::doors::hook::{self, Around, Facts, HookAction, HookEvent, Mouth, ToolCall, advice};
use askbridge_peers::doors::http::{self, AskError, Asking};
use askbridge_peers::doors::{mcp, whimmy};
use askbridge_peers::json::{AskJson, Problem};
use askbridge_peers::listing::{Greeting, LISTING, Served};
use askbridge_peers::peer::{Cx, Frame, Garbled, Outbox, Peer, Resp, Tag};
use askbridge_peers::told::Told;
use askbridge_peers::wish::{Receipt, Rejection, Wish};
use askbridge_testkit::asks::SESSION;
use askbridge_testkit::transcript::check_folder;

#[test]
fn the_native_dialect_speaks_as_its_transcripts_say() {
    let greet = native::LISTING.greet.expect("the native dialect is a machine");
    check_folder(concat!(env!("CARGO_MANIFEST_DIR"), "/src/dialects/native/transcripts"), greet);
}

/// Languages of other systems, each in a folder of its name.
#[test]
fn every_language_of_another_system_speaks_as_its_transcripts_say() {
    for listing in LISTING.iter().filter(|listing| listing.served != Served::Always) {
        let kind = if listing.name == whimmy::NAME { "doors" } else { "dialects" };
        let folder = format!("{}/src/{kind}/{}/transcripts", env!("CARGO_MANIFEST_DIR"), listing.name);
        check_folder(folder, listing.greet.expect("a dialect is a machine"));
    }
}

#[test]
fn the_claude_door_speaks_as_its_transcripts_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/doors/claude/transcripts");
    check_folder(folder, |hello| {
        let process = match hello.query {
            "resumed" => Process::Resumed,
            "adopted" => Process::Adopted,
            _ => Process::New,
        };
        let always = hello.query.strip_prefix("always=").unwrap_or_default();
        let is_recent = hello.query != "always=Old*";
        let carry = Carry { initialized: process == Process::Adopted, is_recent, ..Carry::default() };
        let interactive = hello.query != "alone";
        let hold_max = (hello.query == "holds-an-hour").then(|| Duration::from_secs(3600));
        let always = AlwaysAsk::read(always.split(',').filter(|name| !name.is_empty())).expect("these are tools");
        let consulted = match hello.query {
            "advised" => OccurrenceKinds::ALL.into_iter().collect(),
            _ => OccurrenceKinds::NONE,
        };
        let denied_wait = Duration::from_secs(60);
        let begin = Begin { session: SESSION, process, carry, interactive, hold_max, denied_wait, always, consulted };
        Greeting::Open(Box::new(Claude::new(begin)))
    });
}

#[test]
fn the_mcp_door_speaks_as_its_transcripts_say() {
    let greet = mcp::LISTING.greet.expect("the MCP door is a machine");
    check_folder(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doors/mcp/transcripts"), greet);
}

#[test]
fn the_http_door_reads_and_shows_asks_as_its_transcripts_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/doors/http/transcripts");
    check_folder(folder, |_| Greeting::Open(Box::new(HttpDoor)));
}

#[test]
fn the_hook_door_asks_and_prints_as_its_transcripts_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/doors/hook/transcripts");
    check_folder(folder, |_| Greeting::Open(Box::new(HookDoor::default())));
}

/// Stands in for the bridge's hook handler: one event, held, and what its hook prints.
#[derive(Default)]
struct HookDoor {
    held: Option<(HookEvent, ToolCall, bool, Context)>,
}

impl Peer for HookDoor {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        let Frame::Request(req) = frame else { return Ok(()) };
        let body = std::str::from_utf8(req.body).expect("a transcript is text");
        let park = req.query.contains("park").then(|| Duration::from_secs(60));
        let mouth = match park {
            _ if req.query.contains("nobody") => Mouth::Nobody,
            Some(_) => Mouth::PromptTool,
            None => Mouth::Terminal,
        };
        let version = if req.query.contains("old") { hook::Version::read("2.0.1") } else { None };
        let is_sent = req.query.contains("sent");
        let facts = Facts { away: req.query.contains("away"), mouth, park, version, is_sent, ..Facts::default() };
        let Some(heard) = hook::hear(body) else {
            printed(cx.out, None);
            return Ok(());
        };
        match hook::choose(&heard, &facts) {
            HookAction::Pass | HookAction::Note(_) => printed(cx.out, None),
            HookAction::Send(call) => printed(cx.out, advice::before(&call, &sent_by("pushes"), true)),
            HookAction::Hold { call, follows, .. } => {
                let reach = if park.is_some() { Reach::Resumable } else { Reach::Held };
                match hook::wish(&heard, &call, SESSION, &Around { mouth, ..Around::default() }, reach) {
                    Ok(wish) => {
                        self.held = Some((heard, call, follows, wish.context.clone()));
                        cx.out.wishes.push((Tag(1), Wish::Ask(Box::new(wish))));
                    }
                    Err(_) => printed(cx.out, None),
                }
            }
        }
        Ok(())
    }

    fn tell(&mut self, _: &Told<'_>, _: &mut Cx<'_>) {}

    fn reply(&mut self, _: Tag, ruling: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        let view = ruling.ok().and_then(|receipt| receipt.view);
        let output = self.held.as_ref().zip(view).and_then(|((heard, call, follows, context), view)| {
            let ask = Arc::new(Ask { context: context.clone(), ..(*view.ask).clone() });
            hook::answer(heard, call, *follows, &AskView { ask, ..*view })
        });
        printed(cx.out, output);
    }

    fn wake(&mut self, _: &mut Cx<'_>) -> Option<Timestamp> {
        None
    }
}

/// A rule sends the call to a person.
fn sent_by(rule: &str) -> Consulted {
    let words = String::new();
    let advice = Advice { rule: rule.to_owned(), place: None, ruling: ToolRuling::Ask, words };
    Consulted { ruling: Some(advice), ..Consulted::default() }
}

fn printed(out: &mut Outbox, output: Option<String>) {
    respond(out, 200, "application/json", output.unwrap_or_else(|| "{}".to_owned()));
}

/// Stands in for the typed handlers of the bridge, so that transcripts cover what they read and show.
struct HttpDoor;

impl Peer for HttpDoor {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        let Frame::Request(req) = frame else { return Ok(()) };
        let body = std::str::from_utf8(req.body).expect("a transcript is text");
        match http::ask(body, &Asking { key: req.header("idempotency-key") }) {
            Ok(wish) => cx.out.wishes.push((Tag(1), Wish::Ask(Box::new(wish)))),
            Err(error) => {
                let (status, code) = match error {
                    AskError::NotJson => (400, "not_json"),
                    _ => (422, "bad_request"),
                };
                problem(cx.out, &Problem::plain(status, code, error.to_string()));
            }
        }
        Ok(())
    }

    fn tell(&mut self, _: &Told<'_>, _: &mut Cx<'_>) {}

    fn reply(&mut self, _: Tag, ruling: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        match ruling {
            Ok(receipt) => {
                let shown = AskJson::of(&receipt.view.expect("the transcript says how the ask stands"));
                respond(cx.out, 200, "application/json", serde_json::to_string(&shown).expect("an ask has text keys"));
            }
            Err(rejection) => problem(cx.out, &Problem::of(&rejection)),
        }
    }

    fn wake(&mut self, _: &mut Cx<'_>) -> Option<Timestamp> {
        None
    }
}

fn problem(out: &mut Outbox, problem: &Problem) {
    respond(
        out,
        problem.status,
        "application/problem+json",
        serde_json::to_string(problem).expect("a problem has text keys"),
    );
}

fn respond(out: &mut Outbox, status: u16, content_type: &'static str, body: String) {
    let resp = Resp { status, content_type, headers: Vec::new(), body: body.into(), open: false };
    out.frames.push(Frame::Response(resp));
}
