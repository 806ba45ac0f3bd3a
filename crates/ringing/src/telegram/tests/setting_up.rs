use super::super::{check, checked, link, problem};
use super::*;

#[test]
fn a_bot_is_asked_for_its_name() {
    assert_eq!(check(&telegram()).url, "https://api.telegram.org/bot110201543:AAHdqTcvCH1v-_x/getMe");
    let body = r#"{"ok":true,"result":{"id":110201543,"is_bot":true,"first_name":"Ask","username":"ask_bot",
        "can_join_groups":true,"can_read_all_group_messages":false,"supports_inline_queries":false}}"#;
    assert_eq!(checked(&response(200, body)), Ok("ask_bot".into()));
}

#[test]
fn a_check_that_fails_gives_telegrams_reason() {
    let why = "Telegram does not know the bot's token: Unauthorized (HTTP 401)";
    assert_eq!(checked(&response(401, &refusal(401, "Unauthorized"))), Err(why.into()));
    assert_eq!(checked(&response(503, "")), Err("HTTP 503".into()));
    assert_eq!(checked(&response(200, "{}")), Err("the response is not one of Telegram's".into()));
}

#[test]
fn settings_that_cannot_work_are_refused_before_anything_is_sent() {
    assert_eq!(problem(&telegram()), None);
    for token in ["", "110201543", "110201543:", ":AAH", "bot:AAH", "110201543:AA H", "110201543:AA/../x"] {
        assert!(problem(&Telegram { bot_token: token.into(), ..telegram() }).is_some(), "{token}");
    }
    assert!(problem(&Telegram { api: "api.telegram.org".into(), ..telegram() }).is_some());
}

#[test]
fn a_link_starts_the_bot_with_a_code() {
    assert_eq!(link("ask_bot", "pair-7Kq_x"), "https://t.me/ask_bot?start=pair-7Kq_x");
    assert_eq!(link("a/b", "x&y=1"), "https://t.me/a%2Fb?start=x%26y%3D1");
}
