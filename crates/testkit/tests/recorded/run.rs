//! Plays a conversation between Claude Code and our machine with the real rules, and records it.

use std::time::Duration;

use askbridge_core::event::{Audience, Event, Lane, Parcel};
use askbridge_core::ids::Timestamp;
use askbridge_core::intent::{Intent, NewAsk, Start};
use askbridge_core::session::{FoundAsk, Session, evolve};
use askbridge_core::terms::{Terms, Warm};
use askbridge_core::view::{AskView, SessionView};
use askbridge_core::{ask::Asker, decide};
use askbridge_journal::Written;
use askbridge_peers::consult::OccurrenceKinds;
use askbridge_peers::doors::claude::{AlwaysAsk, Begin, Carry, Claude, Process, session_uuid};
use askbridge_peers::peer::{Cx, Frame, Ids, Outbox, Peer, Tag};
use askbridge_peers::told::Told;
use askbridge_peers::wish::{AskRef, AskWish, Query, Receipt, Wish};
use askbridge_scripted::claude::{Host, Launch, ScratchHome, Subject};
use askbridge_scripted::model::Model;
use askbridge_testkit::asks::{self, NOW, SESSION};
use askbridge_testkit::events;
use serde_json::{Value, json};

use crate::person::Person;
use crate::scenes::Scene;

/// Longer than a process is kept.
const LATER: Duration = Duration::from_secs(3600);
/// Separates two processes in a recording.
const NEXT: &str = r#"{"recording":"the next process"}"#;
/// The first version whose processes wait for our hooks when they are resumed.
const AWAITS: &str = "2.1.325";

struct Counted(u128);

impl Ids for Counted {
    fn fresh(&mut self) -> u128 {
        self.0 += 1;
        self.0
    }
}

struct RecordedRun {
    claude: Claude,
    session: Session,
    person: Person,
    now: Timestamp,
    ids: Counted,
    out: Outbox,
    /// Lines for Claude Code that are not written yet.
    lines: Vec<String>,
    /// Request ids of the hooks after calls, which report the input that ran.
    ran: Vec<String>,
    meaning: String,
}

/// Plays a recording to the machine. Returns what the machine did.
pub(crate) fn replay<'a>(scene: &Scene, version: &str, lines: impl Iterator<Item = &'a str>) -> String {
    let mut run = RecordedRun::open(scene, version);
    for line in lines {
        if line == NEXT {
            run.next_process(scene, version);
        } else {
            run.hear(line);
        }
        run.lines.clear();
    }
    run.meaning
}

/// Holds the conversation with the real program. Returns what it wrote, and what the machine did.
pub(crate) fn live(scene: &Scene, version: &str) -> (Vec<String>, String) {
    let (scratch, model) = (ScratchHome::new(), Model::start((scene.script)()));
    let mut run = RecordedRun::open(scene, version);
    let mut recorded = Vec::new();
    let mut host = start(scene, &scratch, &model, &[format!("--session-id={}", session_uuid(SESSION))]);
    run.until_the_end(&mut host, &scratch, &mut recorded);
    if scene.resumes {
        scratch.until_written(&session_uuid(SESSION), "hook_deferred_tool");
        drop(host);
        recorded.push(NEXT.to_owned());
        run.next_process(scene, version);
        let mut args = vec![format!("--resume={}", session_uuid(SESSION))];
        args.extend((version >= AWAITS).then(|| "--await-initialize".to_owned()));
        let mut host = start(scene, &scratch, &model, &args);
        run.until_the_end(&mut host, &scratch, &mut recorded);
    }
    (recorded, run.meaning)
}

fn start(scene: &Scene, scratch: &ScratchHome, model: &Model, more: &[String]) -> Host {
    let ours = json!({"mcpServers": {"askbridge": {"type": "sdk", "name": "askbridge"}}});
    let mut launch = Launch::new(Subject::Real, scratch, model).arg("--include-partial-messages");
    launch = launch.arg(format!("--mcp-config={ours}"));
    for arg in scene.args.iter().map(|arg| (*arg).to_owned()).chain(more.iter().cloned()) {
        launch = launch.arg(arg);
    }
    launch.start()
}

fn machine(scene: &Scene, version: &str, process: Process) -> Claude {
    let carry = Carry { is_recent: version >= AWAITS, ..Carry::default() };
    let always = AlwaysAsk::read(scene.always.iter().copied()).unwrap();
    let consulted = OccurrenceKinds::NONE;
    let denied_wait = Duration::from_secs(60);
    Claude::new(Begin {
        session: SESSION,
        process,
        carry,
        interactive: true,
        hold_max: None,
        denied_wait,
        always,
        consulted,
    })
}

