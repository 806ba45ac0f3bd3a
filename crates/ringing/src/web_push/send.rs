//! The request to a push service, and what its response means.

use std::time::Duration;

use askbridge_core::ids::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SecureRandom;
use serde::Deserialize;
use url::Url;

use super::keys::Keys;
use super::payload::payload;
use super::seal::{POINT_BYTES, Subscription, seal};
use super::vapid::authorization;
use crate::channel::WebPush;
use crate::clip::first_line;
use crate::notice::Notice;
use crate::wire::{Fate, Method, Request, Response};

const AUTH_BYTES: usize = 16;
/// RFC 8030: letters of base64url. A longer or other topic is refused by push services.
const TOPIC_BYTES_MAX: usize = 32;

/// One push to one browser.
#[derive(Debug, Clone, Copy)]
pub struct Push<'a> {
    pub to: &'a WebPush,
    pub notice: &'a Notice,
    /// The ask's id, if the notice is about one ask.
    pub ask: Option<&'a str>,
    /// How many asks wait for the person: the number on the app's icon. `None`: it stays as it is.
    pub waiting: Option<u32>,
    pub now: Timestamp,
    /// How long the push service keeps it for a browser that is offline.
    pub ttl: Duration,
}

/// Makes the request. `subject` is the contact that [`super::subject`] has checked. Which addresses may be called is
/// not checked here: the endpoint comes from a browser, and the bridge treats it as a foreign address.
pub fn send(push: &Push<'_>, keys: &Keys, subject: &str, random: &dyn SecureRandom) -> Result<Request, String> {
    let Push { to, notice, now, ttl, .. } = *push;
    let endpoint = Url::parse(&to.endpoint).ok().filter(Url::has_host);
    let endpoint = endpoint.ok_or("the subscription's endpoint is not an address")?;
    let p256dh = decode(&to.p256dh, POINT_BYTES).ok_or("the subscription's key is not a point of P-256")?;
    let auth = decode(&to.auth, AUTH_BYTES).ok_or("the subscription's secret does not have 16 bytes")?;
    let body = seal(&Subscription { p256dh: &p256dh, auth: &auth }, &payload(push)?, random)?;
    let urgency = if notice.is_urgent { "high" } else { "normal" };
    let mut headers = vec![
        ("authorization", authorization(keys, &endpoint, subject, now, random)?),
        ("content-encoding", "aes128gcm".to_owned()),
        ("content-type", "application/octet-stream".to_owned()),
        ("ttl", ttl.as_secs().to_string()),
        ("urgency", urgency.to_owned()),
    ];
    if is_topic(&notice.tag) {
        headers.push(("topic", notice.tag.clone()));
    }
    Ok(Request { method: Method::Post, url: to.endpoint.clone(), headers, body })
}

/// Reads a push service's response.
pub fn sent(response: &Response<'_>) -> Fate {
    let Response { status, retry_after, body } = *response;
    let said = || reason(body).map_or_else(String::new, |reason| format!(": {reason}"));
    match status {
        200..=299 => Fate::Sent { reference: None },
        404 | 410 => Fate::Gone { why: format!("the browser's subscription has ended ({status})") },
        413 => Fate::Refused { why: "the push service says that the message is too large (413)".into() },
        408 | 429 | 500.. => {
            Fate::Later { after: retry_after, why: format!("the push service answered {status}{}", said()) }
        }
        401 | 403 => Fate::Refused {
            why: format!(
                "the push service does not accept our signature ({status}{}); check the contact address and the clock",
                said()
            ),
        },
        _ => Fate::Refused { why: format!("the push service answered {status}{}", said()) },
    }
}

/// Apple gives its reason in JSON (`{"reason":"BadJwtToken"}`), as Mozilla does in `message`; Google in plain text.
fn reason(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Reason {
        #[serde(alias = "message")]
        reason: String,
    }
    match serde_json::from_slice::<Reason>(body) {
        Ok(Reason { reason }) => first_line(reason.as_bytes()),
        Err(_) => first_line(body),
    }
}

fn decode(text: &str, bytes: usize) -> Option<Vec<u8>> {
    // Browsers write no padding; some libraries that store subscriptions add it.
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok().filter(|decoded| decoded.len() == bytes)
}

