//! Turns the agent's output into events: text, thinking, tools and their results, the end of a turn.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use askbridge_core::answer::Answer;
use askbridge_core::ask::{Body, Reach};
use askbridge_core::event::{CallMade, CallResult, Event, Level, Parcel, Settings};
use askbridge_core::ids::{AskId, CallId, Raw};
use askbridge_core::limits::{ALONG_BYTES_MAX, CONTENT_BYTES_MAX};
use askbridge_core::rules::Moment;
use askbridge_core::verdict::{Ruling, Verdict};
use askbridge_core::view::AskView;

use super::always::asks;
use super::calls::{CallStage, PendingCall};
use super::mcp;
use super::peer::{Claude, Finished, PendingReply};
use super::quirks::MODE_THAT_DENIES;
use super::wire::{Block, ClaudeLine, Message, Streaming, System, TurnResult};
use crate::json::Lent;
use crate::peer::{BlockKind as Kind, Outbox, Streamed};
use crate::tools::held::HELD_TOOLS;
use crate::tools::ran;
use crate::wish::{AskRef, Wish};

impl Claude {
    pub(super) fn streamed(&mut self, line: &ClaudeLine<'_>, out: &mut Outbox) {
        // A subagent's text is not shown; its tool calls are.
        if line.parent_tool_use_id.is_some() {
            return;
        }
        self.turn_is_running = true;
        let Some(Ok(event)) = line.event.map(|event| serde_json::from_str::<Streaming<'_>>(event.get())) else {
            self.passed_over += 1;
            return;
        };
        match &*event.kind {
            "message_start" => self.streaming = event.message.map(|message| message.id),
            "message_stop" => {
                self.streaming = None;
                self.blocks.end_asking();
            }
            "content_block_start" => {
                self.blocks.end_asking();
                match event.content_block.as_ref().map(|block| (&*block.kind, &block.name)) {
                    Some(("text", _)) => self.blocks.begin(Kind::Text),
                    Some(("thinking", _)) => self.blocks.begin(Kind::Thinking),
                    Some(("tool_use", Some(name))) if is_held(name) => self.blocks.begin(Kind::Asking),
                    _ => {}
                }
            }
            "content_block_delta" => {
                let Some(delta) = event.delta else { return };
                let (kind, text) = match (delta.text, delta.thinking, delta.partial_json) {
                    (Some(text), ..) => (Kind::Text, text),
                    (None, Some(thinking), _) => (Kind::Thinking, thinking),
                    (None, None, Some(input)) if !input.is_empty() => (Kind::Asking, input),
                    (None, None, _) => return,
                };
                if let Some((block, offset)) = self.blocks.delta(kind, &text) {
                    let (session, text) = (self.session, text.into_owned());
                    out.streams.push(Streamed { session, block, kind, offset, text });
                }
            }
            _ => {}
        }
    }

    pub(super) fn assistant(&mut self, line: &ClaudeLine<'_>, out: &mut Outbox) {
        let Some((id, blocks)) = message(line) else {
            self.passed_over += 1;
            return;
        };
        let within = line.parent_tool_use_id.as_deref();
        let in_subagent = within.is_some();
        for (place, block) in blocks.into_iter().enumerate() {
            let name = line.uuid.as_ref().map(|uuid| format!("{uuid}/{place}")).unwrap_or_default();
            match &*block.kind {
                "text" if !in_subagent => {
                    let text = block.text.unwrap_or_default();
                    self.remember_text(&text);
                    self.whole(Kind::Text, &name, &text, out);
                }
                "thinking" if !in_subagent => {
                    self.whole(Kind::Thinking, &name, &block.thinking.unwrap_or_default(), out);
                }
                "tool_use" | "server_tool_use" | "mcp_tool_use" => self.called(&id, within, block, out),
                _ => {}
            }
        }
    }

    /// Stores a block; a long one in pieces, each with a number of its own.
    fn whole(&mut self, kind: Kind, name: &str, text: &str, out: &mut Outbox) {
        for (place, piece) in pieces(text).enumerate() {
            let block = self.blocks.whole(kind);
            let text = piece.to_owned();
            let event = match kind {
                Kind::Text => Event::Text { block, text },
                Kind::Thinking => Event::Thinking { block, text },
                // The ask itself is stored instead.
                Kind::Asking => return,
            };
            let name = if name.is_empty() || place == 0 { name.to_owned() } else { format!("{name}/{place}") };
            self.record(name, event, out);
        }
    }

