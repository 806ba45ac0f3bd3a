//! The frames as schemas, for the API documents.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::wire::{ClientFrame, ServerFrame};

/// Placeholder for the schema of events. The journal knows how events are written, and peers do not know the journal,
/// so a document of both puts the journal's schema in first, under the same id.
pub struct EventRecord;

/// The id of the schema of events.
pub const EVENT_SCHEMA_ID: &str = "askbridge::Event";

impl JsonSchema for EventRecord {
    fn schema_name() -> Cow<'static, str> {
        "Event".into()
    }

    fn schema_id() -> Cow<'static, str> {
        EVENT_SCHEMA_ID.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "required": ["type"]})
    }
}

/// Something happened that you may see. Written around the record by `tell::event_frame`, which this mirrors.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "a shape, never a value: the frame is put together as text")]
struct EventFrame {
    #[schemars(rename = "type", extend("const" = "event"))]
    kind: String,
    session: String,
    /// Milliseconds since 1970.
    at: i64,
    /// Where to come back to. Only on the last of what happened together.
    #[schemars(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    event: EventRecord,
}

/// Returns the schema of what a client may send: one of several, told apart by `type`.
pub fn client_frame(generator: &mut SchemaGenerator) -> Schema {
    ClientFrame::json_schema(generator)
}

/// Returns the schema of what a client may be sent: one of several, told apart by `type`.
pub fn server_frame(generator: &mut SchemaGenerator) -> Schema {
    let event = EventFrame::json_schema(generator);
    let mut all = ServerFrame::json_schema(generator);
    if let Some(frames) = all.get_mut("oneOf").and_then(|frames| frames.as_array_mut()) {
        frames.push(event.to_value());
    }
    all
}
