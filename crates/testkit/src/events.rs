//! Sample events by name, and the view of an ask after them.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::answer::{Answer, Decision, Outcome, Pick, Scope, Who};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::event::{Audience, Event, Level, Parcel, Said, Settings, Settled, Started, ToolRuling};
use askbridge_core::ids::{AskId, CallId, Epoch, MessageId, NodeId, Position, Raw, SessionId};
use askbridge_core::terms::OnExpiry;
use askbridge_core::verdict::{self, verdict};
use askbridge_core::view::AskView;
use askbridge_journal::Written;
use askbridge_peers::told::Happened;

use crate::asks::{self, NOW, SESSION};

/// How long after it was asked the events of a sample happen.
const LATER: Duration = Duration::from_secs(60);

/// Events about an ask.
pub const ABOUT_ASKS: &[&str] = &[
    "asked",
    "answered",
    "wrote",
    "noted",
    "skipped",
    "changed",
    "denied",
    "stopped",
    "dismissed",
    "dismissed_with_words",
    "expired",
    "assumed",
    "ruled",
    "withdrawn",
    "overtaken",
    "proposed",
    "undone",
    "extended",
    "voted",
    "parked",
    "stranded",
    "late",
    "handed",
    "delivered",
];

/// Events about a session.
pub const ABOUT_SESSIONS: &[&str] = &[
    "started",
    "closed",
    "continued",
    "hosted",
    "unhosted",
    "said",
    "message_delivered",
    "unsaid",
    "configured",
    "interrupted",
    "text",
    "thinking",
    "tool_called",
    "subagent_called",
    "tool_returned",
    "tool_ruled",
    "turn_ended",
    "notice",
];

/// Ada, on her phone.
pub fn ada() -> Who {
    Who { person: "ada".into(), device: "phone".to_owned(), via: "native".to_owned() }
}

pub fn bob() -> Who {
    Who { person: "bob".into(), device: "laptop".to_owned(), via: "native".to_owned() }
}

/// Wraps an event as subscribers get it, encoded as the journal encodes it. `place` is its number in the transcript.
pub fn happened(session: SessionId, event: Event, place: usize) -> Happened {
    let Written { event, json } = Written::new(event);
    let (position, cursor) = (Position(place as u64), Some(format!("c{place}").into()));
    Happened { session, at: NOW.plus(LATER), position, cursor, event, json, settled_at_once: false }
}

