//! The AsyncAPI document of the native WebSocket.

use askbridge_peers::dialects::native;
use serde_json::{Map, Value, json};

use super::schemas::Schemas;

const ABOUT: &str = "\
askbridge's own WebSocket, protocol 1. The client says hello with its token and perhaps a cursor; it gets a snapshot, or \
what it missed; then every event as it happens. What it wants it sends with a tag of its own, and gets a reply with the \
same tag once that is durable. The server's frames are sent one way, as server-sent events, at `GET /v1/events`, too.";

pub(super) fn document() -> Value {
    let mut schemas = Schemas::new();
    let sent = native::client_frame(&mut schemas.heard);
    let told = native::server_frame(&mut schemas.told);
    let schemas = schemas.finish([("ClientFrame", sent), ("ServerFrame", told)]);
    let (heard, told) = (messages(&schemas, "ClientFrame"), messages(&schemas, "ServerFrame"));
    let refer = |messages: &Map<String, Value>| -> Vec<Value> {
        messages.keys().map(|name| json!({"$ref": format!("#/channels/native/messages/{name}")})).collect()
    };
    let (from_client, from_server) = (refer(&heard), refer(&told));
    let known = |messages: &Map<String, Value>| -> Map<String, Value> {
        let refer = |name: &String| json!({"$ref": format!("#/components/messages/{name}")});
        messages.keys().map(|name| (name.clone(), refer(name))).collect()
    };
    let mut in_channel = known(&heard);
    in_channel.extend(known(&told));
    let mut all = heard;
    all.extend(told);
    json!({
        "asyncapi": "3.0.0",
        "info": {
            "title": "askbridge",
            "version": "1",
            "description": ABOUT,
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {"here": {"host": "127.0.0.1:4760", "protocol": "ws", "security": [{"$ref": "#/components/securitySchemes/token"}]}},
        "channels": {"native": {
            "address": "/v1/ws",
            "description": "The token comes with the upgrade or, because browsers cannot send headers there, with `hello`.",
            "messages": in_channel,
        }},
        "operations": {
            "hear": {
                "action": "receive",
                "channel": {"$ref": "#/channels/native"},
                "summary": "What a client sends.",
                "messages": from_client,
            },
            "tell": {
                "action": "send",
                "channel": {"$ref": "#/channels/native"},
                "summary": "What a client is sent.",
                "messages": from_server,
            },
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "messages": all,
            "schemas": schemas,
        },
    })
}

/// Makes a message of every frame, named by who sends it and its type: `client_hello`, `server_welcome`.
fn messages(schemas: &Map<String, Value>, frame: &str) -> Map<String, Value> {
    let from = if frame == "ClientFrame" { "client" } else { "server" };
    let frames = schemas[frame]["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    let made = frames.iter().enumerate().map(|(place, one)| {
        let kind = one["properties"]["type"]["const"].as_str().unwrap_or_default();
        let name = one["title"].as_str().map_or_else(|| kind.to_owned(), str::to_ascii_lowercase);
        let payload = json!({"$ref": format!("#/components/schemas/{frame}/oneOf/{place}")});
        (format!("{from}_{name}"), json!({"name": kind, "summary": one["description"], "payload": payload}))
    });
    made.collect()
}
