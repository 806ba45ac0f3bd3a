//! Every code that a refusal can carry, with its usual status and the page that explains it.
//!
//! The only list: a code that is not in it cannot be sent ([`super::Problem::plain`] asserts it in debug builds), and a code
//! without a page under `docs/errors` does not compile.

/// A code, its status and its page.
#[derive(Debug, Clone, Copy)]
pub struct Code {
    pub name: &'static str,
    pub status: u16,
    /// Markdown: what happened, why, what to try.
    pub page: &'static str,
}

impl Code {
    /// Finds a code by its name.
    pub fn named(name: &str) -> Option<&'static Self> {
        CODES.iter().find(|code| code.name == name)
    }

    /// Returns where its page is, on the server that sent it.
    pub fn address(name: &str) -> String {
        format!("/docs/errors/{name}")
    }
}

macro_rules! codes {
    ($($status:literal $name:literal)*) => {
        /// All codes, by status.
        pub const CODES: &[Code] = &[$(Code {
            name: $name,
            status: $status,
            page: include_str!(concat!("../../../../docs/errors/", $name, ".md")),
        }),*];
    };
}

codes! {
    400 "not_json"
    401 "unauthorized"
    403 "agent_may_not_decide"
    403 "forbidden"
    403 "host_not_allowed"
    403 "no_device_left"
    403 "origin_not_allowed"
    403 "tap_denied"
    403 "tap_expired"
    403 "tap_needed"
    404 "unknown_address"
    404 "unknown_ask"
    404 "unknown_channel"
    404 "unknown_message"
    404 "unknown_node"
    404 "unknown_rule"
    404 "unknown_session"
    404 "unknown_token"
    405 "wrong_method"
    408 "too_slow"
    409 "already_decided"
    409 "already_started"
    409 "ask_open"
    409 "channel_refused"
    409 "hosted_elsewhere"
    409 "messages_refused"
    409 "node_up"
    409 "not_open"
    409 "not_parkable"
    409 "not_settled"
    409 "nothing_to_undo"
    409 "session_closed"
    409 "session_full"
    409 "session_moved_on"
    409 "session_unfinished"
    409 "stale_epoch"
    409 "ticket_refused"
    410 "gone"
    410 "pairing_used"
    413 "too_large"
    422 "answer_does_not_fit"
    422 "bad_request"
    426 "not_a_websocket"
    429 "too_fast"
    429 "too_many_asks"
    429 "too_many_messages"
    429 "too_much_open"
    503 "down"
    503 "host_down"
    503 "no_claude"
}