    fn called(&mut self, message: &str, within: Option<&str>, block: Block<'_>, out: &mut Outbox) {
        let (Some(id), Some(name)) = (block.id, block.name) else { return };
        if within.is_none() && block.kind == "tool_use" {
            self.running.insert(id.to_string(), message.to_owned());
        }
        let ruled = self.rule(&name, block.input, Moment::BeforeTheCall);
        let asks = is_held(&name) || asks(ruled.as_ref());
        let input = block.input.map_or_else(|| Raw::from("{}"), bounded_json);
        let made = CallMade { name: name.into_owned(), input, within: within.map(CallId::from), ruled };
        match self.calls.get(&*id).and_then(|call| call.ask) {
            None if asks => drop(self.unlinked.insert(id.into_owned(), made)),
            ask => self.record_call(&id, made, ask, out),
        }
    }

    pub(super) fn user(&mut self, line: &ClaudeLine<'_>, out: &mut Outbox) {
        // A message of plain text is an echo, or a note by Claude Code for the model.
        let Some((_, blocks)) = message(line) else { return };
        for block in blocks.into_iter().filter(|block| block.kind == "tool_result") {
            let Some(id) = block.tool_use_id else { continue };
            let output = text_of(block.content);
            if block.is_error {
                self.failed(&id, &output);
            }
            let result = CallResult { call: CallId::from(&*id), ok: !block.is_error, output: bounded(&output) };
            if self.proves(&id, &result) {
                let Some(ask) = self.end_call(&id, out).and_then(|call| call.ask) else { continue };
                self.wish(PendingReply::Nothing, Wish::Return { ask, result: Box::new(result) }, out);
                continue;
            }
            self.returned(&id, !block.is_error, &output, out);
            self.record(format!("returned/{id}"), result.event(), out);
        }
    }

    /// Whether this result proves that a verdict was delivered, and nothing else, so that both are stored together.
    fn proves(&self, id: &str, result: &CallResult) -> bool {
        let Some(call) = self.calls.get(id) else { return false };
        let is_proof = call.returns_along && call.stage == CallStage::Told && !self.was_lost(call, result.ok);
        let is_proof = is_proof && call.ran_instead(self.folder()).is_none();
        is_proof && call.ask.is_some() && result.output.len() <= ALONG_BYTES_MAX
    }

    /// Whether an interrupt preceded the answer to a call. The answer was not heard, and goes with the next message.
    fn was_lost(&self, call: &PendingCall, ok: bool) -> bool {
        self.interrupting && !ok && matches!(call.body, Body::Questions(_))
    }

    /// Forgets a call that has ended, in whichever way.
    fn end_call(&mut self, id: &str, out: &mut Outbox) -> Option<PendingCall> {
        self.running.remove(id);
        self.has_passed(id);
        if let Some(made) = self.unlinked.remove(id) {
            self.record_call(id, made, None, out);
        }
        let call = self.calls.remove(id)?;
        self.is_over(id);
        Some(call)
    }

    /// A call has its result: the proof that its verdict was delivered, or that none was.
    pub(super) fn returned(&mut self, id: &str, ok: bool, output: &str, out: &mut Outbox) {
        let Some(call) = self.end_call(id, out) else { return };
        let Some(ask) = call.ask else {
            // Replayed after a restart, or over before the ask was durable. Decided when the ask is known.
            let finished = Finished { ok, output: first_line(output), ran: call.ran, made: call.made };
            self.finished.insert(id.to_owned(), finished);
            return;
        };
        let was_lost = self.was_lost(&call, ok);
        let ran_instead = call.ran_instead(self.folder());
        let wish = match call.stage {
            _ if ran_instead.is_some() => overtaken(ask, ran_instead),
            CallStage::Told if !was_lost => {
                Wish::Deliver { parcel: Parcel::Verdict(ask), proof: format!("tool_result {id}") }
            }
            // A person may still overrule a denial that Claude Code no longer waits with.
            _ if call.verdict.is_some() || call.is_denied() => Wish::Strand { ask: AskRef::Id(ask) },
            _ if ok => overtaken(ask, None),
            _ if self.interrupting => {
                Wish::Withdraw { ask: AskRef::Id(ask), why: "the turn was interrupted".to_owned() }
            }
            _ => Wish::Withdraw { ask: AskRef::Id(ask), why: first_line(output) },
        };
        self.wish(PendingReply::Nothing, wish, out);
    }

