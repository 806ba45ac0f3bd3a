//! Calls with one bounded answer.

use std::time::Duration;

use askbridge_bridge::outbound::{Authorities, Call, Failed, Outbound, OutboundOptions};
use askbridge_core::limits;
use axum::http::Method;
use axum::http::header::{self, HeaderName, HeaderValue};

use super::outside::{Outside, response};

/// The lines of a request's head, in lower case, sorted; the request line is among them.
fn head(heard: &str) -> Vec<String> {
    let (head, _) = heard.split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<_> = head.lines().map(str::to_lowercase).collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn a_post_arrives_and_its_answer_comes_back() {
    let mut outside = Outside::saying(response("200 OK", "", r#"{"queued":true}"#)).await;
    let outbound = Outbound::new(outside.options());
    let answered = outbound.post(&outside.url(), r#"{"title":"Hello"}"#).await.unwrap();
    assert_eq!((answered.status, &*answered.body), (200, &br#"{"queued":true}"#[..]));
    let heard = outside.heard.recv().await.unwrap();
    assert!(heard.starts_with("POST /push/1/secret?x=y HTTP/1.1\r\n"), "{heard}");
    assert!(heard.contains(&format!("host: localhost:{}\r\n", outside.address.port())), "{heard}");
    assert!(heard.contains("content-type: application/json\r\n"), "{heard}");
    assert!(heard.ends_with("\r\n\r\n{\"title\":\"Hello\"}"), "{heard}");
}

#[tokio::test]
async fn methods_headers_and_bodies_arrive_as_they_are() {
    let mut outside = Outside::saying(response("200 OK", "", "")).await;
    let outbound = Outbound::new(outside.options());
    let host = format!("host: localhost:{}", outside.address.port());
    let us = concat!("user-agent: askbridge/", env!("CARGO_PKG_VERSION"));

    let call = Call::get(outside.url()).header(header::AUTHORIZATION, HeaderValue::from_static("Bearer tk_1"));
    outbound.call(call).await.unwrap();
    let heard = outside.heard.recv().await.unwrap();
    assert_eq!(head(&heard), ["authorization: bearer tk_1", "get /push/1/secret?x=y http/1.1", &host, us]);

    let topic = HeaderName::from_static("topic");
    let call = Call::new(Method::PUT, outside.url())
        .header(topic.clone(), HeaderValue::from_static("a"))
        .header(topic, HeaderValue::from_static("b"))
        .header(header::USER_AGENT, HeaderValue::from_static("other/1"));
    outbound.call(Call { body: "\u{0}binary".into(), ..call }).await.unwrap();
    let heard = outside.heard.recv().await.unwrap();
    let expected =
        ["content-length: 7", &host, "put /push/1/secret?x=y http/1.1", "topic: a", "topic: b", "user-agent: other/1"];
    assert_eq!(head(&heard), expected);
    assert!(heard.ends_with("\r\n\r\n\u{0}binary"), "{heard}");

    outbound.call(Call::new(Method::DELETE, outside.url())).await.unwrap();
    let heard = outside.heard.recv().await.unwrap();
    assert_eq!(head(&heard).first().map(String::as_str), Some("delete /push/1/secret?x=y http/1.1"));
}

#[tokio::test]
async fn headers_that_end_a_request_elsewhere_are_refused() {
    let mut outside = Outside::saying(response("200 OK", "", "")).await;
    let outbound = Outbound::new(outside.options());
    for name in ["host", "content-length", "transfer-encoding", "connection", "upgrade", "sec-websocket-key"] {
        let name = HeaderName::from_static(name);
        let own = Call::post(outside.url(), "{}").header(name.clone(), HeaderValue::from_static("1"));
        let failed = outbound.call(own).await.unwrap_err();
        assert!(matches!(&failed, Failed::Header { name: refused } if *refused == name.as_str()), "{failed}");
    }
    assert!(outside.heard.try_recv().is_err(), "nothing was sent");
}

#[tokio::test]
async fn the_headers_of_the_answer_can_be_read() {
    let more = "Retry-After: 30\r\nReplay-Nonce: n1\r\nLink: <a>\r\nLink: <b>\r\n";
    let outside = Outside::saying(response("429 Too Many Requests", more, "")).await;
    let answered = Outbound::new(outside.options()).post(&outside.url(), "{}").await.unwrap();
    assert_eq!((answered.status, answered.retry_after()), (429, Some(Duration::from_secs(30))));
    assert_eq!(answered.headers["replay-nonce"], "n1");
    assert_eq!(answered.headers.get_all("link").iter().collect::<Vec<_>>(), ["<a>", "<b>"]);
}

#[tokio::test]
async fn a_server_without_a_trusted_certificate_is_told_nothing() {
    let mut outside = Outside::saying(response("200 OK", "", "{}")).await;
    let other = Outside::saying(String::new()).await;
    let authorities = Authorities::read(other.authority.unwrap().as_bytes()).unwrap();
    let outbound = Outbound::new(OutboundOptions { authorities, ..outside.options() });
    let named = Call { named_by_operator: true, ..Call::get(outside.url()) };
    for call in [Call::post(outside.url(), "{}"), named] {
        let failed = outbound.call(call).await.unwrap_err();
        assert!(matches!(failed, Failed::Connect { .. }), "{failed}");
    }
    assert!(outside.heard.try_recv().is_err(), "nothing was sent");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let mut elsewhere = Outside::saying_in_the_clear(response("200 OK", "", "")).await;
    let more = format!("location: {}\r\n", elsewhere.url());
    let mut outside = Outside::saying(response("302 Found", &more, "")).await;
    let outbound = Outbound::new(outside.options());
    let named = Call { named_by_operator: true, ..Call::get(outside.url()) };
    for call in [Call::get(outside.url()), Call::post(outside.url(), "{}"), named] {
        let answered = outbound.call(call).await.unwrap();
        assert_eq!(answered.status, 302);
        assert_eq!(answered.headers["location"], elsewhere.url());
        outside.heard.recv().await.unwrap();
    }
    assert!(outside.heard.try_recv().is_err(), "it was called once for each call");
    assert!(elsewhere.heard.try_recv().is_err(), "the other was not called");
}

#[tokio::test]
async fn an_answer_that_is_too_large_or_broken_is_a_failure() {
    let endless = "x".repeat(limits::OUTBOUND_ANSWER_BYTES_MAX + 1);
    let outside = Outside::saying(response("200 OK", "", &endless)).await;
    let failed = Outbound::new(outside.options()).post(&outside.url(), "{}").await.unwrap_err();
    assert!(failed.to_string().contains("an answer of more than 65536 bytes"), "{failed}");

    let endless = format!("x: {}\r\n", "x".repeat(2 * limits::OUTBOUND_HEAD_BYTES_MAX));
    let outside = Outside::saying(response("200 OK", &endless, "")).await;
    let failed = Outbound::new(outside.options()).post(&outside.url(), "{}").await.unwrap_err();
    assert!(matches!(failed, Failed::NoAnswer { .. }), "{failed}");

    let outside = Outside::saying("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf".to_owned()).await;
    let failed = Outbound::new(outside.options()).post(&outside.url(), "{}").await.unwrap_err();
    assert!(matches!(failed, Failed::NoAnswer { .. }), "{failed}");
}

#[tokio::test]
async fn a_call_ends_when_its_own_time_is_over_or_else_that_of_all() {
    let silent = Outside::silent().await;
    let short = Duration::from_millis(200);
    let outbound = Outbound::new(OutboundOptions { patience: short, ..silent.options() });
    let failed = outbound.post(&silent.url(), "{}").await.unwrap_err();
    assert!(matches!(failed, Failed::TooSlow { after, .. } if after == short), "{failed}");

    let outbound = Outbound::new(OutboundOptions { patience: Duration::from_secs(3600), ..silent.options() });
    let failed = outbound.call(Call { patience: Some(short), ..Call::get(silent.url()) }).await.unwrap_err();
    assert!(matches!(failed, Failed::TooSlow { after, .. } if after == short), "{failed}");
}

#[tokio::test]
async fn a_long_poll_outlasts_the_time_of_other_calls() {
    let outside = Outside::saying(response("200 OK", "", "news")).await;
    let outbound = Outbound::new(OutboundOptions { patience: Duration::ZERO, ..outside.options() });
    let failed = outbound.post(&outside.url(), "{}").await.unwrap_err();
    assert!(matches!(failed, Failed::TooSlow { .. }), "{failed}");
    let patient = Call { patience: Some(Duration::from_secs(60)), ..Call::get(outside.url()) };
    assert_eq!(&*outbound.call(patient).await.unwrap().body, b"news");
}

#[test]
fn a_file_without_a_certificate_is_refused_in_words() {
    assert_eq!(Authorities::read(b"").unwrap_err(), "there is no certificate in it");
    let broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(Authorities::read(broken).unwrap_err().contains("cannot be used"));
}
