mod any_text;
mod sending;
mod setting_up;
mod updating;

use serde_json::Value;

use crate::channel::{Telegram, TelegramChat};
use crate::notice::{Button, Notice, Ticket, Tone};
use crate::wire::{Request, Response};

const ANN: TelegramChat = TelegramChat { chat: 7001, user: 7001 };

fn telegram() -> Telegram {
    Telegram { api: "https://api.telegram.org".into(), bot_token: "110201543:AAHdqTcvCH1v-_x".into(), chat: Some(ANN) }
}

fn button(label: &str, ticket: &str, tone: Tone) -> Button {
    Button { label: label.into(), ticket: Ticket(ticket.into()), tone }
}

/// An approval.
fn approval() -> Notice {
    Notice {
        tag: "ask17".into(),
        title: "Run `rm -rf build`?".into(),
        body: "claude asks in shop".into(),
        link: Some("https://ask.example.org/#ask=17".into()),
        is_urgent: false,
        buttons: vec![button("Allow", "ticketYes", Tone::Allow), button("Deny", "ticketNo", Tone::Deny)],
        done: None,
        words: None,
        receipt: None,
    }
}

fn json(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

fn response(status: u16, body: &str) -> Response<'_> {
    Response { status, retry_after: None, body: body.as_bytes() }
}

/// A refusal as Telegram writes it.
fn refusal(status: u16, description: &str) -> String {
    serde_json::json!({ "ok": false, "error_code": status, "description": description }).to_string()
}
