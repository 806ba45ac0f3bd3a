use proptest::prelude::*;

use super::*;
use crate::samples::{hostile, notice, notices, ticket};

fn slack() -> Slack {
    Slack {
        api: "https://slack.com/api".into(),
        app_token: "xapp-1".into(),
        bot_token: "xoxb-1".into(),
        to: Some("U07".into()),
        user: Some("U07".into()),
    }
}

fn answered(body: &str) -> Response<'_> {
    Response { status: 200, retry_after: None, body: body.as_bytes() }
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

fn refused(why: &str) -> Fate {
    Fate::Refused { why: why.into() }
}

#[test]
fn a_connection_is_opened_with_the_app_token() {
    let expected = Request {
        method: Method::Post,
        url: "https://slack.com/api/apps.connections.open".into(),
        headers: vec![
            ("authorization", "Bearer xapp-1".into()),
            ("content-type", "application/x-www-form-urlencoded".into()),
        ],
        body: Vec::new(),
    };
    assert_eq!(open(&slack()), expected);
    let url = "wss://wss.slack.com/link/?ticket=1234-5678";
    assert_eq!(opened(&answered(&json!({"ok": true, "url": url}).to_string())), Ok(url.to_owned()));
    let nowhere = Err(refused("Slack opened a connection without saying where"));
    for body in [r#"{"ok":true}"#, r#"{"ok":true,"url":"https://slack.com"}"#, r#"{"ok":true,"url":7}"#] {
        assert_eq!(opened(&answered(body)), nowhere);
    }
}

