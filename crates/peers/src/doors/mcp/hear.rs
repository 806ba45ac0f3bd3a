//! Handles HTTP requests: each is answered at once, or becomes a call.

use askbridge_core::event::Level;
use askbridge_core::ids::AskId;
use askbridge_core::limits;
use serde_json::{Value, json};

use super::client_session::{Client, ClientSession, Whereabouts};
use super::clients::Circumstances;
use super::era::{self, Era, Handshake, Routing};
use super::outcome::Outcome;
use super::peer::{Mcp, McpCall, McpRequest, PendingReply};
use super::rpc::{self, Fault, INVALID_PARAMS, INVALID_REQUEST, Message, Request};
use super::stdio::{CONTEXT, SESSION_ID};
use super::{ask, dialog, greeting, prompt, sse, tasks, tools};
use crate::ask_tool;
use crate::peer::{Cx, Req};
use crate::wish::Query;

/// The whisper for the session's other requests when the client gives up on one of them.
pub(super) fn cancellation(id: &Value) -> String {
    format!("cancelled {id}")
}

impl Mcp {
    pub(super) fn heard(&mut self, request: &Req<'_>, cx: &mut Cx<'_>) {
        match request.method {
            "POST" => self.posted(request, cx),
            "GET" => self.listens(request, cx),
            _ => self.leaves(request, cx),
        }
    }

    fn posted(&mut self, request: &Req<'_>, cx: &mut Cx<'_>) {
        if !takes(request, "application/json") && !takes(request, "text/event-stream") {
            return sse::nothing(cx.out, 406);
        }
        let message = match std::str::from_utf8(request.body) {
            Ok(text) => rpc::read(text),
            Err(_) => Err(Fault::new(rpc::PARSE_ERROR, "this is not UTF-8")),
        };
        match message {
            Ok(Message::Request(asked)) => self.requested(request, asked, cx),
            Ok(Message::Notification { method, params }) => {
                // The question stays open. Only the request that waits for it ends.
                if let (true, Some(client_session)) = (method == "notifications/cancelled", named(request).flatten()) {
                    cx.out.whispers.push((client_session.session, cancellation(&params["requestId"])));
                }
                sse::nothing(cx.out, 202);
            }
            Ok(Message::Response { id, result }) => {
                cx.out.whispers.extend(dialog::answered(&id, &result));
                sse::nothing(cx.out, 202);
            }
            Err(fault) => sse::json(cx.out, 400, Vec::new(), &rpc::error(&Value::Null, &fault)),
        }
    }

    fn requested(&mut self, request: &Req<'_>, asked: Request, cx: &mut Cx<'_>) {
        let whereabouts = Whereabouts::read(request.header(CONTEXT));
        let routing = Routing {
            version: request.header("mcp-protocol-version"),
            method: request.header("mcp-method"),
            name: request.header("mcp-name"),
        };
        let (era, said) = match era::read(&asked, Some(routing).filter(|_| !whereabouts.is_stdio)) {
            Ok(read) => read,
            Err(fault) => return faulty(&asked.id, Era::Modern, &fault, cx),
        };
        let client_session = match self.client_session(request, &asked, &said, whereabouts, cx) {
            Some(client_session) => client_session,
            None => {
                let fault = Fault::new(INVALID_REQUEST, "there is no such session; begin with `initialize`");
                return sse::json(cx.out, 404, Vec::new(), &rpc::error(&asked.id, &fault));
            }
        };
        match greeting::at_once(&asked, era, &client_session.client) {
            Some(Ok(result)) => {
                let name = (asked.method == "initialize").then(|| (SESSION_ID, client_session.name()));
                sse::json(cx.out, 200, name.into_iter().collect(), &rpc::result(&asked.id, result));
            }
            Some(Err(fault)) => faulty(&asked.id, era, &fault, cx),
            None => self.called(request, asked, era, &said, client_session, cx),
        }
    }

    fn client_session(
        &self,
        request: &Req<'_>,
        asked: &Request,
        said: &Handshake,
        whereabouts: Whereabouts,
        cx: &mut Cx<'_>,
    ) -> Option<ClientSession> {
        let client = said.client.as_ref().map(Client::read);
        if asked.method == "initialize" {
            return Some(ClientSession::fresh(cx.ids.fresh(), Client::greeted(&asked.params), whereabouts));
        }
        match named(request) {
            Some(client_session) => {
                let client_session = client_session?;
                Some(ClientSession { client: client.unwrap_or(client_session.client.clone()), ..client_session })
            }
            None => Some(ClientSession::of(&self.caller, client.unwrap_or_default(), whereabouts)),
        }
    }