/// Returns the sample event with that name about `ask`.
pub fn about_ask(name: &str, ask: &Arc<Ask>) -> Option<Event> {
    let (id, at) = (ask.id, NOW.plus(LATER));
    let answer = || asks::plain_answer(ask);
    let settle = |outcome| settled(ask, outcome);
    let answered = |answer| settle(Outcome::Answered { answer, by: ada() });
    let dismissed = |words| settle(Outcome::Dismissed { words, by: ada() });
    let event = match name {
        "asked" => Event::Asked(Arc::clone(ask)),
        "answered" => answered(answer()),
        "wrote" => answered(picks(ask, |_| asks::written("MongoDB, please"))?),
        "noted" => answered(picks(ask, |_| Pick { note: Some("for now".to_owned()), ..Pick::option(0) })?),
        "skipped" => answered(picks(ask, |place| if place == 0 { Pick::option(0) } else { Pick::default() })?),
        "changed" => {
            let Body::Approval(_) = &ask.body else { return None };
            let edited = Some(Raw::from(r#"{"command":"npm test -- --quick"}"#));
            answered(Answer::Approval(Decision::Allow { scope: Scope::Once, edited }))
        }
        "denied" => answered(Answer::Approval(Decision::Deny { words: Some("not today".to_owned()), stop: false })),
        "stopped" => answered(Answer::Approval(Decision::Deny { words: Some("wrong branch".to_owned()), stop: true })),
        "dismissed" => dismissed(None),
        "dismissed_with_words" => dismissed(Some("ask me tomorrow".to_owned())),
        "expired" => settle(Outcome::Expired),
        "assumed" => {
            let Answer::Questions(picks) = answer() else { return None };
            let mut ask = (**ask).clone();
            ask.terms.on_expiry = OnExpiry::Assume(picks);
            settled(&ask, Outcome::Expired)
        }
        "ruled" => settle(Outcome::Ruled { rule: "always Postgres".to_owned(), place: None, answer: answer() }),
        "withdrawn" => Event::Withdrawn { ask: id, why: "the build was cancelled".to_owned(), at },
        "overtaken" => Event::Overtaken { ask: id, mouth: "the terminal".to_owned(), ran: None, at },
        "proposed" => Event::Proposed { ask: id, answer: answer(), by: ada(), until: at.plus(Duration::from_secs(5)) },
        "undone" => Event::Undone { ask: id, by: ada() },
        "extended" => Event::Extended { ask: id, deadline: Some(at.plus(Duration::from_secs(600))), by: ada() },
        "voted" => Event::Voted { ask: id, answer: answer(), by: bob() },
        "parked" => Event::Parked { ask: id },
        "stranded" => Event::Stranded { ask: id },
        "late" => Event::LateAnswered { ask: id, answer: answer(), by: ada(), at: at.plus(LATER) },
        "handed" => Event::Handed { parcel: Parcel::Verdict(id), attempt: 1 },
        "delivered" => Event::Delivered { parcel: Parcel::Verdict(id), proof: "acknowledged".to_owned(), at },
        _ => return None,
    };
    Some(event)
}

fn picks(ask: &Ask, pick: impl Fn(usize) -> Pick) -> Option<Answer> {
    let Body::Questions(questions) = &ask.body else { return None };
    Some(Answer::Questions((0..questions.len()).map(pick).collect()))
}

fn settled(ask: &Ask, outcome: Outcome) -> Event {
    let verdict = verdict(ask, &outcome, LATER);
    Event::Settled(Box::new(Settled { ask: ask.id, at: NOW.plus(LATER), outcome, verdict }))
}

/// Returns the sample event with that name about a session. `words` is its text, where it has one.
pub fn about_session(name: &str, words: Option<String>) -> Option<Event> {
    let at = NOW.plus(LATER);
    let text = || words.clone().unwrap_or_else(|| "Good morning".to_owned());
    let event = match name {
        "started" => Event::Started(Box::new(Started {
            at: NOW,
            door: "http".to_owned(),
            agent: "ci".to_owned(),
            owner: "tok_ci".into(),
            audience: Audience::Everyone,
            settings: Settings { title: Some("Nightly build".to_owned()), ..Settings::default() },
            continues: None,
            host: None,
        })),
        "closed" => Event::Closed { why: "done".to_owned(), at },
        "continued" => Event::Continued { to: asks::OTHER_SESSION, at },
        "hosted" => Event::Hosted { node: NodeId(1), epoch: Epoch(1), process: None },
        "unhosted" => Event::Unhosted { epoch: Epoch(1) },
        "said" => said(text(), None),
        "message_delivered" => {
            Event::Delivered { parcel: Parcel::Message(message(1)), proof: "command_lifecycle started".to_owned(), at }
        }
        "unsaid" => Event::Unsaid { message: message(1) },
        "configured" => Event::Configured(Box::new(Settings { mode: Some("plan".to_owned()), ..Settings::default() })),
        "interrupted" => Event::Interrupted { by: Some(ada()), at },
        "text" => Event::Text { block: 1, text: text() },
        "thinking" => Event::Thinking { block: 2, text: text() },
        "tool_called" => Event::ToolCalled {
            call: CallId::from("call_ls"),
            name: "Bash".to_owned(),
            input: r#"{"command":"ls"}"#.into(),
            ask: None,
            within: None,
        },
        "subagent_called" => Event::ToolCalled {
            call: CallId::from("call_grep"),
            name: "Grep".to_owned(),
            input: r#"{"pattern":"TODO"}"#.into(),
            ask: None,
            within: Some(CallId::from("call_task")),
        },
        "tool_returned" => {
            let call = words.clone().unwrap_or_else(|| "call_ls".to_owned());
            Event::ToolReturned { call: CallId::from(call), ok: true, output: "README.md".to_owned() }
        }
        "tool_ruled" => Event::ToolRuled {
            call: CallId::from("call_ls"),
            tool: "Bash".to_owned(),
            rule: "other_tools = allow".to_owned(),
            place: None,
            ruling: ToolRuling::Allow,
        },
        "turn_ended" => Event::TurnEnded { reason: "end_turn".to_owned(), usage: None },
        "notice" => Event::Notice { level: Level::Warning, text: text() },
        _ => return None,
    };
    Some(event)
}

/// A message to the agent, perhaps about an ask.
pub fn said(text: String, about: Option<AskId>) -> Event {
    let session = about.map_or(SESSION, |ask| ask.session);
    let message = MessageId { session, ..message(1) };
    Event::Said(Box::new(Said { message, at: NOW.plus(LATER), text, by: Some(ada()), about, client_id: None }))
}

/// The message that the plain answer to a stranded ask becomes.
pub fn stranded_answer(ask: &Ask) -> Event {
    let outcome = Outcome::Answered { answer: asks::plain_answer(ask), by: ada() };
    let told = verdict::verdict(ask, &outcome, Duration::ZERO);
    let text = verdict::stranded(ask, &outcome, &told).expect("an answer that was stranded has words");
    said(text, Some(ask.id))
}

pub fn message(number: u32) -> MessageId {
    MessageId { session: SESSION, number }
}

/// Returns the view of the ask after these events.
pub fn view<'e>(ask: &Arc<Ask>, events: impl IntoIterator<Item = &'e Event>) -> AskView {
    let mut view = AskView::fresh(Arc::clone(ask));
    events.into_iter().for_each(|event| view.apply(event));
    view
}
