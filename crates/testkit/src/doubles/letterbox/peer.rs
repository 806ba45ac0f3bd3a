//! The machine: one request each, of which one stays open.

use askbridge_core::ask::Ask;
use askbridge_core::event::Event;
use askbridge_core::fit::{Card, fit};
use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::limits;
use askbridge_core::unfit::{Given, QuestionKey, Reply, Value};
use askbridge_peers::peer::{Cx, Frame, Garbled, Outbox, Peer, Req, Resp, Tag};
use askbridge_peers::told::{Happened, Told};
use askbridge_peers::wish::{AskRef, Receipt, Rejection, Watch, Wish};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::time::Duration;

use super::ABILITIES;

/// One request.
#[derive(Debug, Default)]
pub struct Letterbox {
    /// Letters of a snapshot whose last part has not come.
    letters: usize,
}

/// What is posted: ticks for each question by its text, or the letter goes back unread.
#[derive(Deserialize)]
struct Posted {
    letter: String,
    ticks: Option<BTreeMap<String, Vec<usize>>>,
    back: Option<String>,
}

impl Letterbox {
    fn open(&self, req: &Req<'_>, cx: &mut Cx<'_>) {
        let headers = vec![("x-accel-buffering", "no".to_owned())];
        let (content_type, body) = ("text/event-stream", Bytes::from_static(b": here is your post\n\n"));
        cx.out.frames.push(Frame::Response(Resp { status: 200, content_type, headers, body, open: true }));
        cx.out.watches.push(Watch::Inbox { after: req.header("last-event-id").map(str::to_owned) });
        cx.out.wake_at = Some(cx.now.plus(limits::HEARTBEAT));
    }

    fn posted(&self, req: &Req<'_>, out: &mut Outbox) {
        let Ok(posted) = serde_json::from_slice::<Posted>(req.body) else {
            return respond(out, 400, &json!({"error": "post {letter, ticks} or {letter, back}"}));
        };
        let Ok(ask) = posted.letter.parse::<AskId>().map(AskRef::Id) else {
            return respond(out, 404, &json!({"error": "there is no such letter"}));
        };
        let wish = match (posted.ticks, posted.back) {
            (Some(ticks), None) => {
                let given = ticks.into_iter().map(|(question, ticks)| Given {
                    key: QuestionKey::Text(question),
                    value: Some(Value::List(ticks.into_iter().map(Value::Index).collect())),
                    note: None,
                });
                Wish::Answer { ask, reply: Reply::Questions(given.collect()), undo: Duration::ZERO }
            }
            (None, Some(words)) => Wish::Dismiss { ask, words: Some(words).filter(|words| !words.is_empty()) },
            _ => return respond(out, 400, &json!({"error": "either ticks or back"})),
        };
        out.wishes.push((Tag(1), wish));
    }

    fn happened(&self, happened: &Happened, out: &mut Outbox) {
        let taken = |ask: AskId, how: &str| ("taken", json!({"letter": ask.to_string(), "how": how}));
        let (name, data) = match &*happened.event {
            Event::Asked(ask) => letter(ask),
            Event::Settled(settled) => {
                use askbridge_core::answer::Outcome::{Answered, Dismissed, Expired, Ruled};
                let how = match settled.outcome {
                    Answered { .. } => "answered",
                    Dismissed { .. } => "sent back",
                    Expired => "nobody came",
                    Ruled { .. } => "ruled",
                };
                taken(settled.ask, how)
            }
            Event::Withdrawn { ask, .. } => taken(*ask, "withdrawn"),
            Event::Overtaken { ask, .. } => taken(*ask, "overtaken"),
            _ => ("", Json::Null),
        };
        post(out, happened.cursor.as_deref(), name, &data);
    }
}

impl Peer for Letterbox {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        if let Frame::Request(req) = frame {
            match (req.method, req.path) {
                ("GET", "/letterbox") => self.open(&req, cx),
                ("POST", "/letterbox/reply") => self.posted(&req, cx.out),
                _ => respond(cx.out, 404, &json!({"error": "there is no such slot"})),
            }
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        match told {
            Told::Snapshot(snapshot) => {
                for view in &snapshot.asks {
                    let (name, data) = letter(&view.ask);
                    post(cx.out, None, name, &data);
                }
                self.letters += snapshot.asks.len();
                if snapshot.goes_on {
                    return;
                }
                let count = std::mem::take(&mut self.letters);
                post(cx.out, Some(&snapshot.cursor), "all", &json!({"letters": count, "more": snapshot.more}));
            }
            Told::Event(happened) => self.happened(happened, cx.out),
            Told::Lagged => post(cx.out, None, "overflow", &json!({})),
            Told::Delta { .. }
            | Told::Draft { .. }
            | Told::Own(_)
            | Told::CaughtUp { .. }
            | Told::Displaced { .. }
            | Told::Gone { .. }
            | Told::Looked { .. }
            | Told::Whispered { .. } => {}
        }
    }

    fn reply(&mut self, _tag: Tag, ruling: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        match ruling {
            Ok(_) => respond(cx.out, 200, &json!({"resolved": true})),
            Err(rejection @ Rejection::Refused(_)) => {
                respond(cx.out, 200, &json!({"resolved": false, "why": rejection.code()}));
            }
            Err(rejection) => respond(cx.out, rejection.status(), &json!({"error": rejection.to_string()})),
        }
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        cx.out.frames.push(Frame::Chunk(Bytes::from_static(b": still here\n\n")));
        Some(cx.now.plus(limits::HEARTBEAT))
    }
}

fn letter(ask: &Ask) -> (&'static str, Json) {
    let id = ask.id.to_string();
    let card = fit(ask, &ABILITIES);
    match (card.questions(), &card) {
        (Some(questions), _) => {
            let questions: Vec<_> = questions
                .iter()
                .map(|question| {
                    let boxes: Vec<_> = question.options.iter().map(|option| option.label.as_str()).collect();
                    json!({"question": question.text, "boxes": boxes, "several": question.multi})
                })
                .collect();
            ("letter", json!({"letter": id, "questions": questions}))
        }
        (None, Card::Unshowable(why)) => ("unreadable", json!({"letter": id, "why": why})),
        (None, _) => ("unreadable", json!({"letter": id, "why": "this letter has no boxes to tick"})),
    }
}

/// Puts an event on the stream. One without a name only moves the cursor.
fn post(out: &mut Outbox, cursor: Option<&str>, name: &str, data: &Json) {
    let id = cursor.map(|cursor| format!("id: {cursor}\n")).unwrap_or_default();
    let chunk = match (name, id.as_str()) {
        ("", "") => return,
        ("", id) => format!("{id}\n"),
        (name, id) => format!("{id}event: {name}\ndata: {data}\n\n"),
    };
    out.frames.push(Frame::Chunk(Bytes::from(chunk)));
}

fn respond(out: &mut Outbox, status: u16, body: &Json) {
    let (content_type, body) = ("application/json", Bytes::from(body.to_string()));
    out.frames.push(Frame::Response(Resp { status, content_type, headers: Vec::new(), body, open: false }));
}
