//! Turns the plugin's events into asks, messages and tool calls.

use askbridge_core::event::{Event, Level};
use askbridge_core::ids::{CallId, Raw, SessionId};
use askbridge_core::limits;
use serde_json::json;

use super::chat::{SessionOnPlugin, Work, start};
use super::peer::{PendingReply, Whimmy};
use super::plugin_session::{self, PluginSession};
use super::wire::Payload;
use crate::peer::{BlockKind, Cx, Outbox, Record, Streamed};

/// Sessions that one connection tracks. Beyond: content of others is dropped; their asks are not.
const SESSIONS_MAX: usize = 512;
/// Running tools tracked for one agent. Beyond: the end of the oldest is missed.
const CALLS_MAX: usize = 64;

impl Whimmy {
    pub(super) fn event(&mut self, event: &str, raw: &str, cx: &mut Cx<'_>) {
        let Ok(payload) = serde_json::from_str::<Payload>(raw) else { return };
        match event {
            "ask_user_question" => self.question(&payload, raw, cx.out),
            "exec.approval.requested" => self.approval(&payload, raw, cx.out),
            "models.sync" => self.offers(&payload, cx),
            "agent.memory_sync" => self.remember(payload, cx),
            _ => {
                let Some(session) = self.room_of(event, raw, &payload, cx.out) else { return };
                self.content(session, event, &payload, cx);
            }
        }
    }

    /// The session of an event. `None`: there is none, or it is still being started.
    fn room_of(&mut self, event: &str, raw: &str, payload: &Payload, out: &mut Outbox) -> Option<SessionId> {
        let plugin_session = PluginSession::named(&payload.session_key, &payload.agent_id);
        if plugin_session.session_key.is_empty() {
            return None;
        }
        let account = self.account.as_deref().unwrap_or_default();
        let mut session =
            plugin_session.marked().unwrap_or_else(|| plugin_session::elsewhere(account, &plugin_session));
        // Terminates: a session continues only as a new one.
        while let Some(newer) = self.moved.get(&session) {
            session = *newer;
        }
        let has_room = self.session_states.len() < SESSIONS_MAX;
        match self.session_states.get_mut(&session) {
            Some(session_state) if session_state.is_ready => return Some(session),
            Some(session_state) => session_state.hear_later(event, raw),
            // Tool events go to the sockets of all accounts, also those of other accounts' sessions.
            None if plugin_session.marked().is_some() || !event.starts_with("chat.") || !has_room => {}
            None => {
                let wish = start(session, &plugin_session);
                let mut session_state = SessionOnPlugin::new(plugin_session);
                session_state.hear_later(event, raw);
                self.session_states.insert(session, session_state);
                self.wish(PendingReply::Start(session), wish, out);
            }
        }
        None
    }

    fn content(&mut self, session: SessionId, event: &str, payload: &Payload, cx: &mut Cx<'_>) {
        let Some(session_state) = self.session_states.get_mut(&session) else { return };
        if let Work::Since(_) = session_state.work {
            session_state.work = Work::Since(cx.now);
        }
        let mut store = |event| cx.out.records.push(Record { session, name: String::new(), event });
        let text = payload.content.as_deref().unwrap_or_default();
        match event {
            "chat.chunk" => chunk(session, session_state, text, cx.out),
            "chat.done" => {
                done(session, session_state, payload, cx.out);
                self.say_next(session, cx.out);
            }
            "chat.media" => {
                let links = [&payload.url, &payload.media_url, &payload.file_url];
                let words = payload.caption.as_deref().or(payload.content.as_deref());
                let lines: Vec<_> = words.into_iter().chain(links.into_iter().flatten().map(String::as_str)).collect();
                session_state.block += 1;
                store(Event::Text { block: session_state.block, text: cut(&lines.join("\n")).to_owned() });
            }
            "chat.react" => {
                let emoji = payload.emoji.as_deref().unwrap_or("something");
                store(notice(Level::Info, &format!("It reacted with {emoji}")));
            }
            "chat.edit" => store(notice(Level::Info, &format!("It changed what it said before to: {text}"))),
            "chat.delete" => store(notice(Level::Info, "It took back something that it said before")),
            "tool.start" => {
                let call = CallId::from(payload.execution_id.as_str());
                session_state.calls.push_back((payload.tool_name.clone(), call.clone()));
                if session_state.calls.len() > CALLS_MAX {
                    session_state.calls.pop_front();
                }
                let (name, input) = (payload.tool_name.clone(), Raw::from("{}"));
                store(Event::ToolCalled { call, name, input, ask: None, within: None });
            }
            "tool.done" | "tool.error" => {
                // The end of a tool has no id, so it is matched with the oldest running tool of that name.
                let Some(at) = session_state.calls.iter().position(|(name, _)| *name == payload.tool_name) else {
                    return;
                };
                let Some((_, call)) = session_state.calls.remove(at) else { return };
                store(Event::ToolReturned { call, ok: event == "tool.done", output: payload.status.clone() });
            }
            // `chat.presence`, and events of later versions.
            _ => {}
        }
    }
}

/// Appends to what the agent says. Text beyond the limit continues in a new block.
fn chunk(session: SessionId, session_state: &mut SessionOnPlugin, text: &str, out: &mut Outbox) {
    if session_state.text.len() + text.len() > limits::CONTENT_BYTES_MAX {
        store_text(session, session_state, out);
    }
    let text = cut(text);
    let (block, offset) = (session_state.block + 1, session_state.text.len());
    session_state.text.push_str(text);
    out.streams.push(Streamed { session, block, kind: BlockKind::Text, offset, text: text.to_owned() });
}

fn store_text(session: SessionId, session_state: &mut SessionOnPlugin, out: &mut Outbox) {
    if !session_state.text.is_empty() {
        session_state.block += 1;
        let event = Event::Text { block: session_state.block, text: std::mem::take(&mut session_state.text) };
        out.records.push(Record { session, name: String::new(), event });
    }
}

/// A turn has ended, or the agent said something unprompted.
fn done(session: SessionId, session_state: &mut SessionOnPlugin, payload: &Payload, out: &mut Outbox) {
    let whole = payload.content.as_deref().unwrap_or_default();
    // The whole text repeats the chunks that came before it.
    if let Some(rest) = whole.strip_prefix(session_state.text.as_str()).map(str::to_owned) {
        if !rest.is_empty() {
            chunk(session, session_state, &rest, out);
        }
    } else if !whole.is_empty() {
        store_text(session, session_state, out);
        chunk(session, session_state, whole, out);
    }
    let failed = whole.starts_with("Error: ") && session_state.text == whole;
    if failed {
        session_state.text.clear();
        out.records.push(Record { session, name: String::new(), event: notice(Level::Error, whole) });
    }
    store_text(session, session_state, out);
    let usage = json!({"tokenCount": payload.token_count, "cost": payload.cost, "context": payload.context});
    let reason = if failed { "error" } else { "done" }.to_owned();
    let ended = Event::TurnEnded { reason, usage: Some(Raw::from(usage.to_string())) };
    out.records.push(Record { session, name: String::new(), event: ended });
    session_state.work = Work::None;
}

fn notice(level: Level, text: &str) -> Event {
    Event::Notice { level, text: cut(text).to_owned() }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(limits::CONTENT_BYTES_MAX)]
}
