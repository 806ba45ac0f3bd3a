//! Turns events into frames.

use askbridge_core::ids::{AskId, Raw, SessionId, Spell};
use askbridge_core::limits;
use serde_json::value::RawValue;

use super::wire::{DraftJson, Granted, ServerFrame};
use crate::json::{AskJson, ListedAsk, Problem, Rfc3339};
use crate::peer::{BlockKind, Outbox};
use crate::told::{Happened, Own, Snapshot, Told};
use crate::wish::{Receipt, Rejection};

pub(super) fn tell(told: &Told<'_>, gathered: &mut SnapshotParts, out: &mut Outbox) {
    match told {
        Told::Snapshot(part) => gathered.take(part).into_iter().for_each(|(_, frame)| out.text(frame)),
        Told::Event(happened) => out.text(event_frame(happened)),
        Told::Delta { session, block, kind, offset, text } => {
            out.text(delta_frame(*session, *block, *kind, *offset, text));
        }
        Told::Draft { ask, draft } => out.text(draft_frame(*ask, draft)),
        Told::Own(own) => out.text(own_frame(own)),
        Told::Gone { sessions } => out.text(gone_frame(sessions)),
        // Not for this dialect: it follows everything from a cursor.
        Told::CaughtUp { .. } | Told::Displaced { .. } | Told::Whispered { .. } | Told::Looked { .. } => {}
        Told::Lagged => send(out, &ServerFrame::Lagged),
    }
}

pub(super) fn send(out: &mut Outbox, said: &ServerFrame<'_>) {
    out.text(frame(said));
}

fn frame(said: &ServerFrame<'_>) -> String {
    serde_json::to_string(said).expect("frames have text keys")
}

/// Writes a piece of streaming text as a frame.
pub fn delta_frame(session: SessionId, block: u32, kind: BlockKind, offset: usize, text: &str) -> String {
    frame(&ServerFrame::Delta { session: session.to_string(), block, kind, offset, text })
}

/// Writes a draft as a frame.
pub fn draft_frame(ask: AskId, draft: &Raw) -> String {
    let draft = serde_json::from_str::<&RawValue>(draft.as_str()).unwrap_or(RawValue::NULL);
    frame(&ServerFrame::Draft(DraftJson { ask: ask.to_string(), draft }))
}

/// Writes a change of a person's own state as a frame.
pub fn own_frame(own: &Own) -> String {
    match own {
        Own::Snoozed { ask, until } => frame(&ServerFrame::Snooze { ask: ask.to_string(), until: until.map(Rfc3339) }),
        Own::Devices => frame(&ServerFrame::Devices),
        Own::Channels => frame(&ServerFrame::Channels),
    }
}

/// Writes a frame that says that sessions were forgotten.
pub fn gone_frame(sessions: &[SessionId]) -> String {
    frame(&ServerFrame::Gone { sessions: sessions.iter().map(ToString::to_string).collect() })
}

/// Writes an event as a frame. The event was encoded once, for the store; here it only gets its envelope.
pub fn event_frame(happened: &Happened) -> String {
    let mut frame = String::with_capacity(happened.json.len() + 160);
    frame.push_str(r#"{"type":"event","session":""#);
    frame.push_str(happened.session.spelling().as_str());
    frame.push_str(r#"","at":"#);
    frame.push_str(itoa::Buffer::new().format(happened.at.0));
    if let Some(cursor) = &happened.cursor {
        frame.push_str(r#","cursor":""#);
        frame.push_str(cursor);
        frame.push('"');
    }
    frame.push_str(r#","event":"#);
    frame.push_str(&happened.json);
    frame.push('}');
    frame
}

/// Joins the parts of a snapshot into one frame. Large asks are shortened as they come, so that its size is bounded.
#[derive(Debug, Default)]
pub struct SnapshotParts {
    asks: Vec<ListedAsk>,
    bytes: usize,
    drafts: Vec<(AskId, Raw)>,
    /// There was no room for another ask.
    is_full: bool,
}

impl SnapshotParts {
    /// Takes a part. After the last one, returns the frames by name: the snapshot, then the drafts that do not fit in.
    pub fn take(&mut self, part: &Snapshot) -> Vec<(&'static str, String)> {
        self.drafts.extend_from_slice(&part.drafts);
        for view in &part.asks {
            self.is_full |= self.bytes >= limits::PAGE_BYTES_MAX;
            if !self.is_full {
                let listed = ListedAsk::of(view);
                self.bytes += listed.bytes();
                self.asks.push(listed);
            }
        }
        if part.goes_on {
            return Vec::new();
        }
        let Self { asks, drafts, is_full, .. } = std::mem::take(self);
        let (mut within, mut bytes) = (Vec::new(), 0);
        let mut frames = vec![("snapshot", String::new())];
        for (ask, draft) in &drafts {
            bytes += draft.as_str().len();
            if bytes > limits::PAGE_BYTES_MAX {
                frames.push(("draft", draft_frame(*ask, draft)));
            } else if let Ok(draft) = serde_json::from_str(draft.as_str()) {
                within.push(DraftJson { ask: ask.to_string(), draft });
            }
        }
        let (cursor, more) = (&*part.cursor, part.more || is_full);
        frames[0].1 = frame(&ServerFrame::Snapshot { cursor, asks: &asks, more, drafts: within });
        frames
    }
}

pub(super) fn reply(tag: u64, reply: Result<Receipt, Rejection>, out: &mut Outbox) {
    match reply {
        Ok(receipt) => {
            let granted = Granted {
                news: receipt.news,
                late: receipt.late,
                session: receipt.session.map(|id| id.to_string()),
                message: receipt.message.map(|id| id.to_string()),
                ask: receipt.view.as_deref().map(AskJson::of),
            };
            send(out, &ServerFrame::Reply { tag, ok: true, granted });
        }
        Err(rejection) => refuse(Some(tag), &rejection, out),
    }
}

pub(super) fn refuse(tag: Option<u64>, rejection: &Rejection, out: &mut Outbox) {
    send(out, &ServerFrame::Refused { tag, ok: false, error: Problem::of(rejection) });
}
