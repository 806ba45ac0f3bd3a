//! The machine of a reconnecting page's requests: the state of a run, its messages, the list of conversations.

use askbridge_core::event::{Event, Settings};
use askbridge_core::ids::{SessionId, Timestamp};
use askbridge_core::refusal::Refusal;
use serde::Serialize;
use serde_json::{Value, json};

use super::chat::error;
use super::history::{History, Message};
use super::lists::ListBuilder;
use super::session_of;
use super::starting::start;
use crate::json::Rfc3339;
use crate::one_request::OneRequest;
use crate::peer::{Cx, Outbox, Req, Tag};
use crate::rest;
use crate::slot::Ending;
use crate::told::Happened;
use crate::turn::Turn;
use crate::uuid;
use crate::wish::{Query, Receipt, Rejection, Watch, Wish};

const LOOK: Tag = Tag(1);
const ACT: Tag = Tag(2);

/// One request.
#[derive(Default)]
pub(super) struct Resumed {
    /// The client's name for the conversation, and the session that it began as.
    name: String,
    session: Option<SessionId>,
    /// The session that it continues as.
    next: Option<SessionId>,
    wanted: PendingResponse,
    history: History,
    turn: Turn,
    title: Option<String>,
    open_asks: usize,
    was_interrupted: bool,
    began_at: Option<Timestamp>,
    last_at: Option<Timestamp>,
    started_at: Option<Timestamp>,
}

/// What the response will contain.
#[derive(Default)]
enum PendingResponse {
    #[default]
    Nothing,
    Messages,
    Session,
    Status,
    List(ListBuilder),
    ListAbout(ListBuilder),
    /// The response if the wish is granted.
    Granted(Value),
}

#[derive(Serialize)]
struct Loaded<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<Value>,
    messages: &'a [Message],
}

impl Resumed {
    fn asked(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        let parts: Vec<_> = req.path.trim_start_matches("/api/").split('/').collect();
        match (req.method, parts.as_slice()) {
            ("GET", ["sessions"]) => {
                let (listed, first) = ListBuilder::new(req.query, cx.now);
                self.wanted = PendingResponse::List(listed);
                cx.out.queries.push((LOOK, first));
            }
            // It is started before its first message: the page lists it, and opens it again after a reload.
            ("POST", ["sessions"]) => {
                let body = serde_json::from_slice::<Value>(req.body).unwrap_or_default();
                let title = body["title"].as_str().map(str::trim).filter(|title| !title.is_empty());
                let session = uuid::fresh_session(cx.ids.fresh());
                let at = Rfc3339(cx.now);
                let shown = json!({"id": uuid::of_session(session), "title": title, "status": "active", "createdAt": at,
                    "updatedAt": at, "messageCount": 0, "hasActiveRun": false, "metadata": object(&body["metadata"])});
                self.wanted = PendingResponse::Granted(json!({"session": shown, "isNew": true}));
                cx.out.wishes.push((ACT, start(session, title.map(str::to_owned))));
            }
            ("GET", ["sessions", id]) => self.look(id, PendingResponse::Session, cx.out),
            ("GET", ["sessions", id, "messages"]) => self.look(id, PendingResponse::Messages, cx.out),
            ("GET", ["agent-runs", id, "status"]) => self.look(id, PendingResponse::Status, cx.out),
            ("PATCH", ["sessions", id]) => self.rename(id, req.body, cx.out),
            ("DELETE", ["sessions", id]) => {
                self.wanted = PendingResponse::Granted(json!({"success": true}));
                cx.out.wishes.push((ACT, Wish::Forget { session: session_of(id) }));
            }
            _ => error(cx.out, 404, "Not found"),
        }
    }

    fn look(&mut self, name: &str, wanted: PendingResponse, out: &mut Outbox) {
        let session = session_of(name);
        (self.name, self.session, self.wanted) = (name.to_owned(), Some(session), wanted);
        out.queries.push((LOOK, Query::Session(session)));
    }

    fn rename(&mut self, id: &str, body: &[u8], out: &mut Outbox) {
        let body = serde_json::from_slice::<Value>(body).unwrap_or_default();
        let Some(title) = body["title"].as_str().map(str::trim).filter(|title| !title.is_empty()) else {
            return error(
                out,
                422,
                "askbridge changes titles only: it keeps no archive, and nothing beside a conversation",
            );
        };
        let session = session_of(id);
        self.wanted = PendingResponse::Granted(json!({"session": {"id": id, "title": title}}));
        let settings = Box::new(Settings { title: Some(title.to_owned()), ..Settings::default() });
        out.wishes.push((ACT, Wish::Configure { session, settings }));
    }