fn is_topic(tag: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=TOPIC_BYTES_MAX).contains(&tag.len()) && tag.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ring::rand::SystemRandom;
    use serde_json::Value;

    use super::super::seal::tests::Browser;
    use super::*;
    use crate::samples::{notice, notices};

    fn subscription(browser: &Browser) -> WebPush {
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let (p256dh, auth) = (encode(&browser.p256dh), encode(&browser.auth));
        WebPush { endpoint: "https://push.example.net/p/1".into(), p256dh, auth, actions_max: 2 }
    }

    fn push<'a>(to: &'a WebPush, notice: &'a Notice) -> Push<'a> {
        let (now, ttl) = (Timestamp(1_700_000_000_000), Duration::from_secs(3600));
        Push { to, notice, ask: Some("ask_1"), waiting: Some(1), now, ttl }
    }

    fn keys() -> Keys {
        let random = SystemRandom::new();
        Keys::read(&Keys::generate(&random).unwrap(), &random).unwrap()
    }

    fn request(push: &Push<'_>) -> Result<Request, String> {
        send(push, &keys(), "mailto:ops@example.org", &SystemRandom::new())
    }

    fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
        request.headers.iter().find(|(found, _)| *found == name).map(|(_, value)| value.as_str())
    }

    #[test]
    fn the_browser_can_read_the_request() {
        let browser = Browser::new();
        let to = subscription(&browser);
        let urgent = Notice { is_urgent: true, ..notice() };
        let request = request(&push(&to, &urgent)).unwrap();
        assert_eq!((request.method, request.url.as_str()), (Method::Post, "https://push.example.net/p/1"));
        let expected = [
            ("content-encoding", "aes128gcm"),
            ("content-type", "application/octet-stream"),
            ("ttl", "3600"),
            ("urgency", "high"),
            ("topic", "k7q2"),
        ];
        assert_eq!(
            request.headers[1..].iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>(),
            expected
        );
        assert!(header(&request, "authorization").unwrap().starts_with("vapid t=eyJ"));
        let read: Value = serde_json::from_slice(&browser.open(&request.body).unwrap()).unwrap();
        assert_eq!(read["notification"]["body"], "Deploy now?");
    }

    #[test]
    fn a_subscription_that_is_none_is_refused_with_a_reason() {
        let good = subscription(&Browser::new());
        let refused = |to: WebPush| request(&push(&to, &notice())).unwrap_err();
        let endpoint = |text: &str| WebPush { endpoint: text.into(), ..good.clone() };
        for text in ["", "push", "mailto:a@example.org", "data:,x"] {
            assert_eq!(refused(endpoint(text)), "the subscription's endpoint is not an address", "{text}");
        }
        let key = WebPush { p256dh: good.auth.clone(), ..good.clone() };
        assert_eq!(refused(key), "the subscription's key is not a point of P-256");
        let auth = WebPush { auth: "AAAA".into(), ..good.clone() };
        assert_eq!(refused(auth), "the subscription's secret does not have 16 bytes");
    }

    #[test]
    fn a_tag_that_push_services_refuse_is_not_sent_as_topic() {
        let to = subscription(&Browser::new());
        for tag in ["", "ask 1", "ä", "line\nbreak"] {
            let odd = Notice { tag: tag.into(), ..notice() };
            let request = request(&push(&to, &odd)).unwrap();
            assert_eq!(header(&request, "topic"), None, "{tag}");
        }
    }

    #[test]
    fn each_response_says_what_to_do_with_the_subscription() {
        let response = |status, body| Response { status, retry_after: Some(Duration::from_secs(60)), body };
        for status in [200, 201] {
            assert_eq!(sent(&response(status, b"")), Fate::Sent { reference: None });
        }
        for status in [404, 410] {
            let gone = Fate::Gone { why: format!("the browser's subscription has ended ({status})") };
            assert_eq!(sent(&response(status, b"push subscription has unsubscribed or expired.")), gone);
        }
        assert!(matches!(sent(&response(413, b"")), Fate::Refused { .. }));
        for status in [429, 500, 503] {
            let Fate::Later { after, .. } = sent(&response(status, b"")) else { panic!("{status}") };
            assert_eq!(after, Some(Duration::from_secs(60)));
        }
        let why = "the push service does not accept our signature (403: BadJwtToken); check the contact address and the clock";
        assert_eq!(sent(&response(403, br#"{"reason":"BadJwtToken"}"#)), Fate::Refused { why: why.into() });
        let why = "the push service answered 400: UnauthorizedRegistration";
        assert_eq!(sent(&response(400, b"UnauthorizedRegistration\n")), Fate::Refused { why: why.into() });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_notice_becomes_a_request_that_the_browser_can_read(notice in notices()) {
            let browser = Browser::new();
            let to = subscription(&browser);
            let request = request(&push(&to, &notice)).unwrap();
            prop_assert!(request.body.len() <= 4096);
            prop_assert!(request.headers.iter().all(|(_, value)| value.bytes().all(|byte| (0x20..0x7f).contains(&byte))));
            let read: Value = serde_json::from_slice(&browser.open(&request.body).unwrap()).unwrap();
            prop_assert_eq!(&read["web_push"], 8030);
        }

        #[test]
        fn any_subscription_and_any_response_can_be_read(
            endpoint: String, p256dh in "[A-Za-z0-9_=-]{0,90}|\\PC{0,20}", auth: String, status: u16, body: Vec<u8>,
        ) {
            let to = WebPush { endpoint, p256dh, auth, actions_max: 0 };
            prop_assert!(request(&push(&to, &notice())).is_err());
            let _ = sent(&Response { status, retry_after: None, body: &body });
        }
    }
}
