//! The two forms of the protocol: with a handshake and a session, or with self-contained requests.

use serde_json::{Value, json};

use super::rpc::{Fault, HEADER_MISMATCH, INVALID_PARAMS, Request, UNSUPPORTED_VERSION};

/// Revisions that begin with `initialize`. For a server that only has tools, the older two differ in nothing.
const HANDSHAKE: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The answer to `initialize` if the client wants a revision that we do not speak.
const NEWEST_HANDSHAKE: &str = "2025-11-25";
/// The revision with self-contained requests.
pub(super) const MODERN: &str = "2026-07-28";

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
pub(super) const SERVER: &str = "io.modelcontextprotocol/serverInfo";
pub(super) const TASKS: &str = "io.modelcontextprotocol/tasks";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    Handshake,
    Modern,
}

/// What a request's HTTP headers say about it. Over stdio there are none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Routing<'a> {
    pub(super) version: Option<&'a str>,
    pub(super) method: Option<&'a str>,
    pub(super) name: Option<&'a str>,
}

/// The client and its capabilities, from `initialize` or from the request itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Handshake {
    pub(super) client: Option<Value>,
    pub(super) tasks: bool,
}

/// The revision that `initialize` is answered with.
pub(super) fn agreed(wanted: Option<&str>) -> &'static str {
    HANDSHAKE.iter().find(|known| Some(**known) == wanted).copied().unwrap_or(NEWEST_HANDSHAKE)
}

/// Returns the form of a request, and what it says about its client. `routing` is `None` where there are no headers.
pub(super) fn read(request: &Request, routing: Option<Routing<'_>>) -> Result<(Era, Handshake), Fault> {
    let meta = &request.params["_meta"];
    let header = routing.and_then(|routing| routing.version);
    if request.method == "initialize" || (header != Some(MODERN) && meta[VERSION].is_null()) {
        return match header {
            Some(version) if request.method != "initialize" && !HANDSHAKE.contains(&version) => {
                Err(unsupported(version))
            }
            _ => Ok((Era::Handshake, Handshake::default())),
        };
    }
    let (version, capabilities) = (&meta[VERSION], &meta[CAPABILITIES]);
    if version.is_null() || capabilities.is_null() {
        return Err(Fault::new(INVALID_PARAMS, format!("`params._meta` needs `{VERSION}` and `{CAPABILITIES}`")));
    }
    let Some(version) = version.as_str() else {
        return Err(Fault::new(INVALID_PARAMS, format!("`{VERSION}` has to be a text")));
    };
    if let Some(routing) = routing {
        agrees(request, version, routing)?;
    }
    if version != MODERN {
        return Err(unsupported(version));
    }
    let client = Some(meta[CLIENT].clone()).filter(Value::is_object);
    Ok((Era::Modern, Handshake { client, tasks: capabilities["extensions"][TASKS].is_object() }))
}

/// Proxies route by the headers, so these have to agree with the body.
fn agrees(request: &Request, version: &str, routing: Routing<'_>) -> Result<(), Fault> {
    let mismatch =
        |header: &str| Err(Fault::new(HEADER_MISMATCH, format!("the header `{header}` differs from the body")));
    if routing.version != Some(version) {
        return mismatch("MCP-Protocol-Version");
    }
    if routing.method != Some(&request.method) {
        return mismatch("Mcp-Method");
    }
    let named = match request.method.as_str() {
        "tools/call" => &request.params["name"],
        "tasks/get" | "tasks/update" | "tasks/cancel" => &request.params["taskId"],
        _ => return Ok(()),
    };
    // Our own names are plain ASCII, so an encoded name is not one of them.
    match named.as_str() {
        Some(named) if routing.name != Some(named) => mismatch("Mcp-Name"),
        _ => Ok(()),
    }
}

fn unsupported(version: &str) -> Fault {
    let data = json!({"supported": supported(), "requested": version});
    Fault { data, ..Fault::new(UNSUPPORTED_VERSION, format!("askbridge does not speak `{version}`")) }
}

/// All revisions that we speak, oldest first.
pub(super) fn supported() -> Vec<&'static str> {
    HANDSHAKE.iter().copied().chain([MODERN]).collect()
}

/// Adds the fields that a result has in this revision.
pub(super) fn complete(era: Era, mut result: Value) -> Value {
    if era == Era::Modern && result["resultType"].is_null() {
        result["resultType"] = json!("complete");
    }
    result
}

/// The HTTP status of an error: older clients look only into the body.
pub(super) fn status(era: Era, fault: &Fault) -> u16 {
    match (era, fault.code) {
        (_, super::rpc::PARSE_ERROR | super::rpc::INVALID_REQUEST | UNSUPPORTED_VERSION | HEADER_MISMATCH) => 400,
        (Era::Handshake, _) => 200,
        (Era::Modern, super::rpc::METHOD_NOT_FOUND) => 404,
        (Era::Modern, INVALID_PARAMS | super::rpc::MISSING_CAPABILITY) => 400,
        (Era::Modern, _) => 200,
    }
}
