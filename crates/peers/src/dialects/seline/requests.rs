//! The machine of every other request: clicks on cards, and the state of a run.

use std::collections::BTreeMap;

use askbridge_core::ids::{SessionId, Timestamp};
use askbridge_core::refusal::Refusal;
use askbridge_core::session::End;
use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::chat::error;
use super::wire::ToolResult;
use super::{answers, quirks, session_of};
use crate::json::Rfc3339;
use crate::one_request::OneRequest;
use crate::peer::{Cx, Frame, Outbox, Req, Resp, Tag};
use crate::rest;
use crate::slot::Ending;
use crate::told::Happened;
use crate::turn::Turn;
use crate::uuid;
use crate::wish::{Query, Receipt, Rejection, Watch, Wish};

const LOOK: Tag = Tag(1);
const ACT: Tag = Tag(2);
const STOP: Tag = Tag(3);
const MISSING: &str = "Missing required fields: sessionId, toolUseId, answers (Record<string, string>)";

/// One request.
#[derive(Default)]
pub(super) struct SelineRequest {
    /// Known once the request was parsed.
    session: Option<SessionId>,
    wanted: PendingResponse,
    turn: Turn,
    open_asks: usize,
    began_at: Option<Timestamp>,
}

/// What the response will contain.
#[derive(Default)]
enum PendingResponse {
    #[default]
    Nothing,
    Result {
        card: String,
        answers: BTreeMap<String, String>,
    },
    ActiveRun,
    Cancel,
    Queue(String),
    /// A message to send once the run is stopped.
    AfterStop(String),
    /// The response if the wish is granted.
    Granted(Value),
}

impl SelineRequest {
    fn asked(&mut self, req: &Req<'_>, out: &mut Outbox) {
        let parts: Vec<_> = req.path.trim_start_matches("/api/").split('/').collect();
        match (req.method, parts.as_slice()) {
            ("POST", ["chat", "preflight"]) => preflight(out),
            ("POST", ["chat", "tool-result"]) => match tool_result(req.body) {
                Ok(ToolResult { session_id, tool_use_id, answers }) => {
                    self.look(&session_id, PendingResponse::Result { card: tool_use_id, answers }, out);
                }
                Err(why) => error(out, 400, why),
            },
            ("GET", ["sessions", id, "active-run"]) => self.look(id, PendingResponse::ActiveRun, out),
            ("POST", ["agent-runs", id, "cancel"]) => self.look(id, PendingResponse::Cancel, out),
            ("POST", ["sessions", id, "live-prompt-queue"]) => {
                let body = serde_json::from_slice::<Value>(req.body).unwrap_or_default();
                match body["content"].as_str().filter(|content| !content.trim().is_empty()) {
                    Some(content) => self.look(id, PendingResponse::Queue(content.to_owned()), out),
                    None => error(out, 400, "content is required"),
                }
            }
            ("GET", ["characters", "active-status"]) => rest::json(out, 200, &active_status(req.query)),
            _ => error(out, 404, "Not found"),
        }
    }

    fn look(&mut self, name: &str, wanted: PendingResponse, out: &mut Outbox) {
        self.wanted = wanted;
        self.look_at(session_of(name), out);
    }

    /// A conversation may continue as another session, under the same name.
    fn look_at(&mut self, session: SessionId, out: &mut Outbox) {
        self.session = Some(session);
        out.queries.push((LOOK, Query::Session(session)));
    }

    /// The session exists: a click is wished for at once; for the rest, its past is read first.
    fn found(&mut self, out: &mut Outbox) {
        let Some(session) = self.session else { return };
        match std::mem::take(&mut self.wanted) {
            PendingResponse::Result { card, answers } => {
                out.wishes.push((ACT, answers::wish(session, &card, answers)));
                self.wanted = PendingResponse::Granted(json!({"resolved": true}));
            }
            wanted => {
                self.wanted = wanted;
                out.watches.push(Watch::Chat { session, remembered: false });
            }
        }
    }

    fn take(&mut self, happened: &Happened) {
        if self.turn.hear(&happened.event) {
            self.began_at = Some(happened.at);
        }
        if let askbridge_core::event::Event::Asked(_) = &*happened.event {
            self.open_asks += 1;
        } else if Ending::of(&happened.event).is_some() {
            self.open_asks = self.open_asks.saturating_sub(1);
        }
    }

