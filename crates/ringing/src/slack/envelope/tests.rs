use proptest::prelude::*;

use super::*;
use crate::samples::ticket;

fn sender() -> Sender {
    Sender {
        user: "U07".into(),
        channel: Some("D12".into()),
        message: Some("1548261231.000200".into()),
        trigger: Some("12321423423.333649436676.d8c1bb83".into()),
        response_url: Some("https://hooks.slack.com/actions/AABA1ABCD/1232321423432/D09sSasdasdAS9091209".into()),
    }
}

/// A tap as Slack describes it: <https://docs.slack.dev/reference/interaction-payloads/block_actions-payload>.
fn tapped(action: Value, state: Value) -> String {
    let sender = sender();
    json!({
        "type": "interactive",
        "envelope_id": "dbdd0ef3-1543-4f94-bfb4-133d0e6c1545",
        "accepts_response_payload": false,
        "payload": {
            "type": "block_actions",
            "team": {"id": "T9TK3CUKW", "domain": "example"},
            "user": {"id": sender.user, "username": "ana", "team_id": "T9TK3CUKW"},
            "api_app_id": "AABA1ABCD",
            "token": "9s8d9as89d8as9d8as989",
            "container": {"type": "message", "message_ts": sender.message, "channel_id": sender.channel},
            "trigger_id": sender.trigger,
            "channel": {"id": sender.channel, "name": "directmessage"},
            "message": {"bot_id": "BAH5CA16Z", "type": "message", "text": "x", "user": "UAJ2RU415", "ts": sender.message},
            "state": {"values": state},
            "response_url": sender.response_url,
            "actions": [action],
        },
    })
    .to_string()
}

fn button(name: &str, value: &str) -> Value {
    json!({"action_id": name, "block_id": "=qXel", "type": "button", "value": value, "action_ts": "1548426417.840180"})
}

