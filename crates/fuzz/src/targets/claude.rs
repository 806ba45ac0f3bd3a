//! Output of Claude Code: each line of the input is one of its lines or, after `tell`, an event.

use std::time::Duration;

use askbridge_core::ids::{AskId, Timestamp};
use askbridge_peers::consult::OccurrenceKinds;
use askbridge_peers::doors::claude::{AlwaysAsk, Begin, Carry, Claude, Process};
use askbridge_peers::peer::{Cx, Frame, Outbox, Peer};
use askbridge_peers::wish::Receipt;
use askbridge_testkit::asks::SESSION;
use askbridge_testkit::transcript::{Counted, told};

pub(super) fn claude(bytes: &[u8]) {
    for process in [Process::New, Process::Resumed, Process::Adopted] {
        converse(process, bytes);
    }
}

/// Feeds every line, grants every wish, and checks what Claude Code would read: a partial line, or one that is not
/// JSON, would end it.
fn converse(process: Process, bytes: &[u8]) {
    let begin = Begin {
        session: SESSION,
        process,
        carry: Carry::default(),
        interactive: true,
        hold_max: Some(Duration::from_secs(60)),
        denied_wait: Duration::from_secs(60),
        always: AlwaysAsk::default(),
        consulted: OccurrenceKinds::ALL.into_iter().collect(),
    };
    let (mut claude, mut out, mut ids) = (Claude::new(begin), Outbox::default(), Counted::default());
    let mut cx = Cx { now: Timestamp(0), ids: &mut ids, out: &mut out };
    claude.wake(&mut cx);
    for (place, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(line);
        match text.strip_prefix("tell ").map(|name| told(name, place)) {
            Some(Ok(told)) => claude.tell(&told.borrow(), &mut cx),
            // Refusing a garbled frame is fine too.
            _ => drop(claude.hear(Frame::Text(text), &mut cx)),
        }
        cx.now.0 += 1_000;
        grant(&mut claude, &mut cx);
        claude.wake(&mut cx);
    }
    for frame in &out.frames {
        if let Frame::Text(text) = frame {
            assert!(!text.contains('\n'), "more than a line: {text}");
            assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "not JSON: {text}");
        }
    }
}

fn grant(claude: &mut Claude, cx: &mut Cx<'_>) {
    let wishes = std::mem::take(&mut cx.out.wishes).into_iter().map(|(tag, _)| tag);
    let queries = std::mem::take(&mut cx.out.queries).into_iter().map(|(tag, _)| tag);
    for tag in wishes.chain(queries).collect::<Vec<_>>() {
        let ask = Some(AskId { session: SESSION, number: 1 });
        claude.reply(tag, Ok(Receipt { ask, session: Some(SESSION), ..Receipt::default() }), cx);
    }
}
