//! Parsers of texts: bodies, replies, records, cursors, ids.

use std::time::Duration;

use askbridge_core::ask::Reach;
use askbridge_core::ids::{AskId, MessageId, SessionId};
use askbridge_core::view::AskView;
use askbridge_core::{unfit, wild};
use askbridge_journal::{Cursor, record};
use askbridge_peers::doors::hook::{self, Facts, HookAction, Mouth};
use askbridge_peers::doors::http::{self, Asking};
use askbridge_peers::json::{self, Answering};
use askbridge_peers::tools::check_edit;
use askbridge_testkit::asks;

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The body of `POST /v1/asks`: an ask with something to read, or an error with an explanation.
pub(super) fn http_ask(bytes: &[u8]) {
    match http::ask(&text(bytes), &Asking { key: Some("k") }) {
        Ok(wish) => assert!(!wild::is_blank(wish.body.headline()), "an ask without anything to read: {:?}", wish.body),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The input of a hook: nothing, or an ask with something to read. Nothing is ever printed for an open ask.
pub(super) fn hook(bytes: &[u8]) {
    let text = text(bytes);
    let _ = hook::read_record(&text);
    let Some(heard) = hook::hear(&text) else { return };
    for (away, mouth) in
        [(false, Mouth::Terminal), (true, Mouth::Terminal), (true, Mouth::PromptTool), (true, Mouth::Nobody)]
    {
        let park = (mouth != Mouth::Terminal).then_some(Duration::ZERO);
        let facts = Facts { away, mouth, park, ..Facts::default() };
        let HookAction::Hold { call, follows, .. } = hook::choose(&heard, &facts) else { continue };
        let around = hook::Around::default();
        let Ok(wish) = hook::wish(&heard, &call, asks::SESSION, &around, Reach::Held) else { continue };
        assert!(!wild::is_blank(wish.body.headline()), "an ask without anything to read: {:?}", wish.body);
        for name in asks::NAMES {
            let open = AskView::fresh(asks::ask(name).expect("it is a sample"));
            assert_eq!(hook::answer(&heard, &call, follows, &open), None);
        }
    }
}

/// JSON as agents write it. What we write parses to the same.
pub(super) fn wild_ask(bytes: &[u8]) {
    let Some(value) = json::parse(&text(bytes)) else { return };
    let again = json::parse(json::raw(&value).as_str()).expect("what we write is JSON");
    assert_eq!(again, value);
    let _ = wild::body(&value, &json::parse);
}

/// An answer to every sample ask: it fits, or it is refused with an explanation.
pub(super) fn reply(bytes: &[u8]) {
    for name in asks::NAMES {
        let Ok(answering) = serde_json::from_slice::<Answering>(bytes) else { return };
        let Ok((reply, _)) = answering.reply() else { return };
        let ask = asks::ask(name).expect("it is a sample");
        if let Err(mismatch) = unfit(&ask, reply, &check_edit) {
            assert!(!mismatch.to_string().is_empty());
        }
    }
}

/// A record of the journal. What was parsed is written so that it parses to the same.
pub(super) fn record(bytes: &[u8]) {
    if let Ok(event) = record::decode(&text(bytes)) {
        let again = record::decode(&record::encode(&event)).expect("what we write can be read");
        assert_eq!(again, event);
    }
}

pub(super) fn cursor(bytes: &[u8]) {
    if let Ok(cursor) = text(bytes).parse::<Cursor>() {
        assert_eq!(cursor.to_string().parse::<Cursor>().as_ref(), Ok(&cursor));
    }
}

pub(super) fn ids(bytes: &[u8]) {
    let text = text(bytes);
    if let Ok(id) = text.parse::<AskId>() {
        assert_eq!(id.to_string().parse(), Ok(id));
    }
    if let Ok(id) = text.parse::<SessionId>() {
        assert_eq!(id.to_string().parse(), Ok(id));
    }
    if let Ok(id) = text.parse::<MessageId>() {
        assert_eq!(id.to_string().parse(), Ok(id));
    }
}
