//! The OpenAPI document of the HTTP API.

use serde_json::{Map, Value, json};

use super::address::Address;
use super::operation::Operation;
use super::schemas::Schemas;

const ABOUT: &str = "\
askbridge carries a coding agent's question to a person, waits, and carries the answer back.

Agents ask with `POST /v1/asks` and come back for the answer; people see and decide. Every request carries \
`authorization: Bearer ab_…`, except at addresses that need no token. Refusals are `application/problem+json` (RFC \
9457) with a `code` that never changes, and a page about it at `/docs/errors/CODE`. The same things happen on a \
WebSocket, `/v1/ws`, which is described at `/v1/asyncapi.json`.";

/// Makes the document. The version is that of the API, not of the release.
pub(super) fn document(addresses: &[Address]) -> Value {
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    for address in addresses {
        let mut operation = Operation::new(&mut schemas, address.path);
        (address.describe)(&mut operation);
        let path = paths.entry(address.path).or_insert_with(|| json!({}));
        path[address.method.to_ascii_lowercase()] = operation.finish();
    }
    let tags = [
        ("Asks", "What only a person may decide: questions, approvals, plans, forms."),
        ("Sessions", "Conversations that asks belong to, and what happened in them."),
        ("Following", "Everything as it happens."),
        ("Agents", "Agents in people's own terminals, and whether the person is there."),
        ("Channels", "The ways in which people are reached while away, and what was rung."),
        ("Callers", "Who may do what: people, agents, tokens."),
        ("Server", "The server itself."),
    ];
    let tags: Vec<_> = tags.map(|(name, description)| json!({"name": name, "description": description})).into();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "askbridge",
            "version": "1",
            "description": ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {
                "type": "http",
                "scheme": "bearer",
                "description": "A token: a person's from `askbridge pair`, an agent's from `askbridge token create NAME`.",
            }},
            "schemas": schemas.finish([]),
        },
    })
}