    fn called(
        &mut self,
        request: &Req<'_>,
        asked: Request,
        era: Era,
        said: &Handshake,
        client_session: ClientSession,
        cx: &mut Cx<'_>,
    ) {
        let wanted = match asked.method.as_str() {
            "tools/call" => wanted(&asked, &client_session),
            _ if !said.tasks => Err(Wrong::Fault(tasks::not_declared())),
            _ => tasks::wanted(&asked).map_err(Wrong::Fault),
        };
        let (what, refusal) = match wanted {
            Ok(what) => (what, None),
            Err(Wrong::Words(words)) => (McpRequest::Wait(None), Some(words)),
            Err(Wrong::Denied(why)) => {
                let said = era::complete(era, ask_tool::said(&prompt::denied(&why), false));
                return sse::json(cx.out, 200, Vec::new(), &rpc::result(&asked.id, said));
            }
            Err(Wrong::Fault(fault)) => return faulty(&asked.id, era, &fault, cx),
        };
        let progress = Some(asked.params["_meta"]["progressToken"].clone()).filter(|token| !token.is_null());
        let takes_events = takes(request, "text/event-stream");
        // Claude Code moves no permission to the background, nothing without a person present, and nothing that it
        // shows a dialog for.
        let is_in_front = matches!(&what, McpRequest::Ask(asking) if asking.is_prompt())
            || client_session.whereabouts.is_attended == Some(false)
            || (client_session.shows_dialogs() && takes_events);
        let circumstances = Circumstances { hears_of_progress: progress.is_some(), is_in_front };
        let until = cx.now.plus(self.patience.with(&client_session.client.name, circumstances));
        self.call = Some(Box::new(McpCall {
            progress,
            takes_events,
            takes_tasks: said.tasks && client_session.client.takes_tasks(),
            ..McpCall::new(asked.id, era, client_session, what, until)
        }));
        match refusal {
            Some(words) => self.say(Outcome::Failed(words), cx.out),
            None => self.begin(cx.out),
        }
    }

    /// A client opens a stream for messages of ours. There are none, but it may listen.
    fn listens(&mut self, request: &Req<'_>, cx: &mut Cx<'_>) {
        if named(request).flatten().is_none() || !takes(request, "text/event-stream") {
            return sse::nothing(cx.out, 405);
        }
        self.is_listening = true;
        sse::begin(cx.out);
        cx.out.wake_at = Some(cx.now.plus(limits::HEARTBEAT));
    }

    /// The client will not come back. Open questions stay.
    fn leaves(&mut self, request: &Req<'_>, cx: &mut Cx<'_>) {
        let Some(client_session) = named(request).flatten() else { return sse::nothing(cx.out, 404) };
        self.query(PendingReply::Leaving, Query::Session(client_session.session), cx.out);
        self.call =
            Some(Box::new(McpCall::new(Value::Null, Era::Handshake, client_session, McpRequest::Leave, cx.now)));
    }
}

/// Why a call cannot be made: in words for a model, as a fault for a program.
pub(super) enum Wrong {
    Words(String),
    /// As a decision for Claude Code.
    Denied(String),
    Fault(Fault),
}

/// Reads a tool call.
fn wanted(asked: &Request, client_session: &ClientSession) -> Result<McpRequest, Wrong> {
    let (arguments, name) = (&asked.params["arguments"], asked.params["name"].as_str().unwrap_or_default());
    let text = |name: &str| arguments[name].as_str().map(str::trim).filter(|text| !text.is_empty());
    let words = |words: &str| Wrong::Words(words.to_owned());
    match name {
        tools::ASK => {
            ask::read(asked, client_session).map(|asking| McpRequest::Ask(Box::new(asking))).map_err(Wrong::Words)
        }
        tools::WAIT => match text("ticket") {
            Some(ticket) => Ok(McpRequest::Wait(Some(self::ticket(ticket)?))),
            None => Ok(McpRequest::Wait(None)),
        },
        tools::CANCEL => {
            let ask =
                ticket(text("ticket").ok_or_else(|| words("`ticket` is missing: say which question to take back"))?)?;
            let why = text("reason").unwrap_or("the agent no longer needs it").to_owned();
            Ok(McpRequest::Cancel { ask, why })
        }
        tools::NOTIFY => {
            let text = text("message").ok_or_else(|| words("`message` is missing: say what the person is to read"))?;
            if text.len() > limits::CONTENT_BYTES_MAX {
                return Err(Wrong::Words(format!("`message` may have at most {} bytes", limits::CONTENT_BYTES_MAX)));
            }
            let level = match arguments["level"].as_str() {
                Some("warning") => Level::Warning,
                Some("error") => Level::Error,
                _ => Level::Info,
            };
            Ok(McpRequest::Notify { level, text: text.to_owned() })
        }
        tools::APPROVE => {
            prompt::read(asked, client_session).map(|asking| McpRequest::Ask(Box::new(asking))).map_err(Wrong::Denied)
        }
        name => Err(Wrong::Fault(Fault::new(INVALID_PARAMS, format!("there is no tool `{name}`")))),
    }
}

fn ticket(text: &str) -> Result<AskId, Wrong> {
    text.parse().map_err(|_| {
        Wrong::Words(format!("`{text}` is no ticket of ours; leave it out to wait for your oldest open question"))
    })
}

/// The session that a request names; `Some(None)` if no such name was ever given out.
fn named(request: &Req<'_>) -> Option<Option<ClientSession>> {
    let id = request.header(SESSION_ID)?;
    Some(ClientSession::named(id, Whereabouts::read(request.header(CONTEXT))))
}

/// Whether the client accepts this content type. A client that does not say accepts JSON.
fn takes(request: &Req<'_>, kind: &str) -> bool {
    match request.header("accept") {
        None => kind == "application/json",
        Some(accept) => accept.contains(kind) || (kind == "application/json" && accept.contains("*/*")),
    }
}

fn faulty(id: &Value, era: Era, fault: &Fault, cx: &mut Cx<'_>) {
    sse::json(cx.out, era::status(era, fault), Vec::new(), &rpc::error(id, fault));
}

/// The result of a call, in the form of its revision.
pub(super) fn result(call: &McpCall, result: Value) -> Value {
    rpc::result(&call.id, era::complete(call.era, result))
}

/// An empty result.
pub(super) fn acknowledged(call: &McpCall) -> Value {
    result(call, json!({}))
}
