//! The description of one address, built in a few lines beside its handler.

use std::collections::BTreeMap;

use askbridge_peers::json::{Code, Problem};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::schemas::Schemas;

/// Refusals that any request may meet.
const EVERYWHERE: &[&str] = &["host_not_allowed", "origin_not_allowed", "too_large"];
/// Refusals that a request with a token may meet.
const WITH_TOKEN: &[&str] = &["unauthorized", "too_fast", "down"];
/// Refusals that a request with a body may meet.
const WITH_BODY: &[&str] = &["not_json", "too_slow", "bad_request"];

/// The description of one address, as it is built.
pub(crate) struct Operation<'a> {
    schemas: &'a mut Schemas,
    said: Map<String, Value>,
    parameters: Vec<Value>,
    responses: BTreeMap<u16, Value>,
    refusals: Vec<&'static str>,
}

impl<'a> Operation<'a> {
    pub(super) fn new(schemas: &'a mut Schemas, path: &str) -> Self {
        let mut said = Map::new();
        said.insert("security".to_owned(), json!([{"token": []}]));
        let mut new = Self {
            schemas,
            said,
            parameters: Vec::new(),
            responses: BTreeMap::new(),
            refusals: EVERYWHERE.iter().chain(WITH_TOKEN).copied().collect(),
        };
        if path.contains("{id}") {
            let (what, prefix) = match path.split('/').nth(2) {
                Some("asks") => ("ask", "ask_"),
                Some("sessions") => ("session", "ses_"),
                Some("previews") => ("preview", "pre_"),
                Some("devices") => ("device", ""),
                _ => ("token", "tok_"),
            };
            let description = format!("The id of the {what}: `{prefix}…`.");
            new.parameters.push(json!({
                "name": "id", "in": "path", "required": true, "description": description,
                "schema": {"type": "string"},
            }));
        }
        new
    }

    /// Its name for programs, its group, and one line.
    pub(crate) fn is(&mut self, id: &str, tag: &str, summary: &str) -> &mut Self {
        self.say("operationId", id);
        self.said.insert("tags".to_owned(), json!([tag]));
        self.say("summary", summary);
        self
    }

    /// The rest of the description, in Markdown.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.say("description", text)
    }

    /// Needs no token.
    pub(crate) fn open_to_all(&mut self) -> &mut Self {
        self.said.insert("security".to_owned(), json!([]));
        self.refusals.retain(|code| !WITH_TOKEN.contains(code));
        self
    }

    /// Only on the local socket; over the network it is refused.
    pub(crate) fn only_here(&mut self) -> &mut Self {
        self.open_to_all().refuses(&["forbidden", "down"])
    }

    pub(crate) fn query<T: JsonSchema>(&mut self) -> &mut Self {
        let schema = self.schemas.heard_inline::<T>();
        let Some(Value::Object(properties)) = schema.get("properties").cloned() else { return self };
        for (name, mut schema) in properties {
            let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            self.parameters.push(json!({"name": name, "in": "query", "description": description, "schema": schema}));
        }
        self.refuses(&["bad_request"])
    }

    pub(crate) fn header(&mut self, name: &str, description: &str, schema: Value) -> &mut Self {
        self.parameters.push(json!({"name": name, "in": "header", "description": description, "schema": schema}));
        self
    }

    /// A required body.
    pub(crate) fn body<T: JsonSchema>(&mut self, example: Value) -> &mut Self {
        let schema = self.schemas.heard::<T>();
        self.takes(schema, example, true)
    }

    /// An optional body.
    pub(crate) fn may_have_body<T: JsonSchema>(&mut self, example: Value) -> &mut Self {
        let schema = self.schemas.heard::<T>();
        self.takes(schema, example, false)
    }

    fn takes(&mut self, schema: Value, example: Value, required: bool) -> &mut Self {
        let content = json!({"application/json": {"schema": schema, "example": example}});
        self.said.insert("requestBody".to_owned(), json!({"required": required, "content": content}));
        self.refuses(WITH_BODY)
    }

    /// The body of a successful response.
    pub(crate) fn returns<T: JsonSchema>(&mut self, status: u16, description: &str) -> &mut Self {
        let schema = self.schemas.told::<T>();
        let content = json!({"application/json": {"schema": schema}});
        self.responses.insert(status, json!({"description": description, "content": content}));
        self
    }

    /// A successful response has only a status.
    pub(crate) fn returns_nothing(&mut self, status: u16, description: &str) -> &mut Self {
        self.responses.insert(status, json!({"description": description}));
        self
    }

    /// A successful response is not JSON.
    pub(crate) fn streams(&mut self, status: u16, kind: &str, description: &str) -> &mut Self {
        let content = json!({kind: {"schema": {"type": "string"}}});
        self.responses.insert(status, json!({"description": description, "content": content}));
        self
    }

    /// Codes it may refuse with, besides those that any request may meet.
    pub(crate) fn refuses(&mut self, codes: &[&'static str]) -> &mut Self {
        self.refusals.extend(codes);
        self
    }

    fn say(&mut self, key: &str, text: &str) -> &mut Self {
        self.said.insert(key.to_owned(), json!(text));
        self
    }

    pub(super) fn finish(mut self) -> Value {
        let problem = self.schemas.told::<Problem>();
        let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
        for name in std::mem::take(&mut self.refusals) {
            let code = Code::named(name).expect("an address refuses with codes of the list");
            let codes = by_status.entry(code.status).or_default();
            if !codes.contains(&name) {
                codes.push(name);
            }
        }
        for (status, mut codes) in by_status {
            codes.sort_unstable();
            let links: Vec<_> = codes.iter().map(|code| format!("[`{code}`]({})", Code::address(code))).collect();
            let description = links.join(", ");
            let content = json!({"application/problem+json": {"schema": problem}});
            let known = self
                .responses
                .insert(status, json!({"description": description, "content": content, "x-codes": codes}));
            assert!(known.is_none(), "{status} is a success and a refusal");
        }
        let responses: Map<_, _> = self.responses.into_iter().map(|(status, it)| (status.to_string(), it)).collect();
        self.said.insert("parameters".to_owned(), json!(self.parameters));
        self.said.insert("responses".to_owned(), json!(responses));
        Value::Object(self.said)
    }
}
