//! What happened → frames.

use askbridge_core::ids::{AskId, Raw, SessionId, Spell};
use serde_json::value::RawValue;

use super::wire::{DraftJson, Granted, Said};
use crate::json::{AskJson, Problem, Rfc3339};
use crate::peer::{BlockKind, Outbox};
use crate::told::{Happened, Own, Snapshot, Told};
use crate::wish::{Receipt, Rejection};

pub(super) fn tell(told: &Told<'_>, out: &mut Outbox) {
    match told {
        Told::Snapshot(shot) => out.text(snapshot_frame(shot)),
        Told::Event(happened) => out.text(event_frame(happened)),
        Told::Delta { session, block, kind, offset, text } => {
            out.text(delta_frame(*session, *block, *kind, *offset, text));
        }
        Told::Draft { ask, draft } => out.text(draft_frame(*ask, draft)),
        Told::Own(own) => out.text(own_frame(own)),
        // Nothing that is asked for here: it follows everything, from a cursor.
        Told::CaughtUp { .. } | Told::Displaced { .. } | Told::Whispered { .. } => {}
        Told::Lagged => send(out, &Said::Lagged),
    }
}

pub(super) fn send(out: &mut Outbox, said: &Said<'_>) {
    out.text(frame(said));
}

fn frame(said: &Said<'_>) -> String {
    serde_json::to_string(said).expect("frames have text keys")
}

/// Writes a piece of streaming text as a frame.
pub fn delta_frame(session: SessionId, block: u32, kind: BlockKind, offset: usize, text: &str) -> String {
    frame(&Said::Delta { session: session.to_string(), block, kind, offset, text })
}

/// Writes a draft as a frame.
pub fn draft_frame(ask: AskId, draft: &Raw) -> String {
    let draft = serde_json::from_str::<&RawValue>(draft.as_str()).unwrap_or(RawValue::NULL);
    frame(&Said::Draft(DraftJson { ask: ask.to_string(), draft }))
}

/// Writes something of a person's own as a frame.
pub fn own_frame(own: &Own) -> String {
    match own {
        Own::Snoozed { ask, until } => frame(&Said::Snooze { ask: ask.to_string(), until: until.map(Rfc3339) }),
        Own::Devices => frame(&Said::Devices),
    }
}

/// Writes an event as a frame. It was encoded once, for the store; here it only gets its envelope.
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

/// Writes a snapshot as a frame.
pub fn snapshot_frame(shot: &Snapshot) -> String {
    let drafts = shot.drafts.iter().filter_map(|(ask, draft)| {
        let draft = serde_json::from_str(draft.as_str()).ok()?;
        Some(DraftJson { ask: ask.to_string(), draft })
    });
    let said = Said::Snapshot {
        cursor: &shot.cursor,
        asks: shot.asks.iter().map(AskJson::of).collect(),
        more: shot.more,
        drafts: drafts.collect(),
    };
    frame(&said)
}

pub(super) fn reply(tag: u64, ruling: Result<Receipt, Rejection>, out: &mut Outbox) {
    match ruling {
        Ok(receipt) => {
            let granted = Granted {
                news: receipt.news,
                late: receipt.late,
                session: receipt.session.map(|id| id.to_string()),
                message: receipt.message.map(|id| id.to_string()),
                ask: receipt.view.as_deref().map(AskJson::of),
            };
            send(out, &Said::Reply { tag, ok: true, granted });
        }
        Err(rejection) => refuse(Some(tag), &rejection, out),
    }
}

pub(super) fn refuse(tag: Option<u64>, rejection: &Rejection, out: &mut Outbox) {
    send(out, &Said::Refused { tag, ok: false, error: Problem::of(rejection) });
}