    /// The ask of a call whose result is already known: the result proves that a verdict was delivered, or none.
    pub(super) fn finished(&mut self, id: &str, finished: Finished, view: &AskView, out: &mut Outbox) {
        let ask = view.ask.id;
        let asked = view.ask.original.as_ref().map_or("{}", Raw::as_str);
        let (ran, folder) = (finished.ran.as_ref(), view.ask.context.folder.as_deref());
        let instead =
            ran.and_then(|ran| ran::instead(&view.ask.body, asked, view.verdict.as_ref(), ran.as_str(), folder));
        let wish = match &view.verdict {
            Some(_) if instead.is_some() => overtaken(ask, instead),
            Some(Verdict { ruling: Ruling::Answer(Answer::Questions(_)), .. }) if !finished.ok => {
                Wish::Strand { ask: AskRef::Id(ask) }
            }
            Some(_) => Wish::Deliver { parcel: Parcel::Verdict(ask), proof: format!("tool_result {id}") },
            None if finished.ok => overtaken(ask, None),
            None => Wish::Withdraw { ask: AskRef::Id(ask), why: finished.output },
        };
        self.wish(PendingReply::Nothing, wish, out);
    }

    pub(super) fn turn_ended(&mut self, text: &str, line: &ClaudeLine<'_>, out: &mut Outbox) {
        let Ok(result) = serde_json::from_str::<TurnResult<'_>>(text) else {
            self.passed_over += 1;
            return;
        };
        let reason = result.stop_reason.as_deref().filter(|reason| *reason == "tool_deferred");
        let reason = reason.or(result.terminal_reason.as_deref()).or(result.subtype.as_deref()).unwrap_or("ended");
        let name = line.uuid.as_deref().unwrap_or_default().to_owned();
        if result.is_error
            && let Some(why) = result.result.as_ref().filter(|why| !why.trim().is_empty())
        {
            self.notice(format!("why/{name}"), Level::Error, bounded(why), out);
        }
        let event = Event::TurnEnded { reason: reason.to_owned(), usage: usage(&result) };
        self.record(name, event, out);
        self.turn_is_running = false;
        self.streaming = None;
        self.asked_for_messages_back = false;
        if let Some(deferred) = result.deferred_tool_use {
            self.running.remove(&deferred.id);
            self.deferred(&deferred.id, out);
        }
        self.close_calls(out);
        self.interrupting = false;
        self.running.clear();
        self.went_on();
        self.blocks.end();
        self.forget_started();
    }

    /// Ends the calls that the turn left undecided. Subagents may go on beside it.
    fn close_calls(&mut self, out: &mut Outbox) {
        let ended: Vec<_> = self.calls.iter().filter(|(_, call)| !call.in_subagent).map(|(id, _)| id.clone()).collect();
        for id in ended {
            self.returned(&id, false, "the turn ended", out);
        }
    }

    pub(super) fn system(&mut self, text: &str, line: &ClaudeLine<'_>, out: &mut Outbox) {
        let Ok(system) = serde_json::from_str::<System<'_>>(text) else { return };
        let name = line.uuid.as_deref().unwrap_or_default().to_owned();
        match line.subtype.as_deref() {
            Some("init") => {
                // Where nothing names a mode, Claude Code may begin in one in which it denies calls by itself.
                if let Some(mode) = system.permission_mode.filter(|mode| mode == MODE_THAT_DENIES) {
                    self.mode_changed(mode, out);
                }
                self.turn_began(out);
            }
            Some("background_tasks_changed") => self.background_tasks = system.tasks.map_or(0, |tasks| tasks.len()),
            Some("status") => {
                if let Some(mode) = system.permission_mode {
                    self.mode_changed(mode, out);
                }
            }
            Some("api_retry") => {
                let of = system.max_retries.map(|max| format!(" of {max}")).unwrap_or_default();
                let attempt = system.attempt.unwrap_or(1);
                let why = system.error.map(|error| text_of(Some(error))).unwrap_or_default();
                let words = format!("The model did not answer; trying again ({attempt}{of}). {why}");
                self.notice(name, Level::Warning, bounded(words.trim()), out);
            }
            Some("compact_boundary") => {
                self.notice(name, Level::Info, "The conversation was summarised to make room.".to_owned(), out);
            }
            Some("informational" | "notification") => {
                let words = text_of(system.content);
                if !words.trim().is_empty() {
                    self.notice(name, Level::Info, bounded(&words), out);
                }
            }
            _ => {}
        }
    }

    /// A plan was approved, or a person chose to accept edits: a resume has to begin in the mode that holds now.
    fn mode_changed(&mut self, mode: String, out: &mut Outbox) {
        let Some(settings) = self.settings.as_mut().filter(|settings| settings.mode.as_ref() != Some(&mode)) else {
            return;
        };
        std::sync::Arc::make_mut(settings).mode = Some(mode.clone());
        let settings = Box::new(Settings { mode: Some(mode), ..Settings::default() });
        self.wish(PendingReply::Nothing, Wish::ReportSettings { session: self.session, settings }, out);
    }

    /// The process is gone. Asks that only its connection leads back from are stranded; a resume brings back the rest.
    pub(super) fn died(&mut self, out: &mut Outbox) {
        self.leaving = true;
        for (id, made) in std::mem::take(&mut self.unlinked) {
            self.record_call(&id, made, None, out);
        }
        self.strand_held(out);
    }

    pub(super) fn strand_held(&mut self, out: &mut Outbox) {
        let held = self.calls.iter().filter(|(_, call)| call.reach == Reach::Held && call.ask.is_some());
        let held: Vec<_> = held.map(|(id, _)| id.clone()).collect();
        for id in held {
            if let Some(ask) = self.calls.remove(&id).and_then(|call| call.ask) {
                self.wish(PendingReply::Nothing, Wish::Strand { ask: AskRef::Id(ask) }, out);
            }
        }
    }
}

