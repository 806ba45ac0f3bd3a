//! JSON-RPC 2.0, as far as MCP uses it: one message at a time.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

pub(super) const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
/// These are numbered by revision 2026-07-28.
pub(super) const HEADER_MISMATCH: i64 = -32020;
pub(super) const MISSING_CAPABILITY: i64 = -32021;
pub(super) const UNSUPPORTED_VERSION: i64 = -32022;

/// A message from a client.
#[derive(Debug)]
pub(super) enum Message {
    Request(Request),
    Notification {
        method: String,
        params: Value,
    },
    /// The response to a request of ours. An error has no result.
    Response {
        id: Value,
        result: Value,
    },
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Value,
    /// The arguments of a tool call as they were written, so that they can go back unchanged.
    pub(super) arguments: Option<Box<RawValue>>,
}

/// Why a request cannot be answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    pub(super) code: i64,
    pub(super) words: String,
    pub(super) data: Value,
}

impl Fault {
    pub(super) fn new(code: i64, words: impl Into<String>) -> Self {
        Self { code, words: words.into(), data: Value::Null }
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<String>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(default)]
    result: Value,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

/// Reads one message.
pub(super) fn read(text: &str) -> Result<Message, Fault> {
    let envelope: Envelope<'_> = match serde_json::from_str(text) {
        Ok(envelope) if !text.trim_start().starts_with('[') => envelope,
        Err(error) if !error.is_data() => return Err(Fault::new(PARSE_ERROR, format!("this is not JSON: {error}"))),
        _ => return Err(Fault::new(INVALID_REQUEST, "one JSON-RPC message is expected, and no list of them")),
    };
    let params = envelope.params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or(Value::Null);
    match (envelope.id, envelope.method) {
        (Some(id @ (Value::String(_) | Value::Number(_))), Some(method)) => {
            let arguments = envelope.params.and_then(|params| serde_json::from_str::<Arguments>(params.get()).ok());
            let arguments = arguments.and_then(|arguments| arguments.arguments);
            Ok(Message::Request(Request { id, method, params, arguments }))
        }
        (None, Some(method)) => Ok(Message::Notification { method, params }),
        (Some(id @ (Value::String(_) | Value::Number(_))), None) => {
            Ok(Message::Response { id, result: envelope.result })
        }
        _ => Err(Fault::new(INVALID_REQUEST, "this is no JSON-RPC message: an id is a text or a number")),
    }
}

pub(super) fn result(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub(super) fn error(id: &Value, fault: &Fault) -> Value {
    let mut error = json!({"code": fault.code, "message": fault.words});
    if !fault.data.is_null() {
        error["data"] = fault.data.clone();
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

/// A request of ours to the client.
pub(super) fn request(id: &str, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}
