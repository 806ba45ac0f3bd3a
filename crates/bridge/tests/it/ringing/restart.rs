//! What rings after a restart, and what does not.

use std::time::Duration;

use askbridge_bridge::clock::Manual;
use askbridge_bridge::runtime::Store;
use askbridge_journal::Sqlite;
use askbridge_journal::sqlite::Options;
use serde_json::json;

use super::ntfy::Ntfy;
use super::telegram::Telegram;
use super::{Ringing, START, button, ringing_on, tap};

#[tokio::test]
async fn a_restart_rings_nothing_twice_and_forgets_nothing_that_is_due() {
    let (ntfy, folder) = (Ntfy::open(None).await, tempfile::tempdir().unwrap());
    let clock = Manual::new(START);
    let open = || Store::from(Sqlite::open(&Options::new(folder.path(), 7)).unwrap());
    let it = ringing_on(open(), clock.clone(), 1).await;
    it.add_ntfy(&ntfy).await;
    let rung = it.ask("The first?").await;
    it.wait(15);
    it.see(&rung, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    let due = it.ask("The second?").await;
    let (ada, agent) = (it.ada.clone(), it.agent.clone());
    it.house.close().await;
    clock.advance(Duration::from_secs(60));
    let it = Ringing { ada, agent, ..ringing_on(open(), clock, 2).await };
    let messages = ntfy.have("ada", 2).await;
    assert_eq!(messages[1]["message"], "The second?");
    it.see(&due, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    assert_eq!(ntfy.messages("ada").len(), 2, "the first does not ring again");
    ntfy.tap(&messages[0], "No").await;
    it.see(&rung, "a button from before the restart counts", |ask| ask["state"] == "answered").await;
}

#[tokio::test]
async fn everything_that_waits_rings_after_a_restart_and_only_what_has_not() {
    const MORE_THAN_A_SNAPSHOT: usize = 620;
    let (ntfy, folder) = (Ntfy::open(None).await, tempfile::tempdir().unwrap());
    let clock = Manual::new(START);
    let open = || Store::from(Sqlite::open(&Options::new(folder.path(), 7)).unwrap());
    let it = ringing_on(open(), clock.clone(), 1).await;
    it.add_ntfy(&ntfy).await;
    for number in 0..MORE_THAN_A_SNAPSHOT {
        it.ask(&format!("Number {number}?")).await;
    }
    it.wait(15);
    let summary = ntfy.have("ada", 1).await.remove(0);
    assert_eq!(summary["title"], format!("{MORE_THAN_A_SNAPSHOT} questions wait for you"));
    it.rang_all(1).await;
    let late = it.ask("The last one?").await;
    let (ada, agent) = (it.ada.clone(), it.agent.clone());
    it.house.close().await;
    clock.advance(Duration::from_secs(60));
    let it = Ringing { ada, agent, ..ringing_on(open(), clock, 2).await };
    assert_eq!(ntfy.have("ada", 2).await[1]["message"], "The last one?", "it is beyond the first 500");
    it.see(&late, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    assert_eq!(ntfy.messages("ada").len(), 2);
}

#[tokio::test]
async fn what_is_settled_while_the_server_is_down_is_taken_back_after_the_restart() {
    let (ntfy, folder) = (Ntfy::open(None).await, tempfile::tempdir().unwrap());
    let clock = Manual::new(START);
    let open = || Store::from(Sqlite::open(&Options::new(folder.path(), 7)).unwrap());
    let it = ringing_on(open(), clock.clone(), 1).await;
    it.add_ntfy(&ntfy).await;
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    ntfy.fail(&[(503, None); 3]);
    let answer = json!({"answers": {"Deploy now?": "No"}});
    assert_eq!(it.house.post(&format!("/v1/asks/{ask}/answer"), &it.ada, &answer).await.0, 200);
    let (ada, agent) = (it.ada.clone(), it.agent.clone());
    it.house.close().await;
    ntfy.works_again();
    let it = Ringing { ada, agent, ..ringing_on(open(), clock, 2).await };
    let closed = ntfy.have("ada", 2).await.remove(1);
    assert!(closed["message"].as_str().unwrap().contains("Decided by ada"), "{closed}");
    it.see(&ask, "it says so", |ask| ask["rings"][0]["state"] == "closed").await;
}

#[tokio::test]
async fn the_buttons_of_earlier_reminders_go_with_the_last_one() {
    let (it, telegram) = (super::ringing().await, Telegram::open().await);
    it.pair_telegram(&telegram, 7).await;
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    let first = telegram.called("sendMessage", 1).await.remove(0);
    it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    it.wait(600);
    let messages = telegram.called("sendMessage", 2).await;
    assert!(messages[1]["text"].as_str().unwrap().starts_with("Still waiting"), "{messages:?}");
    it.see(&ask, "it rang again", |ask| ask["rings"][0]["times"] == 2 && ask["rings"][0]["state"] == "sent").await;
    telegram.happens(tap(7, telegram.number(&first), &button(&first, "Yes")));
    it.see(&ask, "a tap on the first message counts", |ask| ask["state"] == "answered").await;
    let closed: Vec<_> =
        telegram.called("editMessageText", 2).await.iter().map(|it| it["message_id"].clone()).collect();
    assert_eq!(closed, [telegram.number(&messages[0]), telegram.number(&messages[1])].map(|it| json!(it)));
}
