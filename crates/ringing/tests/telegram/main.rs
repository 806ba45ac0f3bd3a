//! Our half of Telegram beside an independent one: the library `python-telegram-bot` reads what we write, and we read what
//! it writes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use askbridge_ringing::channel::{Telegram, TelegramChat};
use askbridge_ringing::notice::{Button, Notice, Ticket, Tone};
use askbridge_ringing::telegram::{
    Shown, Update, What, answer_tap, check, close, is_paired, link, poll, prompt, send, toggle, updates,
};
use askbridge_ringing::wire::{Request, Response};
use serde_json::{Value, json};

const ANN: TelegramChat = TelegramChat { chat: 7001, user: 7001 };

/// Texts that would be markup, break a limit, or be counted differently.
const TEXTS: &[&str] = &[
    "",
    "Deploy now?",
    "<b>bold</b> & *bold* [Open](https://evil.example/)",
    "\",\"text\":\"x\\",
    "first\r\nsecond\u{2028}third\0",
    "\u{202e}txt.exe\u{200b}",
    "😀👩\u{200d}👩\u{200d}👧 e\u{301} 日本語",
];

fn telegram() -> Telegram {
    Telegram { api: "https://api.telegram.org".into(), bot_token: "110201543:AAHdqTcvCH1v-_x".into(), chat: Some(ANN) }
}

/// `ASKBRIDGE_TEST_TELEGRAM`, or the one in `.tools`.
#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
fn python() -> PathBuf {
    let named = std::env::var_os("ASKBRIDGE_TEST_TELEGRAM").map(PathBuf::from);
    let place = "../../.tools/python-telegram-bot/22.8/bin/python";
    let path = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(place));
    assert!(path.is_file(), "there is nothing at {}; run `cargo xtask install`", path.display());
    path
}

fn library(arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(python());
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/telegram/library.py")).args(arguments);
    command.env_clear().env("PYTHONIOENCODING", "utf-8").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let taken = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the library refuses it; its reason is above");
    taken.unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn notice(text: &str, options: usize, done: bool) -> Notice {
    let ticket = |name: String| Ticket(format!("{name:0>32}"));
    let tones = [Tone::Plain, Tone::Allow, Tone::Deny];
    let option = |at: usize| Button { label: text.to_owned(), ticket: ticket(format!("t{at}")), tone: tones[at % 3] };
    Notice {
        tag: "ask17".into(),
        title: text.to_owned(),
        body: text.to_owned(),
        link: Some("https://ask.example.org/#ask=17".into()),
        is_urgent: false,
        buttons: (0..options).map(option).collect(),
        done: done.then(|| ticket("done".into())),
        words: done.then(|| ticket("words".into())),
        receipt: None,
    }
}

#[test]
fn the_library_reads_every_request_of_ours_as_we_mean_it() {
    let telegram = telegram();
    let long: Vec<String> = TEXTS.iter().filter(|text| !text.is_empty()).map(|text| text.repeat(1500)).collect();
    let (mut requests, mut titles): (Vec<Request>, Vec<Option<String>>) = (Vec::new(), Vec::new());
    for text in TEXTS.iter().copied().chain(long.iter().map(String::as_str)) {
        for (options, done) in [(0, false), (2, false), (5, true), (100, false)] {
            let notice = notice(text, options, done);
            requests.push(send(&telegram, &notice).unwrap());
            let line: String = text.chars().map(|c| if c.is_control() || c == '\u{2028}' { ' ' } else { c }).collect();
            titles.push(Some(line.trim().to_owned()).filter(|title| !title.is_empty()));
            requests.push(toggle(&telegram, "7001:55", &notice, &[0, 3]).unwrap());
            titles.push(None);
        }
        let others = [
            close(&telegram, "7001:55", text).unwrap(),
            prompt(&telegram, "7001:55", text, text).unwrap(),
            answer_tap(&telegram, "4382bfdwdsb323b2d9", text, Shown::UntilClosed),
        ];
        titles.extend(others.iter().map(|_| None));
        requests.extend(others);
    }
    requests.extend([poll(&telegram, Some(7)), poll(&telegram, None), check(&telegram)]);
    titles.extend([None, None, None]);

    let written = |request: &Request| {
        let params: Value = serde_json::from_slice(&request.body).unwrap();
        json!({ "method": request.url.rsplit('/').next(), "params": params })
    };
    let read = library(&["read"], &Value::from_iter(requests.iter().map(written)).to_string());
    let bold: Vec<Option<String>> = serde_json::from_str(&read).unwrap();
    assert_eq!(bold.len(), requests.len());
    for (bold, title) in bold.iter().zip(&titles) {
        match (bold, title) {
            (Some(bold), Some(title)) if bold.ends_with('…') => {
                assert!(title.starts_with(bold.trim_end_matches('…')))
            }
            (bold, title) => assert_eq!(bold, title),
        }
    }
}

#[test]
fn we_read_every_update_that_the_library_writes() {
    let written = library(&["write"], "");
    let read = updates(&Response { status: 200, retry_after: None, body: written.as_bytes() }).unwrap();
    let tap = |chat: TelegramChat, message: &str| What::Tap {
        callback: "4382bfdwdsb323b2d9".into(),
        ticket: Ticket("ticketYes".into()),
        chat,
        message: message.into(),
    };
    let stranger = TelegramChat { chat: -100_123, user: 6666 };
    let expected = [
        What::Start { code: "pair-7Kq_x".into(), chat: ANN },
        What::Other,
        tap(ANN, "7001:55"),
        tap(ANN, "7001:54"),
        tap(stranger, "-100123:70"),
        What::Words { chat: ANN, reply_to: Some("7001:55".into()), text: "main, please 😀".into() },
        What::Inbox { chat: ANN },
        What::Away { chat: ANN, is_away: true },
        What::Away { chat: ANN, is_away: false },
        What::Other,
        What::Other,
    ];
    let expected: Vec<Update> = (900..).zip(expected).map(|(id, what)| Update { id, what }).collect();
    assert_eq!(read, expected);
    assert!(is_paired(&telegram(), ANN) && !is_paired(&telegram(), stranger));
}

#[test]
fn our_link_is_the_one_of_the_library() {
    assert_eq!(link("ask_bot", "pair-7Kq_x"), library(&["link", "ask_bot", "pair-7Kq_x"], "").trim_end());
}
