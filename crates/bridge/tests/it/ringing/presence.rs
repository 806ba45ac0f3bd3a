//! A person who looks at a card is not rung for it, and what was seen is known.

use serde_json::json;

use super::ntfy::Ntfy;
use super::ringing;
use crate::kit::Socket;

/// Waits until the server has heard what a page said.
async fn settled(page: &mut Socket) {
    page.say(r#"{"type":"ping","tag":1}"#).await;
    page.hear("a pong", |frame| frame["type"] == "pong").await;
}

#[tokio::test]
async fn a_person_who_looks_at_the_card_is_rung_once_the_page_is_gone() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    it.add_ntfy(&ntfy).await;
    let ask = it.ask("Deploy now?").await;
    let mut page = it.house.native(&it.ada).await;
    page.say(&json!({"type": "looking", "asks": [ask]}).to_string()).await;
    settled(&mut page).await;
    it.wait(15);
    let held = it.see(&ask, "it does not ring", |ask| ask["rings"][0]["state"] == "suppressed").await;
    assert_eq!(held["rings"][0]["why"], "you look at it");
    assert_eq!(ntfy.messages("ada").len(), 0);
    // At once: the clock does not move.
    page.kill();
    ntfy.have("ada", 1).await;
    it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
}

#[tokio::test]
async fn a_hidden_page_another_card_and_another_person_do_not_count() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    it.add_ntfy(&ntfy).await;
    let (ask, other) = (it.ask("Deploy now?").await, it.ask("And this?").await);
    let bob = it.house.person("bob").await;
    let (mut page, mut bobs, mut agent) =
        (it.house.native(&it.ada).await, it.house.native(&bob).await, it.house.native(&it.agent).await);
    page.say(&json!({"type": "looking", "asks": [ask]}).to_string()).await;
    page.say(&json!({"type": "looking", "asks": []}).to_string()).await;
    bobs.say(&json!({"type": "looking", "asks": [ask, other]}).to_string()).await;
    agent.say(&json!({"type": "looking", "asks": [ask, "nonsense"]}).to_string()).await;
    for page in [&mut page, &mut bobs, &mut agent] {
        settled(page).await;
    }
    it.wait(15);
    ntfy.have("ada", 2).await;
}

#[tokio::test]
async fn what_a_page_said_a_while_ago_counts_no_longer() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    it.add_ntfy(&ntfy).await;
    let ask = it.ask("Deploy now?").await;
    let mut page = it.house.native(&it.ada).await;
    page.say(&json!({"type": "looking", "asks": [ask]}).to_string()).await;
    settled(&mut page).await;
    it.wait(15);
    it.see(&ask, "it does not ring", |ask| ask["rings"][0]["state"] == "suppressed").await;
    it.wait(45);
    ntfy.have("ada", 1).await;
    drop(page);
}

#[tokio::test]
async fn a_ring_says_when_the_card_was_opened_after_it() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    it.add_ntfy(&ntfy).await;
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    let rung = it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    it.wait(60);
    let mut page = it.house.native(&it.ada).await;
    page.say(&json!({"type": "looking", "asks": [ask]}).to_string()).await;
    let seen = it.see(&ask, "it was seen", |ask| ask["rings"][0]["state"] == "seen").await;
    assert_eq!(seen["rings"][0]["rang_at"], rung["rings"][0]["rang_at"]);
    assert_ne!(seen["rings"][0]["seen_at"], rung["rings"][0]["rang_at"]);
    let answer = json!({"answers": {"Deploy now?": "No"}});
    assert_eq!(it.house.post(&format!("/v1/asks/{ask}/answer"), &it.ada, &answer).await.0, 200);
    let closed = it.see(&ask, "it is closed", |ask| ask["rings"][0]["state"] == "closed").await;
    assert_eq!(closed["rings"][0]["seen_at"], seen["rings"][0]["seen_at"], "that it was seen stays");
}