#[test]
fn a_bot_token_is_checked_before_it_is_kept() {
    let request = check(&slack());
    assert_eq!(request.url, "https://slack.com/api/auth.test");
    assert_eq!(request.headers[0].1, "Bearer xoxb-1");
    let body =
        r#"{"ok":true,"url":"https://shop.slack.com/","team":"Shop","user":"askbridge","team_id":"T1","user_id":"U9"}"#;
    assert_eq!(checked(&answered(body)), Ok(Workspace { name: "Shop".into(), bot: "U9".into() }));
    let why = "Slack does not accept the token (invalid_auth); copy it again from the app's settings";
    assert_eq!(checked(&answered(r#"{"ok":false,"error":"invalid_auth"}"#)), Err(refused(why)));
}

#[test]
fn a_message_is_changed_where_slack_says_that_it_is() {
    let posted = answered(r#"{"ok":true,"channel":"D12","ts":"1503435956.000247","message":{"text":"x"}}"#);
    let Fate::Sent { reference: Some(reference) } = sent(&posted) else { panic!("it was sent") };
    let request = close(&slack(), &reference, "Allowed in the web app").unwrap();
    assert_eq!(request.url, "https://slack.com/api/chat.update");
    let update = body(&request);
    assert_eq!((&update["channel"], &update["ts"]), (&json!("D12"), &json!("1503435956.000247")));
    assert_eq!(update["text"], "Allowed in the web app");
    assert_eq!(update["blocks"].as_array().unwrap().len(), 1, "no buttons are left");
    assert_eq!(close(&slack(), "no reference", "x"), None);
}

#[test]
fn a_notice_is_posted_to_the_paired_user_only() {
    let request = send(&slack(), &notice()).unwrap();
    assert_eq!(request.url, "https://slack.com/api/chat.postMessage");
    assert_eq!(request.headers[1].1, "application/json; charset=utf-8");
    let message = body(&request);
    assert_eq!(message["channel"], "U07");
    assert_eq!(message["text"], "Claude Code asks in shop: Deploy now?");
    assert_eq!(send(&Slack { to: None, ..slack() }, &notice()), None);
}

#[test]
fn a_window_carries_the_ticket_out_of_sight() {
    let request = modal(&slack(), "13345224609.738474920.8088930838d88f008e0", &ticket('w'), "Which branch?");
    assert_eq!(request.url, "https://slack.com/api/views.open");
    let opened = body(&request);
    assert_eq!(opened["trigger_id"], "13345224609.738474920.8088930838d88f008e0");
    assert_eq!(opened["view"]["private_metadata"], "w".repeat(40));
    assert_eq!(opened["view"]["blocks"][0]["label"]["text"], "Which branch?");
    assert_eq!(sent(&answered(r#"{"ok":true,"view":{"id":"V1"}}"#)), Fate::Sent { reference: None });
}

#[test]
fn a_pairing_link_is_a_button_in_a_direct_message() {
    let request = pair(&slack(), "U42", "https://bridge.example.org/#slack=abc");
    let message = body(&request);
    assert_eq!(message["channel"], "U42");
    assert_eq!(message["blocks"][1]["elements"][0]["url"], "https://bridge.example.org/#slack=abc");
    let plain = body(&pair(&slack(), "U42", "bridge/#slack=abc"));
    assert_eq!(plain["blocks"][1]["text"]["text"], "bridge/#slack=abc", "an address that Slack cannot open is text");
}

#[test]
fn a_reply_goes_to_the_address_that_came_with_the_tap() {
    let mut sender = Sender { user: "U07".into(), channel: None, message: None, trigger: None, response_url: None };
    assert_eq!(reply(&sender, "Too late"), None);
    sender.response_url = Some("not an address".into());
    assert_eq!(reply(&sender, "Too late"), None);
    sender.response_url = Some("https://hooks.slack.com/actions/T1/1/x".into());
    let request = reply(&sender, "Too late").unwrap();
    assert_eq!(request.url, "https://hooks.slack.com/actions/T1/1/x");
    assert!(request.headers.iter().all(|(name, _)| *name != "authorization"), "no token leaves for another address");
    assert_eq!((&body(&request)["text"], &body(&request)["replace_original"]), (&json!("Too late"), &json!(false)));
}

#[test]
fn each_code_says_whether_to_try_again() {
    let fate = |code: &str| sent(&answered(&json!({"ok": false, "error": code}).to_string()));
    for code in ["invalid_auth", "not_authed", "channel_not_found", "not_in_channel", "msg_too_long", "brand_new_code"]
    {
        let Fate::Refused { why } = fate(code) else { panic!("{code}") };
        assert!(why.contains(code), "{why}");
    }
    for code in ["ratelimited", "internal_error", "service_unavailable"] {
        assert!(matches!(fate(code), Fate::Later { .. }), "{code}");
    }
    for code in ["is_archived", "user_not_found", "message_not_found"] {
        assert!(matches!(fate(code), Fate::Gone { .. }), "{code}");
    }
    let scope = r#"{"ok":false,"error":"missing_scope","needed":"chat:write","provided":"commands"}"#;
    let why = "the Slack app lacks the scope `chat:write`; add it and install the app again";
    assert_eq!(sent(&answered(scope)), refused(why));
    let blocks = r#"{"ok":false,"error":"invalid_blocks","response_metadata":{"messages":["[ERROR] no more than 50 items allowed [json-pointer:/blocks]"]}}"#;
    let why = "Slack refused it (invalid_blocks): [ERROR] no more than 50 items allowed [json-pointer:/blocks]";
    assert_eq!(sent(&answered(blocks)), refused(why));
}

#[test]
fn slack_says_how_long_to_wait() {
    let after = Some(Duration::from_secs(30));
    let limited = Response { status: 429, retry_after: after, body: br#"{"ok":false,"error":"ratelimited"}"# };
    assert_eq!(sent(&limited), Fate::Later { after, why: "Slack answered 429".into() });
    let down = Response { status: 503, retry_after: None, body: b"<html>" };
    assert!(matches!(sent(&down), Fate::Later { after: None, .. }));
    let portal = answered("<html>\nPlease sign in");
    assert_eq!(sent(&portal), refused("this is not an answer of Slack (200): <html>"));
}

proptest! {
    #[test]
    fn no_text_mentions_or_links_anything(notice in notices(), line in hostile()) {
        let reference = "D1:1.2";
        for request in [send(&slack(), &notice), close(&slack(), reference, &line)] {
            let message = body(&request.unwrap());
            let text = message["text"].as_str().unwrap();
            prop_assert!(!text.contains(['<', '>']) && !text.trim().is_empty());
            let rest = text.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "");
            prop_assert!(!rest.contains('&'));
            prop_assert!(text.encode_utf16().count() <= 1000);
            prop_assert!(!message.to_string().contains("\"mrkdwn\",\"text\""));
        }
    }

    #[test]
    fn any_response_can_be_read(status: u16, noise: Vec<u8>, code in "\\PC{0,20}") {
        let json = json!({"ok": false, "error": code, "url": code, "needed": 7}).to_string();
        for body in [&noise[..], json.as_bytes(), b"[]", b"null", b"{\"ok\":true,\"ts\":1}"] {
            let response = Response { status, retry_after: None, body };
            let _ = (opened(&response), checked(&response), sent(&response));
        }
    }
}
