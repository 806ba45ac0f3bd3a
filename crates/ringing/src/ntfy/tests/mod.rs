mod any_text;
mod publishing;
mod replying;
mod setting_up;

use std::time::Duration;

use serde_json::Value;

use crate::channel::Ntfy;
use crate::notice::{Button, Notice, Ticket, Tone};
use crate::wire::{Request, Response};

fn ntfy() -> Ntfy {
    Ntfy {
        server: "https://ntfy.example.org".into(),
        topic: "ann-phone".into(),
        token: Some("tk_secret".into()),
        reply_topic: "randomReplies".into(),
    }
}

fn button(label: &str, ticket: &str) -> Button {
    Button { label: label.into(), ticket: Ticket(ticket.into()), tone: Tone::Plain }
}

/// A question with two options.
fn question() -> Notice {
    Notice {
        tag: "ask17".into(),
        title: "Deploy now?".into(),
        body: "ci asks in shop".into(),
        link: Some("https://ask.example.org/#ask=17".into()),
        is_urgent: false,
        buttons: vec![button("Yes", "ticketYes"), button("No", "ticketNo")],
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

fn response_after(status: u16, seconds: u64, body: &str) -> Response<'_> {
    Response { retry_after: Some(Duration::from_secs(seconds)), ..response(status, body) }
}
