//! Turns events into frames.

use std::sync::Arc;

use askbridge_core::answer::{Answer, Decision, Outcome, Review};
use askbridge_core::ask::{Ask, Kind};
use askbridge_core::event::{Event, Lane, Level, Parcel};
use askbridge_core::ids::{AskId, CallId, Raw, SessionId};
use askbridge_core::refusal::Refusal;
use serde_json::{Value, json};

use super::cards::{self, GobbyCard};
use super::peer::{Chat, Gobby, Open};
use super::streams::Piece;
use super::wire::{End, GobbyEvent};
use super::{modes, names, quirks};
use crate::listing::hosted_door;
use crate::peer::{BlockKind, Outbox};
use crate::slot::Ending;
use crate::told::Happened;
use crate::uuid;
use crate::wish::Rejection;

/// Ended asks that one page remembers, because they may still be answered late. Beyond: the oldest is forgotten.
const OVER_MAX: usize = 64;

pub(super) fn send(said: &GobbyEvent<'_>, out: &mut Outbox) {
    out.text(said.to_json());
}

pub(super) fn error(message: &str, out: &mut Outbox) {
    send(&GobbyEvent::Error { code: "ERROR", message, request_id: None }, out);
}

/// A tool call in its current state.
struct Tool<'a> {
    call: &'a str,
    name: &'a str,
    status: &'static str,
    arguments: &'a Value,
    result: &'a Value,
    error: Option<&'a str>,
}

impl Gobby {
    fn tool(&mut self, session: SessionId, tool: &Tool<'_>, out: &mut Outbox) {
        let requests = self.requests(session);
        if requests.is_empty() {
            return;
        }
        let message = names::message_of_call(session, quirks::first_shown(tool.call));
        let conversation = self.name_of(session);
        for request in requests {
            let said = GobbyEvent::ToolStatus {
                message_id: &message,
                conversation_id: &conversation,
                request_id: request.as_deref(),
                tool_call_id: tool.call,
                status: tool.status,
                tool_name: tool.name,
                server_name: names::server_of(tool.name),
                arguments: tool.arguments,
                result: tool.result,
                error: tool.error,
            };
            self.draw_in(session, &said, out);
        }
        self.chats.entry(session).or_default().last_message = Some(message);
    }

    pub(super) fn stream(
        &mut self,
        session: SessionId,
        message: &str,
        content: &str,
        end: Option<&End>,
        out: &mut Outbox,
    ) {
        let requests = self.requests(session);
        if requests.is_empty() {
            return;
        }
        let conversation = self.name_of(session);
        for request in requests {
            let said = GobbyEvent::ChatStream {
                message_id: message,
                conversation_id: &conversation,
                request_id: request.as_deref(),
                content,
                done: end.is_some(),
                end: end.cloned(),
            };
            self.draw_in(session, &said, out);
        }
        self.chats.entry(session).or_default().last_message = Some(message.to_owned());
    }

    /// Draws an ask that was made, or was open when this page connected.
    pub(super) fn asked(&mut self, ask: &Arc<Ask>, out: &mut Outbox) {
        self.open.insert(ask.id, Open { ask: Arc::clone(ask), times: 0 });
        if has_a_card(ask) {
            self.asked_calls.extend(ask.call.clone().map(|call| (ask.id.session, call)));
        }
        self.draw(ask, 0, out);
    }

    pub(super) fn draw(&mut self, ask: &Ask, times: u32, out: &mut Outbox) {
        let session = ask.id.session;
        // A plan opens a panel whatever the page shows; everything else is drawn only where the page accepts it.
        if ask.body.kind() != Kind::Plan && self.requests(session).is_empty() {
            return;
        }
        let call = quirks::shown_again(&names::call_of(ask), times);
        match cards::draw(ask) {
            GobbyCard::Question(arguments) => {
                let (name, status, result) = (quirks::QUESTION_TOOL, "calling", &Value::Null);
                let tool = Tool { call: &call, name, status, arguments: &arguments, result, error: None };
                self.tool(session, &tool, out);
            }
            // A page would draw an approval of any conversation, so it gets only those of the one it shows.
            GobbyCard::Approval(..) if self.current != Some(session) => {}
            GobbyCard::Approval(name, arguments) => {
                let (status, result) = ("pending_approval", &Value::Null);
                let tool = Tool { call: &call, name: &name, status, arguments: &arguments, result, error: None };
                self.tool(session, &tool, out);
            }
            GobbyCard::Plan(plan) => {
                let conversation_id = &self.name_of(session);
                let said = GobbyEvent::PlanPendingApproval {
                    conversation_id,
                    plan_content: &plan,
                    allowed_prompts: Vec::new(),
                };
                send(&said, out);
            }
            GobbyCard::Not(why) => error(&why, out),
        }
    }

