//! Writes the stream of chunks: text blocks, tool calls, steps. Everything begun is ended, and nothing is sent twice.

use std::collections::{BTreeMap, BTreeSet};

use askbridge_core::ids::Timestamp;
use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::wire::Chunk;
use super::{js, quirks};
use crate::json;
use crate::peer::{BlockKind, Frame, Outbox};
use crate::stream::{Completion, Streams};

/// What one reader has been sent.
#[derive(Default)]
pub(super) struct SentToReader {
    streams: Streams,
    /// Blocks that were sent to their end.
    whole: BTreeSet<u32>,
    /// The blocks that grow, by number. The next may begin before the previous one is known to be complete.
    growing: BTreeMap<u32, Block>,
    blocks: u32,
    calls: BTreeMap<String, DrawnCall>,
    /// Calls whose output was sent.
    over: BTreeSet<String>,
    /// A tool has returned in this step: what comes next is another step.
    has_returned: bool,
}

struct Block {
    kind: BlockKind,
    id: String,
}

impl Block {
    fn more(&self, delta: &str, out: &mut Outbox) {
        match self.kind {
            BlockKind::Text => send(&Chunk::TextDelta { id: &self.id, delta }, out),
            BlockKind::Thinking => send(&Chunk::ReasoningDelta { id: &self.id, delta }, out),
            BlockKind::Asking => {}
        }
    }

    fn end(&self, out: &mut Outbox) {
        match self.kind {
            BlockKind::Text => send(&Chunk::TextEnd { id: &self.id }, out),
            BlockKind::Thinking => send(&Chunk::ReasoningEnd { id: &self.id }, out),
            BlockKind::Asking => {}
        }
    }
}

struct DrawnCall {
    /// When to stop waiting for its result. `None`: never.
    until: Option<Timestamp>,
    /// What its output adds because its input was large.
    large: Option<Map<String, Value>>,
}

pub(super) fn send(chunk: &Chunk<'_>, out: &mut Outbox) {
    let json = serde_json::to_string(chunk).expect("chunks have text keys");
    out.frames.push(Frame::Chunk(Bytes::from(format!("data: {json}\n\n"))));
}

impl SentToReader {
    /// A piece of a block that grows.
    pub(super) fn delta(&mut self, number: u32, kind: BlockKind, offset: usize, text: &str, out: &mut Outbox) {
        // Deltas take another path than stored text, and may be late. A call is drawn when it is complete.
        if kind == BlockKind::Asking || self.whole.contains(&number) {
            return;
        }
        if let Some(news) = self.streams.delta(number, offset, text) {
            self.block(number, kind, out).more(news, out);
        }
    }

    /// A block is complete: sends the rest and ends it. Others go on growing.
    pub(super) fn whole(&mut self, number: u32, kind: BlockKind, text: &str, out: &mut Outbox) {
        self.whole.insert(number);
        match self.streams.complete(number, text) {
            Completion::Nothing => {}
            Completion::Whole(text) | Completion::Rest(text) => self.block(number, kind, out).more(text, out),
            // An append-only reader cannot take text back: the right text follows.
            Completion::Instead(text) => {
                self.end_block(number, out);
                self.block(number, kind, out).more(text, out);
            }
        }
        self.end_block(number, out);
    }

    /// Finds a growing block, or begins one.
    fn block(&mut self, number: u32, kind: BlockKind, out: &mut Outbox) -> &Block {
        if self.growing.get(&number).is_some_and(|block| block.kind != kind) {
            self.end_block(number, out);
        }
        if !self.growing.contains_key(&number) {
            self.step(out);
            self.blocks += 1;
            let id = self.blocks.to_string();
            match kind {
                BlockKind::Text => send(&Chunk::TextStart { id: &id }, out),
                BlockKind::Thinking | BlockKind::Asking => send(&Chunk::ReasoningStart { id: &id }, out),
            }
            self.growing.insert(number, Block { kind, id });
        }
        &self.growing[&number]
    }

    fn end_block(&mut self, number: u32, out: &mut Outbox) {
        if let Some(block) = self.growing.remove(&number) {
            block.end(out);
        }
    }

    /// Ends the growing blocks, because something other than text follows.
    pub(super) fn end_blocks(&mut self, out: &mut Outbox) {
        for block in std::mem::take(&mut self.growing).into_values() {
            block.end(out);
        }
    }

    fn step(&mut self, out: &mut Outbox) {
        if std::mem::take(&mut self.has_returned) {
            // A reader forgets growing blocks when a step is finished.
            self.end_blocks(out);
            send(&Chunk::FinishStep, out);
            send(&Chunk::StartStep, out);
        }
    }

    /// Sends a call once, however often it comes. The pieces of its arguments add up to exactly what is sent at the
    /// end.
    pub(super) fn call(&mut self, id: &str, name: &str, input: &str, until: Option<Timestamp>, out: &mut Outbox) {
        if self.calls.contains_key(id) || self.over.contains(id) {
            return;
        }
        self.end_blocks(out);
        self.step(out);
        let large = quirks::large_input(input);
        let input = arguments(input);
        send(&Chunk::ToolInputStart { tool_call_id: id, tool_name: name }, out);
        for piece in pieces(&input) {
            send(&Chunk::ToolInputDelta { tool_call_id: id, input_text_delta: piece }, out);
        }
        if let Ok(input) = serde_json::from_str::<&RawValue>(&input) {
            send(&Chunk::ToolInputAvailable { tool_call_id: id, tool_name: name, input }, out);
        }
        self.calls.insert(id.to_owned(), DrawnCall { until, large });
    }

