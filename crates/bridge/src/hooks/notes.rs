//! Remembers the ids of recent calls: the event that asks about a call a moment later does not carry its id.

use std::collections::VecDeque;

use askbridge_core::limits::HOOK_NOTES_MAX;
use askbridge_peers::doors::hook::ToolCall;
use parking_lot::Mutex;

/// Calls that were not asked about yet, oldest first.
#[derive(Debug, Default)]
pub(super) struct Notes(Mutex<VecDeque<(String, ToolCall)>>);

impl Notes {
    pub(super) fn keep(&self, conversation: &str, call: ToolCall) {
        let mut notes = self.0.lock();
        notes.retain(|(_, known)| known.id != call.id);
        if notes.len() >= HOOK_NOTES_MAX {
            notes.pop_front();
        }
        notes.push_back((conversation.to_owned(), call));
    }

    /// Finds and removes the call that is asked about: the next question like it belongs to another call.
    pub(super) fn take(&self, conversation: &str, asked: &ToolCall) -> Option<ToolCall> {
        let mut notes = self.0.lock();
        let place = notes.iter().position(|(known, call)| known == conversation && call.is(asked))?;
        notes.remove(place).map(|(_, call)| call)
    }
}

#[cfg(test)]
mod tests {
    use askbridge_core::ids::Raw;

    use super::*;

    #[test]
    fn each_question_gets_the_oldest_call_that_fits_once() {
        let call = |id: Option<&str>| ToolCall {
            id: id.map(str::to_owned),
            tool: "AskUserQuestion".to_owned(),
            input: Raw::from("{}"),
        };
        let notes = Notes::default();
        notes.keep("one", call(Some("a")));
        notes.keep("one", call(Some("b")));
        notes.keep("one", call(Some("a")));
        assert_eq!(notes.take("two", &call(None)), None);
        assert_eq!(notes.take("one", &call(None)), Some(call(Some("b"))));
        assert_eq!(notes.take("one", &call(None)), Some(call(Some("a"))));
        assert_eq!(notes.take("one", &call(None)), None);
    }
}