    /// An answer was refused. The card that sent it stays closed, so another one is shown.
    pub(super) fn refused(&mut self, ask: AskId, why: &Rejection, out: &mut Outbox) {
        // Another answer was first: that event has marked the card.
        let is_over = matches!(why, Rejection::Refused(Refusal::Conflict { .. } | Refusal::Gone { .. }));
        if !is_over || self.open.contains_key(&ask) {
            error(&why.in_words(), out);
        }
        self.show_again(ask, out);
    }

    pub(super) fn show_again(&mut self, ask: AskId, out: &mut Outbox) {
        let Some(open) = self.open.get_mut(&ask) else { return };
        let (ask, before) = (Arc::clone(&open.ask), open.times);
        if cards::is_asked_in_questions(&ask) {
            open.times += 1;
            let call = quirks::shown_again(&names::call_of(&ask), before);
            self.mark(&ask, &call, "completed", &Value::Null, None, out);
            self.draw(&ask, before + 1, out);
        } else {
            self.draw(&ask, before, out);
        }
    }

    fn mark(
        &mut self,
        ask: &Ask,
        call: &str,
        status: &'static str,
        result: &Value,
        error: Option<&str>,
        out: &mut Outbox,
    ) {
        let arguments = match cards::draw(ask) {
            GobbyCard::Question(arguments) | GobbyCard::Approval(_, arguments) => arguments,
            GobbyCard::Plan(_) | GobbyCard::Not(_) => Value::Null,
        };
        let tool = Tool { call, name: cards::tool_of(ask), status, arguments: &arguments, result, error };
        self.tool(ask.id.session, &tool, out);
    }

    /// Marks the card of an ended ask.
    fn over(&mut self, ask: AskId, ending: &Ending, outcome: Option<&Outcome>, out: &mut Outbox) {
        let Some(Open { ask, times }) = self.open.remove(&ask) else { return };
        self.over.push_back(Arc::clone(&ask));
        if self.over.len() > OVER_MAX {
            self.over.pop_front();
        }
        if ask.body.kind() != Kind::Plan && self.requests(ask.id.session).is_empty() {
            return;
        }
        let call = quirks::shown_again(&names::call_of(&ask), times);
        match ask.body.kind() {
            Kind::Plan => self.close_plan(&ask, outcome, out),
            Kind::Approval => match outcome {
                Some(Outcome::Answered { answer: Answer::Approval(Decision::Allow { .. }), .. }) => {
                    self.mark(&ask, &call, "calling", &Value::Null, None, out);
                }
                _ => {
                    let words = match ending {
                        Ending::Answered { by } => format!("Rejected by {by}"),
                        ending => ending.in_words(),
                    };
                    self.mark(&ask, &call, "error", &Value::Null, Some(&words), out);
                }
            },
            _ => {
                let result = outcome.map(|outcome| cards::result(&ask, outcome)).unwrap_or_default();
                let words = (!result.is_object()).then(|| ending.in_words());
                self.mark(&ask, &call, "completed", &result, words.as_deref(), out);
            }
        }
    }

    fn close_plan(&mut self, ask: &Ask, outcome: Option<&Outcome>, out: &mut Outbox) {
        let (mode, reason) = match outcome {
            Some(Outcome::Answered { answer: Answer::Plan(Review::Approve { .. }), .. }) => {
                ("accept_edits", quirks::CLOSES_PLAN)
            }
            Some(Outcome::Answered { .. }) => ("plan", "plan_changes_requested"),
            _ => ("plan", quirks::CLOSES_PLAN),
        };
        send(&GobbyEvent::ModeChanged { conversation_id: &self.name_of(ask.id.session), mode, reason }, out);
    }

    /// A message could not be sent.
    pub(super) fn not_said(&mut self, session: SessionId, why: &str, out: &mut Outbox) {
        let conversation = self.name_of(session);
        for request in self.requests(session) {
            let said = GobbyEvent::ChatError {
                message_id: None,
                conversation_id: &conversation,
                request_id: request.as_deref(),
                error: why,
            };
            self.draw_in(session, &said, out);
        }
    }