/// Another hook of the agent, or a rule in its settings, decided about a call.
fn overtaken(ask: AskId, ran: Option<Raw>) -> Wish {
    Wish::Overtake { ask: AskRef::Id(ask), mouth: "another hook of the agent".to_owned(), ran }
}

/// Whether calls of this tool always become asks.
fn is_held(tool: &str) -> bool {
    HELD_TOOLS.contains(&tool) || tool == mcp::TOOL
}

/// Reads the id and the blocks of a message; `None` if it is plain text, or something else.
fn message<'a>(line: &ClaudeLine<'a>) -> Option<(Lent<'a>, Vec<Block<'a>>)> {
    let message: Message<'a> = serde_json::from_str(line.message?.get()).ok()?;
    Some((message.id, serde_json::from_str(message.content.get()).ok()?))
}

/// Returns a string, or the text of a list of blocks; for anything else, its JSON.
fn text_of(content: Option<&RawValue>) -> String {
    let Some(content) = content else { return String::new() };
    if let Ok(text) = serde_json::from_str::<String>(content.get()) {
        return text;
    }
    match serde_json::from_str::<Value>(content.get()) {
        Ok(Value::Array(blocks)) => {
            let texts = blocks.iter().map(|block| match block["text"].as_str() {
                Some(text) => text.to_owned(),
                None => format!("[{}]", block["type"].as_str().unwrap_or("?")),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => content.get().to_owned(),
    }
}

fn usage(result: &TurnResult<'_>) -> Option<Raw> {
    let mut usage = Map::new();
    let parse = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
    let mut add = |name: &str, value: Option<Value>| value.map(|value| usage.insert(name.to_owned(), value));
    add("usage", result.usage.and_then(parse));
    add("modelUsage", result.model_usage.and_then(parse));
    add("total_cost_usd", result.total_cost_usd.map(|cost| json!(cost)));
    add("duration_ms", result.duration_ms.map(|span| json!(span)));
    add("num_turns", result.num_turns.map(|turns| json!(turns)));
    (!usage.is_empty()).then(|| Raw::from(Value::Object(usage).to_string()))
}

fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("the agent went on").trim();
    line.chars().take(200).collect()
}

/// Cuts a text that is too long, and says so.
fn bounded(text: &str) -> String {
    match pieces(text).next() {
        Some(first) if first.len() < text.len() => format!("{first}\n… and {} more bytes", text.len() - first.len()),
        _ => text.to_owned(),
    }
}

fn bounded_json(input: &RawValue) -> Raw {
    let bytes = input.get().len();
    if bytes <= CONTENT_BYTES_MAX {
        return Raw::from(input.get());
    }
    Raw::from(json!({"askbridge": format!("an input of {bytes} bytes, too large to be kept")}).to_string())
}

/// Splits a text into pieces that fit into an entry. An empty text is one empty piece.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let (piece, more) = text.split_at(text.floor_char_boundary(CONTENT_BYTES_MAX));
        rest = (!more.is_empty()).then_some(more);
        Some(piece)
    })
}
