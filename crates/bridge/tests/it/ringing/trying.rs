//! Tests of channels, which wait for the tap.

use serde_json::{Value, json};

use super::ntfy::Ntfy;
use super::{Ringing, ringing};

impl Ringing {
    async fn test(&self, channel: &Value, wait: u32) -> Value {
        let path = format!("/v1/channels/{}/test?wait={wait}", channel["id"].as_str().unwrap());
        let (status, tested) = self.house.post(&path, &self.ada, &json!({})).await;
        assert_eq!(status, 200, "{tested}");
        tested
    }
}

#[tokio::test]
async fn a_test_waits_until_the_person_has_tapped_it() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    let channel = it.add_ntfy(&ntfy).await;
    let tapping = async {
        let message = ntfy.have("ada", 1).await.remove(0);
        ntfy.tap(&message, "I see it").await;
    };
    let (tested, ()) = tokio::join!(it.test(&channel, 60), tapping);
    assert_eq!(tested, json!({"state": "seen", "can_be_tapped": true}));
    let last = ntfy.have("ada", 2).await.remove(1);
    assert_eq!(last["message"], "You saw it: this channel works");
    let (_, log) = it.house.get("/v1/rings", &it.ada).await;
    assert_eq!((&log["items"][0]["about"], &log["items"][0]["state"]), (&json!("test"), &json!("seen")));
}

#[tokio::test]
async fn a_test_that_nobody_taps_was_sent_and_one_that_fails_says_why() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    let channel = it.add_ntfy(&ntfy).await;
    assert_eq!(it.test(&channel, 0).await, json!({"state": "sent", "can_be_tapped": true}));
    ntfy.fail(&[(507, None)]);
    let failed = it.test(&channel, 60).await;
    assert_eq!((&failed["state"], failed["why"].as_str().unwrap()), (&json!("failed"), "HTTP 507"));
    let command = json!({"kind": "command", "program": "true"});
    let (_, command) = it.house.post("/v1/channels", &it.ada, &command).await;
    assert_eq!(
        it.test(&command, 60).await,
        json!({"state": "sent", "can_be_tapped": false}),
        "there is nothing to tap"
    );
}

#[tokio::test]
async fn a_channel_is_changed_by_its_person_alone() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    let channel = it.add_ntfy(&ntfy).await;
    let path = format!("/v1/channels/{}", channel["id"].as_str().unwrap());
    let bob = it.house.person("bob").await;
    assert_eq!(it.house.post(&path, &bob, &json!({"name": "mine"})).await.0, 404);
    assert_eq!(it.house.post(&path, &it.agent, &json!({"name": "mine"})).await.0, 403);
    let changes = json!({"name": "pocket", "quiet": "22:00-07:00", "decides": "nothing"});
    let (status, changed) = it.house.post(&path, &it.ada, &changes).await;
    assert_eq!((status, &changed["name"], &changed["quiet"]), (200, &json!("pocket"), &json!("22:00-07:00")));
    assert_eq!(changed["tells"], channel["tells"], "what is left out stays");
    let (_, changed) = it.house.post(&path, &it.ada, &json!({"quiet": null})).await;
    assert_eq!((&changed["quiet"], &changed["decides"]), (&Value::Null, &json!("nothing")));
    assert_eq!(it.house.post(&path, &it.ada, &json!({"quiet": "late"})).await.0, 422);
    it.ask("Deploy now?").await;
    it.wait(15);
    assert!(ntfy.have("ada", 1).await[0].get("actions").is_none_or(|actions| !actions.to_string().contains("http\"")));
}