    fn take(&mut self, happened: &Happened) {
        if self.turn.hear(&happened.event) {
            self.began_at = Some(happened.at);
            self.was_interrupted = false;
        }
        if !happened.event.is_about_hosting() {
            self.last_at = Some(happened.at);
        }
        match &*happened.event {
            Event::Started(started) => {
                self.started_at = self.started_at.or(Some(started.at));
                self.title = started.settings.title.clone().or(self.title.take());
            }
            Event::Configured(settings) => self.title = settings.title.clone().or(self.title.take()),
            Event::Interrupted { .. } => self.was_interrupted = true,
            Event::Continued { to, .. } => self.next = Some(*to),
            Event::Asked(_) => self.open_asks += 1,
            event if Ending::of(event).is_some() => self.open_asks = self.open_asks.saturating_sub(1),
            _ => {}
        }
        // Message ids come from the session that the conversation began as, as in the stream.
        let first = self.session.unwrap_or(happened.session);
        self.history.hear(first, happened);
    }

    fn told_all(&mut self, out: &mut Outbox) {
        if let Some(session) = self.next.take() {
            out.watches.push(Watch::Chat { session, remembered: false });
            return;
        }
        let is_running = self.turn.is_running() || self.open_asks > 0;
        let time = |at: Option<Timestamp>| at.map(Rfc3339);
        match std::mem::take(&mut self.wanted) {
            PendingResponse::Messages => {
                rest::json(out, 200, &Loaded { session: None, messages: self.history.messages() })
            }
            PendingResponse::Session => {
                let session = json!({
                    "id": self.name,
                    "title": self.title.clone().or_else(|| self.history.heading()),
                    "characterId": null,
                    "status": "active",
                    "createdAt": time(self.started_at),
                    "updatedAt": time(self.last_at),
                    "messageCount": self.history.messages().len(),
                    "hasActiveRun": is_running,
                    "metadata": {},
                });
                rest::json(out, 200, &Loaded { session: Some(session), messages: self.history.messages() });
            }
            PendingResponse::Status => {
                let status = match (is_running, self.was_interrupted) {
                    (true, _) => "running",
                    (false, true) => "cancelled",
                    (false, false) => "succeeded",
                };
                let done = self.last_at.filter(|_| !is_running);
                let took = done.zip(self.began_at).map(|(done, began)| done.since(began).as_millis());
                let run = json!({
                    "status": status,
                    "pipelineName": "chat",
                    "completedAt": time(done),
                    "durationMs": took.and_then(|took| u64::try_from(took).ok()),
                    "updatedAt": time(self.last_at),
                    // A run is never orphaned here.
                    "isZombie": false,
                    "deepResearchState": null,
                });
                rest::json(out, 200, &run);
            }
            _ => {}
        }
    }

    fn granted(&mut self, receipt: Receipt, out: &mut Outbox) {
        let finds = receipt.finds.map(|finds| *finds).unwrap_or_default();
        match std::mem::take(&mut self.wanted) {
            PendingResponse::List(mut listed) => {
                let next = listed.found(finds);
                out.queries.push((LOOK, next));
                self.wanted = PendingResponse::ListAbout(listed);
            }
            PendingResponse::ListAbout(listed) => rest::json(out, 200, &listed.json(&finds.summaries)),
            PendingResponse::Granted(granted) => rest::json(out, 200, &granted),
            // The session exists: its past is read first.
            wanted => {
                self.wanted = wanted;
                if let Some(session) = self.session {
                    out.watches.push(Watch::Chat { session, remembered: false });
                }
            }
        }
    }

    fn refused(&self, why: &Rejection, out: &mut Outbox) {
        match (why, &self.wanted) {
            (Rejection::Refused(Refusal::UnknownSession(_)), PendingResponse::Status) => {
                error(out, 404, "Run not found")
            }
            (Rejection::Refused(Refusal::UnknownSession(_)), _) => error(out, 404, "Session not found"),
            (why, _) => error(out, why.status(), &why.to_string()),
        }
    }
}

fn object(value: &Value) -> Value {
    if value.is_object() { value.clone() } else { json!({}) }
}

impl OneRequest for Resumed {
    fn requested(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        self.asked(req, cx);
    }

    fn happened(&mut self, happened: &Happened, _: &mut Cx<'_>) {
        self.take(happened);
    }

    fn caught_up(&mut self, _: SessionId, cx: &mut Cx<'_>) {
        self.told_all(cx.out);
    }

    fn replied(&mut self, _: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        match reply {
            Ok(receipt) => self.granted(receipt, cx.out),
            Err(why) => self.refused(&why, cx.out),
        }
    }
}
