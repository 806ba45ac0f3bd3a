//! Services that fail, lie and repeat themselves, and people who try what is not theirs.

use serde_json::{Value, json};

use super::ntfy::Ntfy;
use super::telegram::Telegram;
use super::{button, message, ringing, tap};

#[tokio::test]
async fn a_reply_stream_that_breaks_off_loses_no_tap_and_counts_none_twice() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    ntfy.break_streams_after(1);
    it.add_ntfy(&ntfy).await;
    for question in ["First?", "Second?", "Third?"] {
        let ask = it.ask(question).await;
        it.wait(15);
        it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
        let messages = ntfy.messages("ada");
        let rung = messages.iter().find(|message| message["message"] == question).unwrap();
        ntfy.tap(rung, "Yes").await;
        // What was posted before is read again by every stream.
        let answered = it.see(&ask, "the tap counts", |ask| ask["state"] == "answered").await;
        assert_eq!(answered["answers"], json!({question: "Yes"}));
    }
    assert!(ntfy.streams() >= 2, "a tap ends a stream");
}

#[tokio::test]
async fn what_strangers_post_to_the_reply_topic_decides_nothing() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    it.add_ntfy(&ntfy).await;
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    let rung = ntfy.have("ada", 1).await.remove(0);
    let action = &rung["actions"][0];
    let topic = action["url"].as_str().unwrap().rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
    let ticket = action["body"].as_str().unwrap();
    // The beginning of a ticket, one letter off, the ask's id, JSON, nothing at all.
    let off = format!("{}{}", &ticket[..31], if ticket.ends_with('0') { '1' } else { '0' });
    for forged in [&ticket[..16], &off, &ask, "{\"ticket\": true}", "", "Yes"] {
        ntfy.posted(&topic, forged);
    }
    let second = it.ask("And now?").await;
    it.wait(15);
    let other = ntfy.have("ada", 2).await.remove(1);
    ntfy.tap(&other, "No").await;
    it.see(&second, "taps are heard in order", |ask| ask["state"] == "answered").await;
    assert_eq!(it.show(&ask).await["state"], "open");
}

#[tokio::test]
async fn a_second_poller_and_a_busy_bot_are_waited_out_and_no_tap_is_lost() {
    let (it, telegram) = (ringing().await, Telegram::open().await);
    it.pair_telegram(&telegram, 7).await;
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    let sent = telegram.called("sendMessage", 1).await.remove(0);
    it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    telegram.fail_polls(&[
        json!({"ok": false, "error_code": 409, "description": "Conflict: terminated by other getUpdates request"}),
        json!({"ok": false, "error_code": 429, "description": "Too Many Requests", "parameters": {"retry_after": 1}}),
    ]);
    telegram.happens(tap(7, telegram.number(&sent), &button(&sent, "Yes")));
    let answered = it.see(&ask, "the tap counts", |ask| ask["state"] == "answered").await;
    assert!(telegram.has_failed(), "both were heard before");
    assert_eq!(answered["answers"], json!({"Deploy now?": "Yes"}));
}

#[tokio::test]
async fn a_tap_that_comes_twice_late_or_forged_changes_nothing() {
    let (it, telegram) = (ringing().await, Telegram::open().await);
    it.pair_telegram(&telegram, 7).await;
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    let sent = telegram.called("sendMessage", 1).await.remove(0);
    it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    let (number, yes, no) = (telegram.number(&sent), button(&sent, "Yes"), button(&sent, "No"));
    // The last is none of our tickets by its form: nothing is even looked up.
    for forged in [json!(yes.as_str().unwrap()[..8]), json!("f".repeat(32)), json!(ask)] {
        telegram.happens(tap(7, number, &forged));
    }
    telegram.called("answerCallbackQuery", 2).await;
    assert_eq!(it.show(&ask).await["state"], "open");
    telegram.happens(tap(7, number, &yes));
    telegram.doubles();
    telegram.happens(tap(7, number, &no));
    let answers = telegram.called("answerCallbackQuery", 5).await;
    let said: Vec<_> = answers.iter().skip(2).map(|answer| answer["text"].as_str().unwrap_or_default()).collect();
    assert_eq!(said[0], "It counts");
    assert_eq!(said[1], "It counted already");
    assert!(said[2].contains("decided already"), "{said:?}");
    assert_eq!(it.show(&ask).await["answers"], json!({"Deploy now?": "Yes"}));
}

#[tokio::test]
async fn a_tap_that_decides_nothing_still_shows_that_the_person_saw_it() {
    let (it, telegram) = (ringing().await, Telegram::open().await);
    it.pair_telegram(&telegram, 7).await;
    let body = json!({"questions": [{"question": "Which?", "options": ["A", "B"], "multiSelect": true}]});
    let (_, ask) = it.house.post("/v1/asks", &it.agent, &body).await;
    let ask = ask["id"].as_str().unwrap();
    it.wait(15);
    let sent = telegram.called("sendMessage", 1).await.remove(0);
    it.see(ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    telegram.happens(tap(666, telegram.number(&sent), &button(&sent, "A")));
    telegram.happens(message(666, "hello"));
    telegram.happens(tap(7, telegram.number(&sent), &button(&sent, "A")));
    let seen = it.see(ask, "it was seen", |ask| ask["rings"][0]["state"] == "seen").await;
    assert_eq!((&seen["state"], &seen["rings"][0]["why"]), (&json!("open"), &Value::Null));
}
