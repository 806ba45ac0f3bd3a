//! The window in which a person answers in words.

use serde_json::{Value, json};

use super::blocks::{WORDS, line, plain};
use crate::notice::Ticket;

/// Slack's limit for a window's title and buttons.
const TITLE_MAX: usize = 24;
const LABEL_MAX: usize = 2000;
/// Slack's limit for what can be typed.
const WORDS_MAX: usize = 3000;

/// Returns the window. The ticket comes back with the words, as `private_metadata`.
pub(super) fn view(ticket: &Ticket, question: &str) -> Value {
    json!({
        "type": "modal",
        "callback_id": WORDS,
        "private_metadata": ticket.0,
        "title": line("Answer", TITLE_MAX),
        "submit": line("Send", TITLE_MAX),
        "close": line("Cancel", TITLE_MAX),
        "blocks": [{
            "type": "input",
            "block_id": WORDS,
            "label": plain(question, LABEL_MAX),
            "element": {
                "type": "plain_text_input",
                "action_id": WORDS,
                "multiline": true,
                "min_length": 1,
                "max_length": WORDS_MAX,
            },
        }],
    })
}