    pub(super) fn happened(&mut self, happened: &Happened, out: &mut Outbox) {
        let session = happened.session;
        if let Event::Continued { to, .. } = &*happened.event {
            return self.moves(session, *to, out);
        }
        // A page is told of every session that its person may see. Of one without conversation it only needs the asks.
        if !self.chats.contains_key(&session) && !is_talk(&happened.event) {
            return self.happened_to_an_ask(&happened.event, out);
        }
        let chat = self.chats.entry(session).or_default();
        chat.turn.hear(&happened.event);
        match &*happened.event {
            Event::Interrupted { .. } => chat.is_interrupted = true,
            Event::Text { block, text } => {
                let piece = Piece { session, block: *block, kind: BlockKind::Text };
                self.is_whole(piece, text, happened, out);
            }
            Event::Thinking { block, text } => {
                let piece = Piece { session, block: *block, kind: BlockKind::Thinking };
                self.is_whole(piece, text, happened, out);
            }
            Event::ToolCalled { call, name, input, ask: None, .. } => {
                chat.tool_calls += 1;
                self.called(session, call, name, input, out);
            }
            Event::ToolReturned { call, ok, output } => self.returned(session, call, *ok, output, out),
            Event::TurnEnded { usage, .. } => {
                self.ended(happened, usage.as_ref(), out);
                self.forget_strangers(session);
            }
            Event::Notice { level: Level::Error, text } => self.not_said(session, text, out),
            Event::Configured(settings) => {
                if let Some(mode) = &settings.mode {
                    let mode = modes::name(mode, settings.wishes.other_tools);
                    let conversation_id = &self.name_of(session);
                    send(&GobbyEvent::ModeChanged { conversation_id, mode, reason: "agent_requested" }, out);
                }
            }
            Event::Closed { .. } => drop(self.chats.remove(&session)),
            event => self.happened_to_an_ask(event, out),
        }
    }

    /// Forgets a conversation that the page has nothing to do with when its turn is over.
    fn forget_strangers(&mut self, session: SessionId) {
        let is_known = |chat: &Chat| {
            chat.name.is_some() || chat.own_request.is_some() || chat.known_request.is_some() || chat.turn.is_running()
        };
        if self.current != Some(session) && !self.chats.get(&session).is_some_and(is_known) {
            self.chats.remove(&session);
        }
    }

    fn happened_to_an_ask(&mut self, event: &Event, out: &mut Outbox) {
        if let Event::Asked(ask) = event {
            return self.asked(ask, out);
        }
        if let Some((ask, ending)) = Ending::of(event) {
            let outcome = match event {
                Event::Settled(settled) => Some(&settled.outcome),
                _ => None,
            };
            self.over(ask, &ending, outcome, out);
        }
    }

    fn called(&mut self, session: SessionId, call: &CallId, name: &str, input: &Raw, out: &mut Outbox) {
        // Its approval is drawn already, and waits.
        if self.open.values().any(|open| open.ask.id.session == session && open.ask.call.as_ref() == Some(call)) {
            return;
        }
        let arguments: Value = serde_json::from_str(input.as_str()).unwrap_or_default();
        let (status, result) = ("calling", &Value::Null);
        let tool = Tool { call: call.as_str(), name, status, arguments: &arguments, result, error: None };
        self.tool(session, &tool, out);
    }

    /// Questions and plans were marked when they were settled; the result of their call adds nothing.
    fn returned(&mut self, session: SessionId, call: &CallId, ok: bool, output: &str, out: &mut Outbox) {
        if self.asked_calls.remove(&(session, call.clone())) {
            return;
        }
        let result = json!({"kind": "text", "content": output});
        let (status, result, error) = match ok {
            true => ("completed", &result, None),
            false => ("error", &Value::Null, Some(output)),
        };
        let tool = Tool { call: call.as_str(), name: "", status, arguments: &Value::Null, result, error };
        self.tool(session, &tool, out);
    }

    fn ended(&mut self, happened: &Happened, usage: Option<&Raw>, out: &mut Outbox) {
        let session = happened.session;
        let chat = self.chats.entry(session).or_default();
        let spent: Value = usage.and_then(|usage| serde_json::from_str(usage.as_str()).ok()).unwrap_or_default();
        let end = End {
            tool_calls_count: std::mem::take(&mut chat.tool_calls),
            interrupted: std::mem::take(&mut chat.is_interrupted),
            sdk_session_id: uuid::of_session(session),
            usage: spent.get("usage").cloned(),
            context_window: None,
        };
        let message = chat.last_message.clone();
        let message = message.unwrap_or_else(|| names::message_at(session, happened.position));
        self.stream(session, &message, "", Some(&end), out);
    }
}

/// Whether this event belongs to the conversation itself: content, messages, settings, interrupts.
fn is_talk(event: &Event) -> bool {
    match event {
        Event::Said(_) | Event::Delivered { parcel: Parcel::Message(_), .. } => true,
        Event::Configured(_) | Event::Interrupted { .. } => true,
        event => event.lane() == Lane::Content,
    }
}

/// Whether this call has a card of its own, by which a person was asked.
fn has_a_card(ask: &Ask) -> bool {
    hosted_door(&ask.asker.door).is_some() && ask.body.kind() != Kind::Approval
}
