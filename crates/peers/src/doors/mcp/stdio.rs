//! The client side of `askbridge mcp`: answers the handshake itself, so that a client starts whether a server runs or
//! not, and passes on what needs one.

use askbridge_core::ids::SessionId;
use serde_json::{Value, json};

use super::client_session::{Client, ClientSession, Whereabouts};
use super::era::{self, Era};
use super::rpc::{self, Fault, Message, Request};
use super::{greeting, tools};
use crate::ask_tool;

/// The header that names a session.
pub const SESSION_ID: &str = "mcp-session-id";
/// The header that says where the client works, form-encoded.
pub const CONTEXT: &str = "askbridge-context";

/// One conversation over stdin and stdout: one session.
#[derive(Debug)]
pub struct StdioSession {
    client_session: ClientSession,
    context: String,
}

/// What to do with a line.
#[derive(Debug)]
pub enum StdioAction {
    /// Write this answer.
    Say(String),
    /// Send it to the server.
    Pass(Passed),
    /// Send it to the server; no answer comes back.
    Tell(Passed),
    /// The client gave up on the request with this id.
    GivenUp(Value),
    Nothing,
}

/// A request for the server.
#[derive(Debug)]
pub struct Passed {
    pub id: Value,
    /// Besides the usual ones.
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    /// Whether sending it twice is harmless.
    pub can_be_repeated: bool,
    tool: String,
    era: Era,
}

/// Writes where a client works, for the header.
pub fn whereabouts(folder: Option<&str>, branch: Option<&str>, is_attended: Option<bool>) -> String {
    let mut header = "transport=stdio".to_owned();
    let attended = is_attended.map(|is_attended| if is_attended { "yes" } else { "no" });
    for (name, value) in [("folder", folder), ("branch", branch), ("attended", attended)] {
        if let Some(value) = value {
            header.push_str(&format!("&{name}="));
            for byte in value.bytes() {
                match byte {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                        header.push(char::from(byte))
                    }
                    byte => header.push_str(&format!("%{byte:02X}")),
                }
            }
        }
    }
    header
}

impl StdioSession {
    /// Begins a conversation; `bits` are random, `context` says where the client works.
    pub fn new(bits: u128, context: String) -> Self {
        let whereabouts = Whereabouts::read(Some(&context));
        Self { client_session: ClientSession::fresh(bits, Client::default(), whereabouts), context }
    }

    pub fn session(&self) -> SessionId {
        self.client_session.session
    }

    /// The headers of every request to the server.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        vec![(SESSION_ID, self.client_session.name()), (CONTEXT, self.context.clone())]
    }

    /// Takes one line.
    pub fn hear(&mut self, line: &str) -> StdioAction {
        match rpc::read(line) {
            Ok(Message::Request(request)) => self.requested(request, line),
            Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
                StdioAction::GivenUp(params["requestId"].clone())
            }
            Ok(Message::Response { id, .. }) => StdioAction::Tell(Passed {
                headers: self.headers(),
                body: line.to_owned(),
                can_be_repeated: true,
                id,
                tool: String::new(),
                era: Era::Handshake,
            }),
            Ok(Message::Notification { .. }) => StdioAction::Nothing,
            Err(fault) => StdioAction::Say(rpc::error(&Value::Null, &fault).to_string()),
        }
    }

    fn requested(&mut self, request: Request, line: &str) -> StdioAction {
        let fault = |fault: &Fault| StdioAction::Say(rpc::error(&request.id, fault).to_string());
        let (era, said) = match era::read(&request, None) {
            Ok(read) => read,
            Err(why) => return fault(&why),
        };
        if request.method == "initialize" {
            self.client_session.client = Client::greeted(&request.params);
        } else if let Some(client) = &said.client {
            self.client_session.client = Client::read(client);
        }
        match greeting::at_once(&request, era, &self.client_session.client) {
            Some(Ok(result)) => StdioAction::Say(rpc::result(&request.id, result).to_string()),
            Some(Err(why)) => fault(&why),
            None => {
                let tool = request.params["name"].as_str().unwrap_or_default().to_owned();
                StdioAction::Pass(Passed {
                    headers: self.headers(),
                    body: line.to_owned(),
                    can_be_repeated: tool != tools::NOTIFY,
                    id: request.id,
                    tool,
                    era,
                })
            }
        }
    }
}

impl Passed {
    /// The answer to the client if the server cannot be reached.
    pub fn failed(&self, why: &str) -> String {
        let words = format!("{why} Nobody was asked; do not assume an answer.");
        let said = match self.tool.as_str() {
            "" => return rpc::error(&self.id, &Fault::new(-32603, words)).to_string(),
            tools::APPROVE => ask_tool::said(&json!({"behavior": "deny", "message": words}).to_string(), false),
            _ => ask_tool::said(&words, true),
        };
        rpc::result(&self.id, era::complete(self.era, said)).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(stdio: &mut StdioSession, line: &str) -> Value {
        match stdio.hear(line) {
            StdioAction::Say(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    fn passed(stdio: &mut StdioSession, line: &str) -> Passed {
        match stdio.hear(line) {
            StdioAction::Pass(passed) => passed,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_client_is_greeted_whether_a_server_runs_or_not() {
        let mut stdio = StdioSession::new(7, whereabouts(Some("/srv/Größe a+b"), Some("main"), Some(true)));
        let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"claude-code"}}}"#;
        assert_eq!(said(&mut stdio, hello)["result"]["protocolVersion"], "2025-06-18");
        let tools = said(&mut stdio, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 5);
        assert!(matches!(
            stdio.hear(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            StdioAction::Nothing
        ));
        let client_session =
            ClientSession::named(&stdio.client_session.name(), Whereabouts::read(Some(&stdio.context))).unwrap();
        assert_eq!((client_session.client.name.as_str(), client_session.session), ("claude-code", stdio.session()));
        assert_eq!(client_session.whereabouts.folder.as_deref(), Some("/srv/Größe a+b"));
    }

    #[test]
    fn a_call_that_nobody_can_take_is_answered_in_words() {
        let mut stdio = StdioSession::new(7, String::new());
        let call = |tool: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#
            )
        };
        let asked = passed(&mut stdio, &call("ask_user_question"));
        assert!(asked.can_be_repeated && !passed(&mut stdio, &call("notify_user")).can_be_repeated);
        let failed: Value = serde_json::from_str(&asked.failed("askbridge is not running.")).unwrap();
        assert_eq!((&failed["id"], &failed["result"]["isError"]), (&json!("c"), &json!(true)));
        let failed: Value = serde_json::from_str(&passed(&mut stdio, &call("approve")).failed("It is down.")).unwrap();
        let decision = failed["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(decision).unwrap()["behavior"], "deny");
    }

    #[test]
    fn whoever_gives_up_is_heard_and_nonsense_is_refused() {
        let mut stdio = StdioSession::new(7, String::new());
        let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#;
        assert!(matches!(stdio.hear(cancelled), StdioAction::GivenUp(id) if id == 3));
        for (line, code) in [("{", -32700), ("[]", -32600), (r#"{"id":{},"method":"x"}"#, -32600)] {
            assert_eq!(said(&mut stdio, line)["error"]["code"], code, "{line}");
        }
    }
}
