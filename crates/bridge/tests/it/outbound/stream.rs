//! Answers that are read line by line.

use std::sync::Arc;
use std::time::Duration;

use askbridge_bridge::outbound::{Call, Failed, Outbound, Streamed};
use askbridge_core::limits;
use tokio::sync::Notify;

use super::outside::{Outside, response};

const IDLE: Duration = Duration::from_secs(60);
const CHUNKED: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n";
/// A body that ends with the connection.
const UNTIL_CLOSED: &str = "HTTP/1.1 200 OK\r\n\r\n";

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

async fn open(outside: &Outside, idle: Duration) -> Streamed {
    Outbound::new(outside.options()).stream(Call::get(outside.url()), idle).await.unwrap()
}

/// Reads until the stream ends: the lines, and how it failed.
async fn read(mut stream: Streamed) -> (Vec<String>, Option<Failed>) {
    let mut lines = Vec::new();
    let failed = loop {
        match stream.line().await {
            None => break None,
            Some(Ok(line)) => lines.push(line),
            Some(Err(failed)) => break Some(failed),
        }
    };
    assert!(stream.line().await.is_none(), "nothing comes after the end");
    (lines, failed)
}

#[tokio::test]
async fn lines_arrive_while_the_server_is_still_writing() {
    let next = Arc::new(Notify::new());
    let told = next.clone();
    let outside = Outside::encrypted(move |mut visit| {
        let told = told.clone();
        async move {
            visit.request().await;
            visit.say(CHUNKED).await;
            visit.say(&chunk("{\"event\":\"open\"}\n{\"ev")).await;
            told.notified().await;
            visit.say(&chunk("ent\":\"message\"}\r\n")).await;
            told.notified().await;
            visit.say("0\r\n\r\n").await;
            visit.end().await;
        }
    })
    .await;
    let mut stream = open(&outside, IDLE).await;
    assert_eq!(stream.status, 200);
    assert_eq!(stream.headers["content-type"], "application/x-ndjson");
    assert_eq!(stream.line().await.unwrap().unwrap(), r#"{"event":"open"}"#);
    next.notify_one();
    assert_eq!(stream.line().await.unwrap().unwrap(), r#"{"event":"message"}"#);
    next.notify_one();
    assert!(stream.line().await.is_none());
}

#[tokio::test]
async fn a_line_that_was_cut_is_not_taken_for_a_line() {
    let cut = format!("{CHUNKED}{}", chunk("{\"a\":1}\n{\"b\":"));
    let ended = format!("{CHUNKED}{}0\r\n\r\n", chunk("{\"a\":1}\n{\"b\":"));
    let closed = format!("{UNTIL_CLOSED}{{\"a\":1}}\n{{\"b\":");
    for answer in [cut, ended, closed] {
        let outside = Outside::saying_in_the_clear(answer.clone()).await;
        let (lines, failed) = read(open(&outside, IDLE).await).await;
        assert_eq!(lines, [r#"{"a":1}"#], "{answer}");
        assert!(matches!(failed, Some(Failed::NoAnswer { .. })), "{answer}: {failed:?}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_after_a_line_has_not_failed() {
    let whole = format!("{CHUNKED}{}0\r\n\r\n", chunk("a\n\nb\n"));
    for answer in [whole, format!("{UNTIL_CLOSED}a\n\nb\n"), response("200 OK", "", "a\n\nb\n")] {
        let outside = Outside::saying_in_the_clear(answer.clone()).await;
        let (lines, failed) = read(open(&outside, IDLE).await).await;
        assert_eq!(lines, ["a", "", "b"], "{answer}");
        assert!(failed.is_none(), "{answer}: {failed:?}");
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_ends_the_stream() {
    let longest = "x".repeat(limits::OUTBOUND_LINE_BYTES_MAX);
    let outside = Outside::saying_in_the_clear(format!("{UNTIL_CLOSED}{longest}\n{longest}x\nshort\n")).await;
    let (lines, failed) = read(open(&outside, IDLE).await).await;
    assert_eq!(lines, [longest]);
    assert!(matches!(failed, Some(Failed::TooLarge { what: "a line", .. })), "{failed:?}");

    // Also if it never ends.
    let outside = Outside::clear(|mut visit| async move {
        visit.request().await;
        visit.say(UNTIL_CLOSED).await;
        visit.say(&"x".repeat(limits::OUTBOUND_LINE_BYTES_MAX + 1)).await;
        visit.left().await;
    })
    .await;
    let (_, failed) = read(open(&outside, IDLE).await).await;
    assert!(matches!(failed, Some(Failed::TooLarge { what: "a line", .. })), "{failed:?}");
}

#[tokio::test]
async fn a_server_that_falls_silent_ends_the_stream() {
    let outside = Outside::clear(|mut visit| async move {
        visit.request().await;
        visit.say(&format!("{CHUNKED}{}", chunk("a\nb"))).await;
        visit.left().await;
    })
    .await;
    let idle = Duration::from_millis(200);
    let (lines, failed) = read(open(&outside, idle).await).await;
    assert_eq!(lines, ["a"]);
    assert!(matches!(failed, Some(Failed::Silent { after, .. }) if after == idle), "{failed:?}");
}

#[tokio::test]
async fn a_server_that_does_not_begin_to_answer_is_waited_for_as_long_as_the_call_says() {
    let silent = Outside::silent().await;
    let after = Duration::from_millis(200);
    let call = Call { patience: Some(after), ..Call::get(silent.url()) };
    let failed = Outbound::new(silent.options()).stream(call, IDLE).await.unwrap_err();
    assert!(matches!(failed, Failed::TooSlow { after: waited, .. } if waited == after), "{failed}");
}

#[tokio::test]
async fn a_wait_that_was_given_up_loses_nothing() {
    let next = Arc::new(Notify::new());
    let told = next.clone();
    let outside = Outside::clear(move |mut visit| {
        let told = told.clone();
        async move {
            visit.request().await;
            visit.say(&format!("{CHUNKED}{}", chunk("first\nsec"))).await;
            told.notified().await;
            visit.say(&format!("{}0\r\n\r\n", chunk("ond\n"))).await;
            visit.end().await;
        }
    })
    .await;
    let mut stream = open(&outside, IDLE).await;
    assert_eq!(stream.line().await.unwrap().unwrap(), "first");
    for _ in 0..3 {
        let given_up = tokio::select! {
            biased;
            _ = stream.line() => false,
            () = std::future::ready(()) => true,
        };
        assert!(given_up, "the rest of the line is not there yet");
    }
    next.notify_one();
    assert_eq!(stream.line().await.unwrap().unwrap(), "second");
    assert!(stream.line().await.is_none());
}

#[tokio::test]
async fn dropping_a_stream_closes_the_connection() {
    let mut outside = Outside::encrypted(|mut visit| async move {
        visit.request().await;
        visit.say(&format!("{CHUNKED}{}", chunk("a\n"))).await;
        visit.left().await;
        visit.report("left").await;
    })
    .await;
    let mut stream = open(&outside, IDLE).await;
    assert_eq!(stream.line().await.unwrap().unwrap(), "a");
    outside.heard.recv().await.unwrap();
    drop(stream);
    assert_eq!(outside.heard.recv().await.unwrap(), "left");
}

#[tokio::test]
async fn a_refusal_says_when_to_come_back() {
    let outside = Outside::saying(response("429 Too Many Requests", "retry-after: 5\r\n", "{}\n")).await;
    let outbound = Outbound::new(outside.options());
    let stream = outbound.stream(Call::get(outside.url()), IDLE).await.unwrap();
    assert_eq!((stream.status, stream.retry_after()), (429, Some(Duration::from_secs(5))));
    assert_eq!(read(stream).await.0, ["{}"]);
}
