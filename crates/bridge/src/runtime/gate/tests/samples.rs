//! One sample of every wish, or several if its needs depend on its content.

use std::time::Duration;

use askbridge_core::answer::{Decision, Scope};
use askbridge_core::ask::{Approval, Body, Context, Kind, Reach};
use askbridge_core::event::{CallResult, Level, Parcel, Settings};
use askbridge_core::ids::{CallId, Raw, SessionId};
use askbridge_core::terms::{OtherTools, Wait, Wishes};
use askbridge_core::unfit::Reply;
use askbridge_peers::doors::http;
use askbridge_peers::listing::usual_hosted_door;
use askbridge_peers::wish::{AskRef, AskWish, OutboundCall, RuleDecides, RuleReach, RuleWish, Wish};

use super::house::{ADA, TargetSession};

/// A wish about the target session.
pub(super) struct Sample {
    pub(super) name: &'static str,
    pub(super) make: fn(&TargetSession) -> Wish,
}

/// Every wish has a line. A wish without one does not compile.
macro_rules! every_wish {
    ($($pattern:pat => [$($name:literal: $make:expr),+];)+) => {
        fn has_a_line(wish: &Wish) {
            match wish {
                $($pattern => {})+
            }
        }

        pub(super) fn samples() -> Vec<Sample> {
            let samples: Vec<Sample> = vec![$($(Sample { name: $name, make: $make }),+),+];
            samples.iter().for_each(|sample| has_a_line(&(sample.make)(&TargetSession::unknown(1))));
            samples
        }
    };
}

every_wish! {
    Wish::Start { .. } => [
        "start": |_| start(http::NAME),
        "start an agent here": |_| start(usual_hosted_door())
    ];
    Wish::Configure { .. } => [
        "configure a title": |at| configure(at, title()),
        "configure a mode": |at| configure(at, mode("acceptEdits")),
        "configure terms": |at| configure(at, allowing()),
        "configure a launch": |at| configure(at, Settings { more: Some(Raw::from("{}")), ..Settings::default() }),
        "configure a folder": |at| configure(at, Settings { folder: Some("/".to_owned()), ..Settings::default() })
    ];
    Wish::ReportSettings { .. } => [
        "report a title": |at| Wish::ReportSettings { session: at.session, settings: Box::new(title()) },
        "report a mode": |at| Wish::ReportSettings { session: at.session, settings: Box::new(mode("plan")) }
    ];
    Wish::Ask(_) => [
        "ask": |_| ask(None),
        "ask in a session": |at| ask(Some(at.session))
    ];
    Wish::Note { .. } => [
        "note": |at| Wish::Note { session: at.session, level: Level::Info, text: "Built".to_owned() }
    ];
    Wish::Abandon { .. } => ["abandon": |at| Wish::Abandon { ask: AskRef::Id(at.ask), why: "gone".to_owned() }];
    Wish::Withdraw { .. } => [
        "withdraw": |at| Wish::Withdraw { ask: AskRef::Id(at.ask), why: "done".to_owned() },
        "withdraw what is open": |at| {
            Wish::Withdraw { ask: AskRef::OnlyOpen(at.session, Kind::Approval), why: "done".to_owned() }
        }
    ];
    Wish::Overtake { .. } => [
        "overtake": |at| Wish::Overtake { ask: AskRef::Id(at.ask), mouth: "the terminal".to_owned(), ran: None }
    ];
    Wish::Park { .. } => ["park": |at| Wish::Park { ask: AskRef::Id(at.ask) }];
    Wish::Strand { .. } => ["strand": |at| Wish::Strand { ask: AskRef::Id(at.ask) }];
    Wish::Hand { .. } => ["hand": |at| Wish::Hand { parcel: Parcel::Message(at.message) }];
    Wish::Deliver { .. } => ["deliver": |at| Wish::Deliver { parcel: Parcel::Message(at.message), proof: "it".to_owned() }];
    Wish::Took { .. } => ["took": |at| Wish::Took { parcel: Parcel::Message(at.message), proof: "it".to_owned() }];
    Wish::Return { .. } => ["return": |at| {
        let result = CallResult { call: CallId::from("c"), ok: true, output: "ok".to_owned() };
        Wish::Return { ask: at.ask, result: Box::new(result) }
    }];
    Wish::Answer { .. } => [
        "answer": |at| Wish::Answer { ask: AskRef::Id(at.ask), reply: allow(), undo: Duration::ZERO },
        "answer what is open": |at| {
            Wish::Answer { ask: AskRef::OnlyOpen(at.session, Kind::Approval), reply: allow(), undo: Duration::ZERO }
        }
    ];
    Wish::Dismiss { .. } => ["dismiss": |at| Wish::Dismiss { ask: AskRef::Id(at.ask), words: None }];
    Wish::Undo { .. } => ["undo": |at| Wish::Undo { ask: AskRef::Id(at.ask) }];
    Wish::Extend { .. } => [
        "extend": |at| Wish::Extend { ask: AskRef::Id(at.ask), wait: Wait::For(Duration::from_secs(60)) }
    ];
    Wish::Draft { .. } => ["draft": |at| Wish::Draft { ask: AskRef::Id(at.ask), draft: Raw::from("{}") }];
    Wish::Snooze { .. } => [
        "snooze": |at| Wish::Snooze { ask: AskRef::Id(at.ask), time: Some(Duration::from_secs(60)) },
        "show again": |at| Wish::Snooze { ask: AskRef::Id(at.ask), time: None }
    ];
    Wish::Remember { .. } => ["remember": |at| Wish::Remember { ask: AskRef::Id(at.ask), rule: Box::new(everywhere()) }];
    Wish::Revoke { .. } => ["revoke": |_| Wish::Revoke { rule: "unknown".to_owned() }];
    Wish::Say { .. } => ["say": |at| Wish::Say { session: at.session, text: "Stop".to_owned(), about: None, client_id: None }];
    Wish::Unsay { .. } => ["unsay": |at| Wish::Unsay { message: at.message }];
    Wish::Interrupt { .. } => ["interrupt": |at| Wish::Interrupt { session: at.session }];
    Wish::Close { .. } => ["close": |at| Wish::Close { session: at.session, why: None }];
    Wish::Forget { .. } => ["forget": |at| Wish::Forget { session: at.session }];
    Wish::Keep { .. } => [
        "keep for people": |_| Wish::Keep { name: "people/x".to_owned(), thing: Some(Raw::from("1")) },
        "keep for agents": |_| Wish::Keep { name: "agent/x".to_owned(), thing: Some(Raw::from("1")) }
    ];
    Wish::Look { .. } => [
        "look at nothing": |_| Wish::Look { session: None, screen: None, loaded_to: None },
        "look": |at| Wish::Look { session: Some(at.session), screen: None, loaded_to: None }
    ];
    Wish::Call(_) => ["call": |_| call()];
}

