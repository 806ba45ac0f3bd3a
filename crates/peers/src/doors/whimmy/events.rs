//! Turns the plugin's events into asks, messages and tool calls.

use askbridge_core::event::{Event, Level};
use askbridge_core::ids::{CallId, Raw, SessionId};
use askbridge_core::limits;
use serde_json::json;

use super::chat::{Room, Work, start};
use super::peer::{Awaited, Whimmy};
use super::place::{self, Place};
use super::wire::Payload;
use crate::peer::{BlockKind, Cx, Outbox, Record, Streamed};

/// Sessions that one connection tracks. Beyond: content of others is dropped; their asks are not.
const ROOMS_MAX: usize = 512;
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
        let place = Place::named(&payload.session_key, &payload.agent_id);
        if place.session_key.is_empty() {
            return None;
        }
        let account = self.account.as_deref().unwrap_or_default();
        let mut session = place.marked().unwrap_or_else(|| place::elsewhere(account, &place));
        // Terminates: a session continues only as a new one.
        while let Some(newer) = self.moved.get(&session) {
            session = *newer;
        }
        let has_room = self.rooms.len() < ROOMS_MAX;
        match self.rooms.get_mut(&session) {
            Some(room) if room.is_ready => return Some(session),
            Some(room) => room.hear_later(event, raw),
            // Tool events go to the sockets of all accounts, also those of other accounts' sessions.
            None if place.marked().is_some() || !event.starts_with("chat.") || !has_room => {}
            None => {
                let wish = start(session, &place);
                let mut room = Room::new(place);
                room.hear_later(event, raw);
                self.rooms.insert(session, room);
                self.wish(Awaited::Room(session), wish, out);
            }
        }
        None
    }

    fn content(&mut self, session: SessionId, event: &str, payload: &Payload, cx: &mut Cx<'_>) {
        let Some(room) = self.rooms.get_mut(&session) else { return };
        if let Work::Since(_) = room.work {
            room.work = Work::Since(cx.now);
        }
        let mut store = |event| cx.out.records.push(Record { session, name: String::new(), event });
        let text = payload.content.as_deref().unwrap_or_default();
        match event {
            "chat.chunk" => chunk(session, room, text, cx.out),
            "chat.done" => {
                done(session, room, payload, cx.out);
                self.say_next(session, cx.out);
            }
            "chat.media" => {
                let links = [&payload.url, &payload.media_url, &payload.file_url];
                let words = payload.caption.as_deref().or(payload.content.as_deref());
                let lines: Vec<_> = words.into_iter().chain(links.into_iter().flatten().map(String::as_str)).collect();
                room.block += 1;
                store(Event::Text { block: room.block, text: cut(&lines.join("\n")).to_owned() });
            }
            "chat.react" => {
                let emoji = payload.emoji.as_deref().unwrap_or("something");
                store(notice(Level::Info, &format!("It reacted with {emoji}")));
            }
            "chat.edit" => store(notice(Level::Info, &format!("It changed what it said before to: {text}"))),
            "chat.delete" => store(notice(Level::Info, "It took back something that it said before")),
            "tool.start" => {
                let call = CallId::from(payload.execution_id.as_str());
                room.calls.push_back((payload.tool_name.clone(), call.clone()));
                if room.calls.len() > CALLS_MAX {
                    room.calls.pop_front();
                }
                let (name, input) = (payload.tool_name.clone(), Raw::from("{}"));
                store(Event::ToolCalled { call, name, input, ask: None, within: None });
            }
            "tool.done" | "tool.error" => {
                // The end of a tool has no id, so it is matched with the oldest running tool of that name.
                let Some(at) = room.calls.iter().position(|(name, _)| *name == payload.tool_name) else { return };
                let Some((_, call)) = room.calls.remove(at) else { return };
                store(Event::ToolReturned { call, ok: event == "tool.done", output: payload.status.clone() });
            }
            // `chat.presence`, and events of later versions.
            _ => {}
        }
    }
}

/// Appends to what the agent says. Text beyond the limit continues in a new block.
fn chunk(session: SessionId, room: &mut Room, text: &str, out: &mut Outbox) {
    if room.text.len() + text.len() > limits::CONTENT_BYTES_MAX {
        store_text(session, room, out);
    }
    let text = cut(text);
    let (block, offset) = (room.block + 1, room.text.len());
    room.text.push_str(text);
    out.streams.push(Streamed { session, block, kind: BlockKind::Text, offset, text: text.to_owned() });
}

fn store_text(session: SessionId, room: &mut Room, out: &mut Outbox) {
    if !room.text.is_empty() {
        room.block += 1;
        let event = Event::Text { block: room.block, text: std::mem::take(&mut room.text) };
        out.records.push(Record { session, name: String::new(), event });
    }
}

/// A turn has ended, or the agent said something unprompted.
fn done(session: SessionId, room: &mut Room, payload: &Payload, out: &mut Outbox) {
    let whole = payload.content.as_deref().unwrap_or_default();
    // The whole text repeats the chunks that came before it.
    if let Some(rest) = whole.strip_prefix(room.text.as_str()).map(str::to_owned) {
        if !rest.is_empty() {
            chunk(session, room, &rest, out);
        }
    } else if !whole.is_empty() {
        store_text(session, room, out);
        chunk(session, room, whole, out);
    }
    let failed = whole.starts_with("Error: ") && room.text == whole;
    if failed {
        room.text.clear();
        out.records.push(Record { session, name: String::new(), event: notice(Level::Error, whole) });
    }
    store_text(session, room, out);
    let usage = json!({"tokenCount": payload.token_count, "cost": payload.cost, "context": payload.context});
    let reason = if failed { "error" } else { "done" }.to_owned();
    let ended = Event::TurnEnded { reason, usage: Some(Raw::from(usage.to_string())) };
    out.records.push(Record { session, name: String::new(), event: ended });
    room.work = Work::None;
}

fn notice(level: Level, text: &str) -> Event {
    Event::Notice { level, text: cut(text).to_owned() }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(limits::CONTENT_BYTES_MAX)]
}