fn ack() -> Option<String> {
    Some(r#"{"envelope_id":"dbdd0ef3-1543-4f94-bfb4-133d0e6c1545"}"#.into())
}

fn tap(ticket: Ticket, chosen: Vec<Ticket>) -> Envelope {
    Envelope { ack: ack(), what: What::Tap(Tap { ticket, chosen, sender: sender() }) }
}

#[test]
fn a_tap_is_acknowledged_and_read() {
    let read = envelope(&tapped(button("decide1", &ticket('d').0), json!({})));
    assert_eq!(read, tap(ticket('d'), Vec::new()));
    assert_eq!(sender().reference().as_deref(), Some("D12:1548261231.000200"));
}

#[test]
fn a_choice_from_a_menu_is_a_tap() {
    let option = json!({"text": {"type": "plain_text", "text": "Option 5"}, "value": "o".repeat(40)});
    let action = json!({"type": "static_select", "action_id": "pick", "block_id": "b", "selected_option": option});
    assert_eq!(envelope(&tapped(action, json!({}))), tap(ticket('o'), Vec::new()));
}

#[test]
fn several_choices_arrive_with_the_button_below_them() {
    let options =
        ["a", "b"].map(|letter| json!({"text": {"type": "plain_text", "text": "x"}, "value": letter.repeat(40)}));
    let state = json!({"choice": {"choice": {"type": "checkboxes", "selected_options": options}}});
    let done = button("done", &ticket('x').0);
    assert_eq!(envelope(&tapped(done.clone(), state)), tap(ticket('x'), vec![ticket('a'), ticket('b')]));
    assert_eq!(envelope(&tapped(done.clone(), json!({}))), tap(ticket('x'), Vec::new()), "nothing is ticked");
    let odd = json!({"choice": {"choice": {"selected_options": [{"value": "a".repeat(40)}, {"value": "?"}]}}});
    assert_eq!(envelope(&tapped(done, odd)), Envelope { ack: ack(), what: What::Other }, "a part is not the choice");
}

#[test]
fn a_wish_for_words_is_no_decision() {
    let what = What::WantsWords { ticket: ticket('w'), sender: sender() };
    assert_eq!(envelope(&tapped(button("words", &ticket('w').0), json!({}))), Envelope { ack: ack(), what });
}

/// <https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload>
fn submitted(words: Value) -> String {
    json!({
        "type": "interactive",
        "envelope_id": "e1",
        "accepts_response_payload": true,
        "payload": {
            "type": "view_submission",
            "team": {"id": "T9TK3CUKW", "domain": "example"},
            "user": {"id": "U07", "name": "ana"},
            "view": {
                "id": "VNHU13V36",
                "type": "modal",
                "private_metadata": "w".repeat(40),
                "callback_id": "words",
                "state": {"values": {"words": {"words": {"type": "plain_text_input", "value": words}}}},
                "hash": "156663117.cd33ad1f",
            },
            "response_urls": [],
        },
    })
    .to_string()
}

#[test]
fn words_come_with_the_ticket_of_their_window() {
    let Envelope { ack, what } = envelope(&submitted(json!("Use <main> & go")));
    assert_eq!(ack.as_deref(), Some(r#"{"envelope_id":"e1"}"#));
    let sender = Sender { user: "U07".into(), channel: None, message: None, trigger: None, response_url: None };
    assert_eq!(sender.reference(), None);
    assert_eq!(what, What::Words { ticket: ticket('w'), text: "Use <main> & go".into(), sender });
}

#[test]
fn blank_words_are_no_answer_and_the_window_says_so() {
    for words in [json!(" \n"), json!(null)] {
        let Envelope { ack, what } = envelope(&submitted(words));
        assert_eq!(what, What::Other);
        let ack: Value = serde_json::from_str(&ack.unwrap()).unwrap();
        let payload = json!({"response_action": "errors", "errors": {"words": "Write an answer first."}});
        assert_eq!(ack, json!({"envelope_id": "e1", "payload": payload}));
    }
}

#[test]
fn the_connection_says_when_it_is_ready_and_when_it_ends() {
    let what = |text: &str| {
        let read = envelope(text);
        assert_eq!(read.ack, None);
        read.what
    };
    assert_eq!(what(r#"{"type":"hello","num_connections":1,"connection_info":{"app_id":"A1"}}"#), What::Hello);
    assert_eq!(
        what(r#"{"type":"disconnect","reason":"warning","debug_info":{"host":"wss-111.slack.com"}}"#),
        What::Refresh
    );
    assert_eq!(what(r#"{"type":"disconnect","reason":"refresh_requested"}"#), What::Refresh);
    assert_eq!(what(r#"{"type":"disconnect","reason":"link_disabled"}"#), What::Disabled);
}

#[test]
fn messages_are_acknowledged_and_not_read() {
    let message = json!({
        "type": "events_api",
        "envelope_id": "e2",
        "payload": {"type": "event_callback", "event": {"type": "message", "user": "U07", "text": "yes", "channel": "D12"}},
    });
    let read = Envelope { ack: Some(r#"{"envelope_id":"e2"}"#.into()), what: What::Other };
    assert_eq!(envelope(&message.to_string()), read);
}

#[test]
fn a_slash_command_says_who_typed_it() {
    let command = json!({
        "type": "slash_commands",
        "envelope_id": "e3",
        "payload": {
            "command": "/askbridge", "text": "pair", "user_id": "U07", "user_name": "ana", "channel_id": "C1",
            "team_id": "T1", "response_url": "https://hooks.slack.com/commands/1", "trigger_id": "1.2.3",
        },
    });
    let sender = Sender {
        user: "U07".into(),
        channel: Some("C1".into()),
        message: None,
        trigger: Some("1.2.3".into()),
        response_url: Some("https://hooks.slack.com/commands/1".into()),
    };
    let what = What::Command { name: "/askbridge".into(), text: "pair".into(), sender };
    assert_eq!(envelope(&command.to_string()), Envelope { ack: Some(r#"{"envelope_id":"e3"}"#.into()), what });
}

#[test]
fn what_is_not_ours_is_acknowledged_and_left_alone() {
    let long = "a".repeat(41);
    let others = [
        button("open", "a"),
        button("approve", "a"),
        button("decide0", ""),
        button("decide0", &long),
        button("decide0", "a-b"),
        json!({"action_id": "decide0", "value": 7}),
        json!({"action_id": "pick"}),
        json!({"action_id": "choice", "type": "checkboxes", "selected_options": []}),
        json!(null),
    ];
    for action in others {
        assert_eq!(
            envelope(&tapped(action.clone(), json!({}))),
            Envelope { ack: ack(), what: What::Other },
            "{action}"
        );
    }
    let window = submitted(json!("x")).replace(r#""callback_id":"words""#, r#""callback_id":"other""#);
    assert_eq!(envelope(&window).what, What::Other);
    assert!(envelope(&window).ack.is_some());
}

#[test]
fn only_the_bound_user_may_decide() {
    let slack = |user: Option<&str>| Slack {
        api: String::new(),
        app_token: String::new(),
        bot_token: String::new(),
        to: Some("C1".into()),
        user: user.map(str::to_owned),
    };
    assert!(sender().is_bound(&slack(Some("U07"))));
    assert!(!sender().is_bound(&slack(Some("U08"))));
    assert!(!sender().is_bound(&slack(None)), "a channel that is not paired is bound to no user");
    assert!(!Sender { user: String::new(), ..sender() }.is_bound(&slack(None)));
}

/// Any JSON, with the names that the parser looks for.
fn any_json() -> impl Strategy<Value = Value> {
    const NAMES: &[&str] = &[
        "type",
        "payload",
        "envelope_id",
        "user",
        "id",
        "actions",
        "action_id",
        "value",
        "view",
        "state",
        "values",
        "choice",
        "words",
        "selected_options",
        "selected_option",
        "private_metadata",
        "callback_id",
        "reason",
    ];
    const WORDS: &[&str] = &[
        "interactive",
        "block_actions",
        "view_submission",
        "hello",
        "disconnect",
        "done",
        "pick",
        "words",
        "decide0",
        "U07",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        proptest::sample::select(WORDS).prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(proptest::sample::select(NAMES), inner, 0..8)
                .prop_map(|map| map.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_can_be_read(text: String, bytes: Vec<u8>, json in any_json()) {
        let _ = envelope(&text);
        let _ = envelope(&String::from_utf8_lossy(&bytes));
        let read = envelope(&json.to_string());
        prop_assert_eq!(read.ack.is_some(), json["envelope_id"].is_string());
    }

    #[test]
    fn a_broken_envelope_decides_nothing(at in 0usize..900, json in any_json()) {
        let whole = tapped(button("decide0", &ticket('a').0), json!({}));
        let end = at.min(whole.len() - 1);
        prop_assert_eq!(envelope(&whole[..end]), Envelope { ack: None, what: What::Other });
        let odd = json!({"type": "interactive", "envelope_id": "e", "payload": json}).to_string();
        let _ = envelope(&odd);
    }
}
