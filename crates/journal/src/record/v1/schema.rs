//! The JSON schema of the records, for the API documents. Clients get events as they are stored.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::Record;
use super::text::{Hex, Id, Json};

/// The schema of an event, as it is stored and sent.
pub struct EventSchema;

impl JsonSchema for EventSchema {
    fn schema_name() -> Cow<'static, str> {
        "Event".into()
    }

    fn schema_id() -> Cow<'static, str> {
        // Peers, which know nothing of the journal, refer to events by this id.
        "askbridge::Event".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Record::json_schema(generator);
        schema.insert("description".to_owned(), "Something that happened, as it is stored and told.".into());
        schema
    }
}

impl<T> JsonSchema for Id<T> {
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

impl JsonSchema for Hex {
    fn schema_name() -> Cow<'static, str> {
        "Hex".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[0-9a-f]{16}$"})
    }
}

impl JsonSchema for Json<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"description": "JSON that came from outside, as it was."})
    }
}
