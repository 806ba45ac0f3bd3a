//! Encodes a reply as the events of a stream, or as one message.

use serde_json::{Value, json};

use super::reply::Piece;

/// One step of a streamed reply.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamStep {
    Event(Value),
    Gate(String),
    BrokenOff,
}

/// Splits pieces into events: start, blocks with their deltas, stop. `number` makes the message's id.
pub fn steps(pieces: &[Piece], model: &str, number: usize) -> Vec<StreamStep> {
    let mut start = message(&[], model, number);
    start["stop_reason"] = Value::Null;
    let mut steps = vec![event(json!({"type": "message_start", "message": start})), event(json!({"type": "ping"}))];
    let mut index = 0;
    for piece in pieces {
        let (halt, piece) = match piece {
            Piece::Halting { gate, piece } => (Some(gate), &**piece),
            other => (None, other),
        };
        let (start, deltas) = match piece {
            // A halting piece inside a halting piece is not supported.
            Piece::Halting { .. } => continue,
            Piece::Gate(name) => {
                steps.push(StreamStep::Gate(name.clone()));
                continue;
            }
            Piece::BrokenOff => {
                steps.push(StreamStep::BrokenOff);
                return steps;
            }
            Piece::Text(text) => (
                json!({"type": "text", "text": ""}),
                halves(text).map(|part| json!({"type": "text_delta", "text": part})).collect::<Vec<_>>(),
            ),
            Piece::Thinking(text) => {
                let deltas = halves(text).map(|part| json!({"type": "thinking_delta", "thinking": part}));
                let signature = json!({"type": "signature_delta", "signature": "c2NyaXB0ZWQ="});
                (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas.chain([signature]).collect())
            }
            Piece::Tool { id, name, input, chunk_bytes } => (
                json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
                parts(&input.to_string(), *chunk_bytes)
                    .map(|part| json!({"type": "input_json_delta", "partial_json": part}))
                    .collect(),
            ),
        };
        steps.push(event(json!({"type": "content_block_start", "index": index, "content_block": start})));
        let middle = deltas.len() / 2;
        for (place, delta) in deltas.into_iter().enumerate() {
            if let Some(gate) = halt.filter(|_| place == middle) {
                steps.push(StreamStep::Gate(gate.clone()));
            }
            steps.push(event(json!({"type": "content_block_delta", "index": index, "delta": delta})));
        }
        steps.push(event(json!({"type": "content_block_stop", "index": index})));
        index += 1;
    }
    let stop = json!({"stop_reason": stop_reason(pieces), "stop_sequence": null});
    steps.push(event(json!({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 20}})));
    steps.push(event(json!({"type": "message_stop"})));
    steps
}

/// Returns the same as one message, for clients that do not stream.
pub fn message(pieces: &[Piece], model: &str, number: usize) -> Value {
    let content: Vec<Value> = pieces.iter().filter_map(block).collect();
    json!({
        "id": format!("msg_scripted_{number}"), "type": "message", "role": "assistant", "model": model,
        "content": content, "stop_reason": stop_reason(pieces), "stop_sequence": null,
        "usage": {
            "input_tokens": 100, "output_tokens": 20,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        },
    })
}

fn block(piece: &Piece) -> Option<Value> {
    match piece {
        Piece::Text(text) => Some(json!({"type": "text", "text": text})),
        Piece::Thinking(text) => Some(json!({"type": "thinking", "thinking": text, "signature": "c2NyaXB0ZWQ="})),
        Piece::Tool { id, name, input, .. } => {
            Some(json!({"type": "tool_use", "id": id, "name": name, "input": input}))
        }
        Piece::Halting { piece, .. } => block(piece),
        Piece::Gate(_) | Piece::BrokenOff => None,
    }
}

fn stop_reason(pieces: &[Piece]) -> &'static str {
    let calls = pieces.iter().any(|piece| match piece {
        Piece::Halting { piece, .. } => matches!(**piece, Piece::Tool { .. }),
        piece => matches!(piece, Piece::Tool { .. }),
    });
    if calls { "tool_use" } else { "end_turn" }
}

fn event(value: Value) -> StreamStep {
    StreamStep::Event(value)
}

/// Splits a text into two deltas, so that no client can rely on getting one.
fn halves(text: &str) -> impl Iterator<Item = &str> {
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (first, second) = text.split_at(middle);
    [first, second].into_iter().filter(|part| !part.is_empty())
}

/// Splits a text into parts of at most this many bytes, between characters.
fn parts(text: &str, bytes: Option<usize>) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(rest.ceil_char_boundary(bytes.unwrap_or(rest.len()).min(rest.len())));
        rest = after;
        Some(part)
    })
}
