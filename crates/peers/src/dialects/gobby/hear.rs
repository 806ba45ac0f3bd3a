//! Turns a page's frames into wishes.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::answer::{Decision, Review, Scope};
use askbridge_core::ask::{Ask, Body, Kind};
use askbridge_core::event::Settings;
use askbridge_core::forget::Unfinished;
use askbridge_core::ids::{AskId, Raw, SessionId};
use askbridge_core::refusal::Refusal;
use askbridge_core::unfit::{QuestionKey, QuestionReply, Reply, Value as Chosen};
use askbridge_core::view::SessionView;
use serde_json::{Map, Value};

use super::peer::{ChatMessage, Gobby, PendingReply};
use super::starting::{self, Beginning};
use super::wire::{GobbyEvent, GobbyFrame};
use super::{cards, history, modes, quirks, tell};
use crate::peer::{Cx, Outbox};
use crate::uuid;
use crate::wish::{AskRef, Query, Rejection, Wish};

/// Prefix of the names under which the ids of the last messages are kept, for pages that reconnect.
pub(super) const REQUESTS: &str = "request/";

impl Gobby {
    pub(super) fn heard(&mut self, text: &str, cx: &mut Cx<'_>) {
        let heard: GobbyFrame = match serde_json::from_str(text) {
            Ok(heard) => heard,
            Err(error) if error.is_data() => return tell::error("Message type is required", cx.out),
            Err(_) => return tell::error("Invalid JSON format", cx.out),
        };
        let out = &mut *cx.out;
        match heard.kind.as_str() {
            "chat_message" => self.chat(&heard, out),
            "ask_user_response" => self.answered(&heard, out),
            "tool_approval_response" => self.ruled(&heard, out),
            "plan_approval_response" => self.reviewed(&heard, out),
            "set_mode" => self.mode(&heard, out),
            "stop_chat" => self.stop(&heard, out),
            "clear_chat" => self.clear(&heard, out),
            "delete_chat" => self.delete(&heard, out),
            "subscribe" => self.subscribe(&heard, out),
            "unsubscribe" => self.unsubscribe(&heard, out),
            "heartbeat" => self.look_at(&heard, out),
            "ping" => tell::send(&GobbyEvent::Pong { latency: 0 }, out),
            kind if quirks::PASSED_OVER.contains(&kind) || kind.starts_with("tmux_") || kind.starts_with("voice_") => {}
            "continue_in_chat" => self.go_on(&heard, out),
            "attach_to_session" | "send_to_cli_session" | "tool_call" => {
                let message = format!("askbridge has no {}", heard.kind.replace('_', " "));
                let request_id = heard.text("request_id");
                tell::send(&GobbyEvent::Error { code: "UNAVAILABLE", message: &message, request_id }, out);
            }
            kind => tell::error(&format!("Unknown message type: {kind}"), out),
        }
    }

    /// Finds the conversation of a frame, and remembers the client's name for it.
    pub(super) fn session_in(&mut self, heard: &GobbyFrame) -> Option<SessionId> {
        let name = heard.text("conversation_id").filter(|name| !name.is_empty())?;
        let session = self.session_named(name);
        if uuid::of_session(session) != name {
            self.chats.entry(session).or_default().name = Some(name.to_owned());
        } else if let Some(chat) = self.chats.get_mut(&session) {
            chat.name = None;
        }
        Some(session)
    }

    fn chat(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let Some(text) = heard.text("content").filter(|text| !text.trim().is_empty()) else {
            return tell::error("Missing or invalid 'content' field", out);
        };
        let Some(session) = self.session_in(heard) else {
            return tell::error("Missing or invalid 'conversation_id' field", out);
        };
        // Uploads are not supported, but pages of 0.2 send files along with the message.
        let files = ["attachments", "content_blocks"].iter().filter_map(|name| heard.more.get(*name)?.as_array());
        if files.flatten().any(|item| item["type"] != "text") {
            tell::error(quirks::NO_ATTACHMENTS, out);
        }
        let saying = ChatMessage {
            text: text.to_owned(),
            request: heard.text("request_id").map(str::to_owned),
            model: heard.text("model").map(str::to_owned),
            mode: heard.text("chat_mode").map(str::to_owned),
            has_started: false,
        };
        self.looking.is_chat = true;
        if self.current.replace(session) != Some(session) {
            self.announce(Some(session), out);
        }
        // A page waits for one id at a time, across all conversations.
        self.release(out);
        self.forget_requests();
        let chat = self.chats.entry(session).or_default();
        chat.own_request.clone_from(&saying.request);
        chat.known_request.clone_from(&saying.request);
        self.keep_request(session, out);
        // A new message ends the running turn and its asks.
        let runs = self.chats.get(&session).is_some_and(|chat| chat.turn.is_running());
        if runs || self.open.keys().any(|ask| ask.session == session) {
            let awaited = PendingReply::StopThenSay(session, Box::new(saying));
            return self.wish(awaited, Wish::Interrupt { session }, out);
        }
        self.say(session, saying, out);
    }

