//! The schemas of a document: collected from the types, tidied, each named once.

use askbridge_journal::record::EventSchema;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

const PLACE: &str = "/components/schemas";
/// Prefix for the names of the records' own parts: an ask as it is stored is not the ask that the API shows.
const RECORDED: &str = "Recorded";

/// Schemas of what we send and of what we receive, which differ: a field that is optional in a request is always
/// present in a response.
pub(super) struct Schemas {
    pub(super) told: SchemaGenerator,
    pub(super) heard: SchemaGenerator,
}

impl Schemas {
    pub(super) fn new() -> Self {
        Self { told: settings().for_serialize().into_generator(), heard: settings().for_deserialize().into_generator() }
    }

    /// Returns a reference to the schema of something that we send.
    pub(super) fn told<T: JsonSchema>(&mut self) -> Value {
        self.told.subschema_for::<T>().to_value()
    }

    /// Returns a reference to the schema of something that we receive.
    pub(super) fn heard<T: JsonSchema>(&mut self) -> Value {
        self.heard.subschema_for::<T>().to_value()
    }

    /// Returns the tidied schema itself, for what has no name of its own.
    pub(super) fn heard_inline<T: JsonSchema>(&mut self) -> Value {
        let mut schema = T::json_schema(&mut self.heard).to_value();
        tidy(&mut schema);
        schema
    }

    /// Returns all schemas by name.
    pub(super) fn finish(self, extra: impl IntoIterator<Item = (&'static str, Schema)>) -> Map<String, Value> {
        let Self { mut told, mut heard } = self;
        let mut all = told.take_definitions(true);
        for (name, schema) in heard.take_definitions(true) {
            let known = all.insert(name.clone(), schema.clone());
            assert!(known.is_none_or(|known| known == schema), "two schemas are called {name}");
        }
        all.extend(extra.into_iter().map(|(name, schema)| (name.to_owned(), schema.to_value())));
        if all.contains_key("Event") {
            all.extend(events());
        }
        join(&mut all);
        all.values_mut().for_each(tidy);
        all
    }
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = PLACE.into();
        settings.meta_schema = None;
    })
}

/// Returns the events as the journal writes them, with names that no other schema has.
fn events() -> Map<String, Value> {
    let mut generator = settings().for_serialize().into_generator();
    let events = EventSchema::json_schema(&mut generator).to_value();
    let parts = generator.take_definitions(true);
    let mut all: Map<_, _> = parts.into_iter().map(|(name, part)| (format!("{RECORDED}{name}"), part)).collect();
    all.insert("Event".to_owned(), events);
    all.values_mut().for_each(rename);
    all
}

fn rename(schema: &mut Value) {
    each(schema, &mut |map| {
        let place = map.get("$ref").and_then(|place| place.as_str()?.strip_prefix("#/components/schemas/"));
        if let Some(place) = place.map(|name| format!("#{PLACE}/{RECORDED}{name}")) {
            map.insert("$ref".to_owned(), json!(place));
        }
    });
}

/// Merges an alternative of a tag and a reference into one object, so that it can be read, and named, as a whole.
fn join(all: &mut Map<String, Value>) {
    let known = all.clone();
    let mut joined = Vec::new();
    let alternatives = all.values_mut().filter_map(|schema| schema.get_mut("oneOf")?.as_array_mut()).flatten();
    for one in alternatives.filter_map(Value::as_object_mut).filter(|one| one.contains_key("properties")) {
        let Some(name) = one.get("$ref").and_then(|place| place.as_str()?.rsplit('/').next()).map(str::to_owned) else {
            continue;
        };
        one.remove("$ref");
        for (key, value) in known[&name].as_object().into_iter().flatten() {
            match (one.get_mut(key), value) {
                (Some(Value::Object(own)), Value::Object(more)) => own.extend(more.clone()),
                (Some(Value::Array(own)), Value::Array(more)) => own.extend(more.iter().cloned()),
                (Some(_), _) => {}
                (None, _) => drop(one.insert(key.clone(), value.clone())),
            }
        }
        joined.push(name);
    }
    for name in joined {
        let place = format!("\"#{PLACE}/{name}\"");
        if !all.values().any(|schema| schema.to_string().contains(&place)) {
            all.remove(&name);
        }
    }
}

/// Makes optional fields absent instead of nullable: that is how we write, and how others should.
pub(super) fn tidy(schema: &mut Value) {
    each(schema, &mut |map| {
        // Rust's number widths mean nothing to others.
        let width = |format: &str| format.starts_with(['u', 'i', 'f']) || format == "double";
        if map.get("format").and_then(Value::as_str).is_some_and(width) {
            map.remove("format");
        }
        if let Some(Value::String(text)) = map.get_mut("description") {
            // Line breaks of the source are not line breaks of the text.
            *text = text.replace("\n\n", "\0").replace('\n', " ").replace('\0', "\n\n");
        }
        let required = map.get("required").cloned().unwrap_or_default();
        let Some(Value::Object(properties)) = map.get_mut("properties") else { return };
        for (name, property) in properties {
            let is_required = required.as_array().is_some_and(|names| names.iter().any(|it| it == name));
            if !is_required {
                not_null(property);
            }
        }
    });
}

fn not_null(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|one| one != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(any)) = map.get_mut("anyOf") {
        any.retain(|one| one != &json!({"type": "null"}));
        if let [Value::Object(only)] = any.as_slice() {
            let only = only.clone();
            map.remove("anyOf");
            // Its own description says more than that of the type it refers to.
            for (key, value) in only {
                map.entry(key).or_insert(value);
            }
        }
    }
    if map.get("default") == Some(&Value::Null) {
        map.remove("default");
    }
}

/// Visits every object of a schema, the innermost first.
fn each(schema: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(|value| each(value, visit));
            visit(map);
        }
        Value::Array(list) => list.iter_mut().for_each(|value| each(value, visit)),
        _ => {}
    }
}