fn everywhere() -> RuleWish {
    RuleWish { decides: RuleDecides::Allow, reach: RuleReach::Everywhere, until: None, shown: None }
}

fn start(door: &'static str) -> Wish {
    Wish::Start { session: None, door, agent: None, settings: Box::default(), host: None }
}

fn configure(at: &TargetSession, settings: Settings) -> Wish {
    Wish::Configure { session: at.session, settings: Box::new(settings) }
}

fn title() -> Settings {
    Settings { title: Some("Nightly".to_owned()), ..Settings::default() }
}

fn mode(mode: &str) -> Settings {
    Settings { mode: Some(mode.to_owned()), ..Settings::default() }
}

fn allowing() -> Settings {
    let wishes = Wishes { other_tools: Some(OtherTools::Allow), ..Wishes::default() };
    Settings { wishes, ..Settings::default() }
}

fn allow() -> Reply {
    Reply::Approval(Decision::Allow { scope: Scope::Once, edited: None })
}

fn call() -> Wish {
    let (url, reader) = ("https://push.example/x".to_owned(), ADA.to_owned());
    Wish::Call(Box::new(OutboundCall { url, body: Raw::from("{}"), reader }))
}

fn ask(session: Option<SessionId>) -> Wish {
    let approval = Approval {
        tool: "Bash".to_owned(),
        input: Raw::from(r#"{"command":"make test"}"#),
        summary: None,
        reason: None,
        rules: Vec::new(),
        overrule: false,
    };
    Wish::Ask(Box::new(AskWish {
        door: http::NAME,
        session,
        agent: None,
        body: Body::Approval(approval),
        wishes: Wishes::default(),
        reach: Reach::Pull,
        call: None,
        made: None,
        context: Context::default(),
        key: None,
        original: None,
    }))
}