impl RecordedRun {
    fn open(scene: &Scene, version: &str) -> Self {
        let mut run = Self {
            claude: machine(scene, version, Process::New),
            session: Session::new(SESSION),
            person: scene.person,
            now: NOW,
            ids: Counted(0),
            out: Outbox::default(),
            lines: Vec::new(),
            ran: Vec::new(),
            meaning: String::new(),
        };
        let start = Start {
            door: "claude".to_owned(),
            agent: "claude".to_owned(),
            owner: "tok_ada".into(),
            audience: Audience::Everyone,
            settings: askbridge_core::event::Settings { title: Some("A recording".to_owned()), ..Default::default() },
            continues: None,
            host: None,
        };
        run.submit(Intent::Start(Box::new(start)));
        run.act(|claude, cx| {
            claude.wake(cx);
        });
        run.submit(Intent::Say { text: "hi".to_owned(), by: None, about: None, client_id: None });
        run
    }

    /// The person answers at last, and the answer starts another process.
    fn next_process(&mut self, scene: &Scene, version: &str) {
        self.meaning.push_str("-- the process is gone; the person comes, and there is another one\n");
        self.claude = machine(scene, version, Process::Resumed);
        self.person = Person::Agrees;
        let open: Vec<_> = self.session.open().map(|live| live.ask.clone()).collect();
        for ask in open {
            self.submit(self.person.decides(&ask).unwrap());
        }
        self.act(|claude, cx| {
            claude.wake(cx);
        });
    }

    /// Talks to a process until its turn has ended.
    fn until_the_end(&mut self, host: &mut Host, scratch: &ScratchHome, recorded: &mut Vec<String>) {
        loop {
            for line in std::mem::take(&mut self.lines) {
                host.send_line(&line);
            }
            let frame = host.until("anything", |_| true);
            let line = scrubbed(frame.clone(), &scratch.home().to_string_lossy());
            recorded.push(line.clone());
            self.hear(&line);
            if frame["type"] == "result" {
                return;
            }
        }
    }

    fn hear(&mut self, line: &str) {
        let frame: Value = serde_json::from_str(line).unwrap_or_default();
        if frame["request"]["callback_id"] == "askbridge-ran" {
            self.ran.extend(frame["request_id"].as_str().map(str::to_owned));
        }
        self.act(|claude, cx| claude.hear(Frame::Text(line.into()), cx).unwrap());
        let waits = self.person == Person::Waits && self.session.open().next().is_some();
        if waits && self.now == NOW {
            self.now = NOW.plus(LATER);
        }
        if waits {
            self.act(|claude, cx| {
                claude.wake(cx);
            });
        }
    }

