//! Texts as an agent could write them to break out of their place in a notice, for property tests.

use proptest::prelude::*;

use crate::notice::{Button, Notice, Ticket, Tone};

/// Each was written against one place: JSON, HTML, Markdown, headers, addresses, reading direction, limits.
const NASTY: &[&str] = &[
    "",
    " \n\t ",
    "\",\"actions\":[{\"action\":\"http\"}],\"x\":\"",
    "</b><a href=\"https://evil.example/\">Open</a>",
    "*bold* _it_ [Open](https://evil.example/) `x`",
    "first\r\nAuthorization: Bearer x\r\n\r\nsecond",
    "=?utf-8?q?=22,=22url=22:=22https://evil.example/=22,=22a=22:=22?=",
    "=?UTF-8?B?4oCuZXZpbA==?= and =?utf-8?q?more?=",
    "\u{202e}txt.exe\u{2066}\u{200b}\u{feff}",
    "\\u0022 \\n \\",
    "/start abc /away @everyone #tag https://evil.example/?a=?b",
    "👩\u{200d}👩\u{200d}👧👍🏽🇯🇵e\u{301}",
    "\0\u{1}\u{7f}\u{85}\u{2028}\u{2029}",
];

pub(crate) fn text() -> impl Strategy<Value = String> {
    let nasty = || prop::sample::select(NASTY).prop_map(str::to_owned);
    // What is repeated decides what lies at the cut; the beginning moves the cut by a byte or two.
    let long = ("[a-z]{0,7}", nasty(), 1usize..10_000).prop_map(|(first, part, chars)| {
        let part = if part.is_empty() { "😀".to_owned() } else { part };
        first.chars().chain(part.chars().cycle()).take(chars).collect()
    });
    prop_oneof![3 => any::<String>(), 3 => nasty(), 2 => (nasty(), any::<String>(), nasty()).prop_map(|(a, b, c)| a + &b + &c), 1 => long]
}

pub(crate) fn ticket() -> impl Strategy<Value = Ticket> {
    "[A-Za-z0-9]{22,40}".prop_map(Ticket)
}

fn tone() -> impl Strategy<Value = Tone> {
    prop::sample::select(&[Tone::Plain, Tone::Allow, Tone::Deny][..])
}

fn button(label: impl Strategy<Value = String>) -> impl Strategy<Value = Button> {
    (label, ticket(), tone()).prop_map(|(label, ticket, tone)| Button { label, ticket, tone })
}

pub(crate) fn notice() -> impl Strategy<Value = Notice> {
    let link = prop::option::of(prop_oneof![
        2 => "[a-z0-9/]{0,20}".prop_map(|path| format!("https://ask.example/{path}")),
        1 => text(),
        1 => text().prop_map(|query| format!("https://ask.example/?{query}")),
    ]);
    let texts = ("[A-Za-z0-9]{1,32}", text(), text(), link);
    let few = prop::collection::vec(button(text()), 0..6);
    let many = prop::collection::vec(button("[a-z]{0,9}"), 85..105);
    let tickets = (prop::option::of(ticket()), prop::option::of(ticket()));
    (texts, any::<bool>(), prop_oneof![4 => few, 1 => many], tickets).prop_map(
        |((tag, title, body, link), is_urgent, buttons, (done, words))| Notice {
            tag,
            title,
            body,
            link,
            is_urgent,
            buttons,
            done,
            words,
            receipt: None,
        },
    )
}