    /// Keeps the id of the last message that this page sent, for pages that reconnect.
    pub(super) fn keep_request(&mut self, session: SessionId, out: &mut Outbox) {
        let Some(request) = self.chats.get(&session).and_then(|chat| chat.own_request.as_deref()) else { return };
        let thing = Some(Raw::from(Value::from(request).to_string()));
        self.wish(PendingReply::Other, Wish::Keep { name: format!("{REQUESTS}{session}"), thing }, out);
    }

    pub(super) fn say(&mut self, session: SessionId, saying: ChatMessage, out: &mut Outbox) {
        let wish = Wish::Say { session, text: saying.text.clone(), about: None, client_id: None };
        self.wish(PendingReply::Say(session, Box::new(saying)), wish, out);
    }

    pub(super) fn start(&mut self, session: SessionId, saying: ChatMessage, out: &mut Outbox) {
        let (model, mode) = (saying.model.as_deref(), saying.mode.as_deref());
        let wish = starting::start(session, &Beginning { model, mode, ..Beginning::default() });
        let saying = ChatMessage { has_started: true, ..saying.clone() };
        self.wish(PendingReply::StartThenSay(session, Box::new(saying)), wish, out);
    }

    /// Finds the ask by its call's id; without one, the only open ask. A card of another conversation may have been
    /// clicked here: that is not what this one asks.
    fn meant(&self, session: SessionId, call: Option<&str>, fits: impl Fn(&Ask) -> bool) -> Option<Arc<Ask>> {
        let open = || self.open.values().map(|open| &open.ask).filter(|ask| ask.id.session == session && fits(ask));
        if let Some(call) = call.filter(|call| !call.is_empty()) {
            return open().find(|ask| cards::is_called(ask, call)).map(Arc::clone);
        }
        let mut all = open();
        let only = all.next()?;
        all.next().is_none().then(|| Arc::clone(only))
    }

    fn answered(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let session = self.session_in(heard);
        let call = heard.text("tool_call_id");
        let meant = session.and_then(|session| self.meant(session, call, cards::is_asked_in_questions));
        let answers = heard.more.get("answers").and_then(Value::as_object);
        match (meant, answers) {
            (Some(ask), Some(answers)) => {
                let wish = match reply(answers) {
                    Some(reply) => Wish::Answer { ask: AskRef::Id(ask.id), reply, undo: Duration::ZERO },
                    None => Wish::Dismiss { ask: AskRef::Id(ask.id), words: None },
                };
                self.wish(PendingReply::Answer(ask.id), wish, out);
            }
            (Some(ask), None) => {
                tell::error("`answers` is an object with a text for each question", out);
                self.show_again(ask.id, out);
            }
            // It may be over; then the agent gets the answer late.
            (None, Some(answers)) => {
                let over = session.zip(call).and_then(|(session, call)| self.was_asked(session, call));
                match over.zip(reply(answers)) {
                    Some((ask, reply)) => {
                        self.wish(
                            PendingReply::Other,
                            Wish::Answer { ask: AskRef::Id(ask), reply, undo: Duration::ZERO },
                            out,
                        );
                    }
                    None => tell::error("No question is waiting for this answer", out),
                }
            }
            (None, None) => tell::error("No question is waiting for this answer", out),
        }
    }

    fn was_asked(&self, session: SessionId, call: &str) -> Option<AskId> {
        let mut over = self.over.iter().rev().filter(|ask| ask.id.session == session);
        over.find(|ask| cards::is_called(ask, call)).map(|ask| ask.id)
    }

    fn ruled(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let is_approval = |ask: &Ask| ask.body.kind() == Kind::Approval;
        let session = self.session_in(heard);
        let meant = session.and_then(|session| self.meant(session, heard.text("tool_call_id"), is_approval));
        let Some(ask) = meant else { return tell::error("No approval is waiting for this", out) };
        let Body::Approval(approval) = &ask.body else { return };
        let allow = |scope| Decision::Allow { scope, edited: None };
        let decision = match heard.text("decision") {
            Some("approve") => allow(Scope::Once),
            Some("approve_always") if !approval.rules.is_empty() => allow(Scope::Always(0)),
            Some("approve_always") => allow(Scope::Once),
            // Anything else is not a yes.
            _ => Decision::Deny { words: None, stop: false },
        };
        let wish = Wish::Answer { ask: AskRef::Id(ask.id), reply: Reply::Approval(decision), undo: Duration::ZERO };
        self.wish(PendingReply::Answer(ask.id), wish, out);
    }

    fn reviewed(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let is_plan = |ask: &Ask| ask.body.kind() == Kind::Plan;
        let meant = self.session_in(heard).and_then(|session| self.meant(session, None, is_plan));
        let Some(ask) = meant else { return tell::error("No plan is waiting for this", out) };
        let review = match heard.text("decision") {
            Some("approve") => Review::Approve { edited: None },
            _ => {
                let words = heard.text("feedback").filter(|words| !words.trim().is_empty());
                let words = words.unwrap_or("the person wants it changed, and did not say how").to_owned();
                Review::SendBack { words }
            }
        };
        let wish = Wish::Answer { ask: AskRef::Id(ask.id), reply: Reply::Plan(review), undo: Duration::ZERO };
        self.wish(PendingReply::Answer(ask.id), wish, out);
    }