    fn told_all(&mut self, out: &mut Outbox) {
        let waits = self.open_asks > 0;
        let is_running = self.turn.is_running() || waits;
        let Some(session) = self.session else { return };
        match (std::mem::take(&mut self.wanted), is_running) {
            (PendingResponse::ActiveRun, true) => {
                let run = json!({
                    "hasActiveRun": true,
                    "runId": uuid::of_session(session),
                    "pipelineName": "chat",
                    "startedAt": self.began_at.map(|at| Rfc3339(at).to_string()),
                    "hasInteractiveWait": waits,
                    "shouldResumeBackgroundRun": true,
                    "latestDeepResearchRunId": null,
                    "latestDeepResearchStatus": null,
                    "latestDeepResearchState": null,
                });
                rest::json(out, 200, &run);
            }
            (PendingResponse::ActiveRun, false) => {
                let run = json!({"hasActiveRun": false, "runId": null, "pipelineName": null, "startedAt": null,
                    "hasInteractiveWait": false, "shouldResumeBackgroundRun": false, "latestDeepResearchRunId": null,
                    "latestDeepResearchStatus": null, "latestDeepResearchState": null});
                rest::json(out, 200, &run);
            }
            (PendingResponse::Cancel, true) => {
                self.wanted = PendingResponse::Granted(json!({"cancelled": true}));
                out.wishes.push((ACT, Wish::Interrupt { session }));
            }
            (PendingResponse::Cancel, false) => error(out, 409, "Run is not active"),
            // The message asks for a stop: the run is stopped, and then gets the message.
            (PendingResponse::Queue(text), true) if quirks::wants_a_stop(&text) => {
                self.wanted = PendingResponse::AfterStop(text);
                out.wishes.push((STOP, Wish::Interrupt { session }));
            }
            (PendingResponse::Queue(text), true) => self.say(session, text, out),
            (PendingResponse::Queue(_), false) => error(out, 409, "no_active_run"),
            (
                PendingResponse::Nothing
                | PendingResponse::Result { .. }
                | PendingResponse::AfterStop(_)
                | PendingResponse::Granted(_),
                _,
            ) => {}
        }
    }

    fn say(&mut self, session: SessionId, text: String, out: &mut Outbox) {
        let stops = quirks::wants_a_stop(&text);
        self.wanted = PendingResponse::Granted(json!({"queued": true, "stopIntent": stops}));
        out.wishes.push((ACT, Wish::Say { session, text, about: None, client_id: None }));
    }

    fn refused(&mut self, tag: Tag, why: &Rejection, out: &mut Outbox) {
        match (tag, &self.wanted, why) {
            (LOOK, PendingResponse::Cancel, Rejection::Refused(Refusal::UnknownSession(_))) => {
                error(out, 404, "Run not found");
            }
            (
                LOOK,
                PendingResponse::ActiveRun | PendingResponse::Queue(_),
                Rejection::Refused(Refusal::UnknownSession(_)),
            ) => {
                error(out, 404, "Session not found");
            }
            (LOOK, _, Rejection::Refused(Refusal::UnknownSession(_))) => error(out, 403, "Forbidden"),
            // No such card is open, another answer was first, or it does not fit: the card stays as it is.
            (ACT, PendingResponse::Granted(granted), Rejection::Refused(_)) if granted.get("resolved").is_some() => {
                rest::json(out, 200, &json!({"resolved": false}));
            }
            (_, _, why) => error(out, why.status(), &why.to_string()),
        }
    }
}

/// Each error in a click has its own words, which its client shows.
fn tool_result(body: &[u8]) -> Result<ToolResult, &'static str> {
    let value = serde_json::from_slice::<Value>(body).map_err(|_| "Invalid JSON")?;
    let result = serde_json::from_value::<ToolResult>(value).map_err(|_| MISSING)?;
    if result.session_id.is_empty() || result.tool_use_id.is_empty() { Err(MISSING) } else { Ok(result) }
}

/// The state of characters, none of which has a session here: people talk to agents, not to characters.
fn active_status(query: &str) -> Value {
    let ids = rest::value(query, "ids").unwrap_or_default();
    let ids = ids.split(',').map(str::trim).filter(|id| !id.is_empty()).take(quirks::CHARACTERS_MAX);
    let nobody = json!({"hasActiveSession": false, "activeSessionId": null});
    json!({"statuses": ids.map(|id| (id.to_owned(), nobody.clone())).collect::<Map<_, _>>()})
}

/// Always ok: there is no credit or room that a message could exceed.
fn preflight(out: &mut Outbox) {
    let body = Bytes::from_static(b"data: {\"ok\":true}\n\n");
    let headers = vec![("cache-control", "no-cache".to_owned())];
    let content_type = "text/event-stream";
    out.frames.push(Frame::Response(Resp { status: 200, content_type, headers, body, open: false }));
}

impl OneRequest for SelineRequest {
    fn requested(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        self.asked(req, cx.out);
    }

    fn happened(&mut self, happened: &Happened, _: &mut Cx<'_>) {
        self.take(happened);
    }

    fn caught_up(&mut self, _: SessionId, cx: &mut Cx<'_>) {
        self.told_all(cx.out);
    }

    fn replied(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        match reply {
            Ok(receipt) if tag == LOOK => match receipt.session_view.and_then(|view| view.end) {
                Some(End::Continued { to, .. }) => self.look_at(to, cx.out),
                _ => self.found(cx.out),
            },
            // A run that could not be stopped is over.
            _ if tag == STOP => {
                if let (PendingResponse::AfterStop(text), Some(session)) =
                    (std::mem::take(&mut self.wanted), self.session)
                {
                    self.say(session, text, cx.out);
                }
            }
            Ok(_) => {
                if let PendingResponse::Granted(granted) = std::mem::take(&mut self.wanted) {
                    rest::json(cx.out, 200, &granted);
                }
            }
            Err(why) => self.refused(tag, &why, cx.out),
        }
    }
}