    pub(super) fn output(&mut self, id: &str, output: Value, out: &mut Outbox) {
        if let Some(DrawnCall { large, .. }) = self.is_over_now(id) {
            let output = with_large(output, large);
            send(&Chunk::ToolOutputAvailable { tool_call_id: id, output }, out);
        }
    }

    pub(super) fn failed(&mut self, id: &str, error_text: &str, out: &mut Outbox) {
        if self.is_over_now(id).is_some() {
            send(&Chunk::ToolOutputError { tool_call_id: id, error_text }, out);
        }
    }

    /// Takes a call out of the running ones. `None`: this reader never got it, or already got its end.
    fn is_over_now(&mut self, id: &str) -> Option<DrawnCall> {
        let call = self.calls.remove(id)?;
        self.over.insert(id.to_owned());
        self.has_returned = true;
        Some(call)
    }

    pub(super) fn due_at(&self) -> Option<Timestamp> {
        self.calls.values().filter_map(|call| call.until).min()
    }

    /// Ends calls whose results are no longer waited for.
    pub(super) fn give_up(&mut self, now: Timestamp, out: &mut Outbox) {
        let due = self.calls.iter().filter(|(_, call)| call.until.is_some_and(|until| until <= now));
        for id in due.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.output(&id, json!({"_sdkPassthrough": true}), out);
        }
    }

    /// Ends the stream.
    pub(super) fn end(&mut self, last: &Chunk<'_>, out: &mut Outbox) {
        self.end_blocks(out);
        send(&Chunk::FinishStep, out);
        send(last, out);
        out.frames.push(Frame::Chunk(Bytes::from_static(b"data: [DONE]\n\n")));
        out.hang_up = Some((1000, String::new()));
    }
}

/// The arguments of a call, byte by byte as a browser writes them: in the stream, and whenever they are loaded again.
pub(super) fn arguments(input: &str) -> String {
    json::parse(input).map_or_else(|| "{}".to_owned(), |input| js::stringify(&input))
}

/// Adds to an output that the input of its call was large.
pub(super) fn with_large(output: Value, large: Option<Map<String, Value>>) -> Value {
    match (output, large) {
        (output, None) => output,
        (Value::Object(fields), Some(large)) => Value::Object(fields.into_iter().chain(large).collect()),
        (output, Some(large)) => Value::Object(large.into_iter().chain([("content".to_owned(), output)]).collect()),
    }
}

/// Splits a text between characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, more) = rest.split_at(rest.floor_char_boundary(quirks::PIECE_BYTES));
        rest = more;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(out: &Outbox, kind: &str) -> usize {
        let has = |frame: &&Frame<'_>| matches!(frame, Frame::Chunk(chunk) if chunk.windows(kind.len()).any(|part| part == kind.as_bytes()));
        out.frames.iter().filter(has).count()
    }

    /// Stored text takes another path than deltas, and may come after the beginning of the next block.
    #[test]
    fn a_thought_that_is_stored_late_does_not_split_the_text_that_grows() {
        let (mut drawn, mut out) = (SentToReader::default(), Outbox::default());
        drawn.delta(1, BlockKind::Thinking, 0, "Hm", &mut out);
        drawn.delta(2, BlockKind::Text, 0, "The answer ", &mut out);
        drawn.whole(1, BlockKind::Thinking, "Hm, so.", &mut out);
        drawn.delta(2, BlockKind::Text, 11, "is ", &mut out);
        drawn.whole(2, BlockKind::Text, "The answer is 42.", &mut out);
        drawn.end(&Chunk::Finish { finish_reason: "stop" }, &mut out);
        let chunks = out.frames.iter().map(|frame| match frame {
            Frame::Chunk(chunk) => String::from_utf8_lossy(chunk).trim().replace("data: ", ""),
            other => format!("{other:?}"),
        });
        let chunks: Vec<_> = chunks.collect();
        let expected = [
            r#"{"type":"reasoning-start","id":"1"}"#,
            r#"{"type":"reasoning-delta","id":"1","delta":"Hm"}"#,
            r#"{"type":"text-start","id":"2"}"#,
            r#"{"type":"text-delta","id":"2","delta":"The answer "}"#,
            r#"{"type":"reasoning-delta","id":"1","delta":", so."}"#,
            r#"{"type":"reasoning-end","id":"1"}"#,
            r#"{"type":"text-delta","id":"2","delta":"is "}"#,
            r#"{"type":"text-delta","id":"2","delta":"42."}"#,
            r#"{"type":"text-end","id":"2"}"#,
            r#"{"type":"finish-step"}"#,
            r#"{"type":"finish","finishReason":"stop"}"#,
            "[DONE]",
        ];
        assert_eq!(chunks, expected);
    }

    /// The original keeps 256 results for readers that come later, and forgets the oldest.
    #[test]
    fn three_hundred_tools_that_finish_at_once_lose_no_result() {
        let (mut drawn, mut out) = (SentToReader::default(), Outbox::default());
        for number in 0..300 {
            drawn.call(&format!("call_{number}"), "Bash", "{}", None, &mut out);
        }
        for number in (0..300).rev() {
            drawn.output(&format!("call_{number}"), json!(number), &mut out);
            drawn.output(&format!("call_{number}"), json!("again"), &mut out);
        }
        assert_eq!((told(&out, "tool-input-available"), told(&out, "tool-output-available")), (300, 300));
        assert_eq!(told(&out, "again"), 0);
    }

    #[test]
    fn pieces_of_a_text_are_cut_between_characters_and_are_the_text() {
        let text = "ü€𝄞a".repeat(700);
        assert!(pieces(&text).count() > 1);
        assert_eq!(pieces(&text).collect::<String>(), text);
    }
}