    fn mode(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let (Some(session), Some(mode)) = (self.session_in(heard), heard.text("mode")) else { return };
        let mut settings = Settings::default();
        match modes::set(mode, &mut settings) {
            Some(()) => {
                let wish = Wish::Configure { session, settings: Box::new(settings) };
                self.wish(PendingReply::Other, wish, out);
            }
            None => tell::error(&format!("Invalid mode: {mode}"), out),
        }
    }

    fn stop(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let sessions: Vec<_> = match self.session_in(heard) {
            Some(session) => vec![session],
            None => {
                let running = self.chats.iter().filter(|(_, chat)| chat.turn.is_running());
                running.map(|(session, _)| *session).collect()
            }
        };
        // The page takes the following frames without an id.
        self.forget_requests();
        if let [session] = sessions[..] {
            self.current = Some(session);
        }
        for session in sessions {
            self.wish(PendingReply::Other, Wish::Interrupt { session }, out);
        }
    }

    /// The conversation stays; the page begins a new one.
    fn clear(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let Some(session) = self.session_in(heard) else { return };
        if self.chats.get(&session).is_some_and(|chat| chat.turn.is_running()) {
            self.wish(PendingReply::Other, Wish::Interrupt { session }, out);
        }
        self.forget_requests();
        self.current = None;
        self.holding = None;
        tell::send(&GobbyEvent::ChatCleared { conversation_id: &self.name_of(session) }, out);
    }

    /// The dialog "Resume Session": opens a conversation in the chat, as it is.
    fn go_on(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let named = heard.text("source_session_id").or_else(|| heard.text("conversation_id")).unwrap_or_default();
        let session = self.session_named(named);
        self.query(PendingReply::GoOn(session), Query::Session(session), out);
    }

    pub(super) fn goes_on(&mut self, session: SessionId, view: &SessionView, out: &mut Outbox) {
        let (id, settings) = (self.name_of(session), &view.settings);
        let mode = modes::name(settings.mode.as_deref().unwrap_or_default(), settings.wishes.other_tools);
        let said = GobbyEvent::SessionContinued {
            conversation_id: &id,
            db_session_id: &id,
            external_id: &id,
            source: history::Page::Late.source(),
            session_type: "web_chat",
            status: history::ConversationRow::status(view.end.is_some()),
            title: settings.title.as_deref(),
            model: settings.model.as_deref(),
            chat_mode: mode,
        };
        tell::send(&said, out);
        self.looking.is_chat = true;
        self.announce(Some(session), out);
        self.forget_requests();
        self.opened(session, out);
    }

    /// The reply comes with the deletion itself, which every page of the conversation is told of ([`Gobby::gone`]).
    fn delete(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let Some(session) = self.session_in(heard) else { return };
        self.wish(PendingReply::Delete(session), Wish::Forget { session }, out);
    }

    /// A page has no other way to end an agent's process: where only that prevents the deletion, it is ended.
    pub(super) fn not_deleted(&mut self, session: SessionId, why: &Rejection, out: &mut Outbox) {
        match why {
            // A page makes up conversations itself; without a message there is no session for it.
            Rejection::Refused(Refusal::UnknownSession(_)) => self.gone(&[session], out),
            Rejection::Refused(Refusal::Unfinished { why: Unfinished::Hosted, .. }) => {
                let closing = Wish::Close { session, why: Some("deleted in the web chat".to_owned()) };
                self.wish(PendingReply::Other, closing, out);
                tell::error("The agent is being stopped; delete the chat again in a moment", out);
            }
            why => tell::error(&why.to_string(), out),
        }
    }

    pub(super) fn gone(&mut self, sessions: &[SessionId], out: &mut Outbox) {
        for session in sessions {
            tell::send(&GobbyEvent::ChatDeleted { conversation_id: &self.name_of(*session) }, out);
            self.tell_of_session(*session, "session_deleted", out);
            self.chats.remove(session);
            if self.is_holding(*session) {
                self.holding = None;
            }
            if self.current == Some(*session) {
                self.current = None;
            }
        }
    }
}

/// Reads answers by question. `None`: nothing was answered.
fn reply(answers: &Map<String, Value>) -> Option<Reply> {
    let given = answers.iter().filter_map(|(question, answer)| {
        let text = match answer {
            Value::String(text) => text.clone(),
            Value::Null => return None,
            other => other.to_string(),
        };
        let value = (!text.trim().is_empty()).then_some(Chosen::Label(text))?;
        Some(QuestionReply { key: QuestionKey::Text(question.clone()), value: Some(value), note: None })
    });
    let given: Vec<_> = given.collect();
    (!given.is_empty()).then_some(Reply::Questions(given))
}