    /// Lets the machine act, then carries out its outputs.
    fn act(&mut self, act: impl FnOnce(&mut Claude, &mut Cx<'_>)) {
        act(&mut self.claude, &mut Cx { now: self.now, ids: &mut self.ids, out: &mut self.out });
        self.do_what_is_wanted();
    }

    fn do_what_is_wanted(&mut self) {
        let out = std::mem::take(&mut self.out);
        for record in out.records {
            self.write_down("+", &Written::new(without_chance(record.event)).json);
        }
        for frame in out.frames {
            let Frame::Text(line) = frame else { continue };
            if let Some(spoken) = spoken(&line).filter(|_| !self.says_nothing_about_what_ran(&line)) {
                self.write_down(">", &spoken);
            }
            self.lines.push(line.into_owned());
        }
        for (tag, wish) in out.wishes {
            self.grant(tag, wish);
        }
        for (tag, query) in out.queries {
            let receipt = self.look(&query);
            self.act(|claude, cx| claude.reply(tag, Ok(receipt), cx));
        }
    }

    /// Is this an empty response to a hook after a call? Recordings from before we had such hooks lack them.
    fn says_nothing_about_what_ran(&self, line: &str) -> bool {
        let frame: Value = serde_json::from_str(line).unwrap();
        let to = &frame["response"]["request_id"];
        frame["response"]["response"] == json!({}) && self.ran.iter().any(|ran| to == ran)
    }

    fn write_down(&mut self, mark: &str, what: &str) {
        self.meaning.push_str(&format!("{mark} {what}\n"));
    }

    fn look(&self, query: &Query) -> Receipt {
        match query {
            Query::Session(_) => {
                let view = SessionView::of(&self.session, self.now).unwrap();
                Receipt { session_view: Some(Box::new(view)), ..Receipt::default() }
            }
            Query::Ask(ask) => match self.session.find(*ask) {
                Some(FoundAsk::Live(live)) => {
                    let view = Some(Box::new(AskView::of(live)));
                    Receipt { ask: Some(*ask), view, ..Receipt::default() }
                }
                _ => Receipt { ask: Some(*ask), ..Receipt::default() },
            },
            other => unreachable!("this door does not look for {other:?}"),
        }
    }

    fn grant(&mut self, tag: Tag, wish: Wish) {
        let id = |ask: &AskRef| match ask {
            AskRef::Id(ask) => *ask,
            other => unreachable!("this door names asks by their ids, not {other:?}"),
        };
        let key = match &wish {
            Wish::Ask(wish) => wish.key.clone(),
            _ => None,
        };
        self.write_down("?", &wished(&wish));
        let intent = match wish {
            Wish::Ask(wish) => Intent::Ask(Box::new(asked(*wish))),
            Wish::Withdraw { ask, why } => Intent::Withdraw { ask: id(&ask), why },
            Wish::Overtake { ask, mouth, ran } => Intent::Overtake { ask: id(&ask), mouth, ran },
            Wish::Park { ask } => Intent::Park { ask: id(&ask) },
            Wish::Strand { ask } => Intent::Strand { ask: id(&ask) },
            Wish::Hand { parcel } => Intent::Hand { parcel },
            Wish::Deliver { parcel, proof } => Intent::Deliver { parcel, proof },
            Wish::Return { ask, result } => Intent::Return { ask, result },
            Wish::ReportSettings { settings, .. } => Intent::Configure(settings),
            other => unreachable!("this door does not wish {other:?}"),
        };
        let news = self.submit(intent);
        let number = key.and_then(|key| self.session.asked_with(&key));
        let receipt = Receipt { ask: number.map(|number| self.session.ask_id(number)), news, ..Receipt::default() };
        self.act(|claude, cx| claude.reply(tag, Ok(receipt), cx));
    }

    /// Decides, folds and tells; then the person may react.
    fn submit(&mut self, intent: Intent) -> bool {
        let happened = decide(&self.session, intent, self.now).unwrap_or_default();
        for event in &happened {
            evolve(&mut self.session, event);
            // Content is shown alike, whether it is stored with a decision or on its own.
            if event.lane() == Lane::Content {
                self.write_down("+", &Written::new(without_chance(event.clone())).json);
            }
        }
        for event in &happened {
            let told = events::happened(SESSION, event.clone(), 1);
            self.act(|claude, cx| claude.tell(&Told::Event(&told), cx));
        }
        for event in &happened {
            if let Event::Asked(ask) = event
                && let Some(intent) = self.person.decides(ask)
            {
                self.submit(intent);
            }
        }
        !happened.is_empty()
    }
}

fn asked(wish: AskWish) -> NewAsk {
    NewAsk {
        terms: Terms { warm: Warm::For(Duration::from_secs(600)), ..asks::terms() },
        asker: Asker { door: "claude".to_owned(), agent: "claude".to_owned(), party: "tok_ada".into(), machine: None },
        body: wish.body,
        reach: wish.reach,
        call: wish.call,
        made: wish.made,
        context: wish.context,
        key: wish.key,
        stated: None,
        original: wish.original,
        ruling: None,
    }
}

fn wished(wish: &Wish) -> String {
    match wish {
        Wish::Ask(ask) => {
            let call = ask.call.as_ref().map_or("", |call| call.as_str());
            // Some calls have no id of their own, and get a random one.
            let call = if call.starts_with("toolu_") { call } else { "(unnamed)" };
            format!("ask {:?} {:?} for {call}: {}", ask.body.kind(), ask.reach, ask.body.headline())
        }
        Wish::ReportSettings { settings, .. } => format!("configure mode {:?}", settings.mode),
        // The proof that a message was delivered differs from release to release.
        Wish::Deliver { parcel: Parcel::Message(message), .. } => format!("deliver {message}"),
        // The content that is stored with it is shown when it is stored.
        Wish::Return { ask, result } => {
            let proof = format!("tool_result {}", result.call);
            format!("{:?}", Wish::Deliver { parcel: Parcel::Verdict(*ask), proof })
        }
        other => format!("{other:?}"),
    }
}

/// Our frame without request ids, which Claude Code makes at random. Introductions of our MCP tool are left out,
/// because Claude Code requests them at any time.
fn spoken(line: &str) -> Option<String> {
    let mut frame: Value = serde_json::from_str(line).unwrap();
    let mcp = &frame["response"]["response"]["mcp_response"];
    let introduces = mcp.is_object() && mcp["result"]["content"].is_null();
    // What a process is told first depends on its version.
    if introduces || frame["request"]["subtype"] == "initialize" {
        return None;
    }
    let response = &mut frame["response"];
    if response.is_object() {
        response["request_id"] = json!("…");
    } else {
        frame.as_object_mut().unwrap().remove("response");
    }
    Some(frame.to_string())
}

/// An event without times, costs and random names.
fn without_chance(event: Event) -> Event {
    match event {
        Event::ToolReturned { call, ok, output } if output.contains("agentId") || output.contains("[Subagent") => {
            Event::ToolReturned { call, ok, output: "(what a subagent reports)".to_owned() }
        }
        Event::TurnEnded { reason, .. } => Event::TurnEnded { reason, usage: None },
        other => other,
    }
}

/// A frame without what is specific to this machine, and without long lists that do not matter here.
fn scrubbed(mut frame: Value, home: &str) -> String {
    let keep = |value: &mut Value, names: &[&str]| {
        if let Some(fields) = value.as_object_mut() {
            fields.retain(|name, _| names.contains(&name.as_str()));
        }
    };
    match (frame["type"].as_str(), frame["subtype"].as_str()) {
        (Some("system"), Some("init")) => {
            keep(&mut frame, &["type", "subtype", "uuid", "session_id", "permissionMode", "claude_code_version"]);
        }
        (Some("control_response"), _) => {
            let names =
                ["claude_code_version", "current_permission_mode", "session_state", "capabilities", "still_queued"];
            keep(&mut frame["response"]["response"], &names);
        }
        _ => {}
    }
    frame.to_string().replace(home, "/room")
}
