//! What is told besides asks.

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_core::rules::asks::{Action, AnswerBy, Answers, AskRule, Conditions, Hours, RuleFile, RuleSet, TermsOf};
use askbridge_core::terms::Wishes;
use serde_json::{Value, json};

use super::ntfy::Ntfy;
use super::{Ringing, START, ringing, ringing_in};
use crate::kit::{House, memory};

impl Ringing {
    async fn tells(&self, channel: &Value, kinds: &Value) {
        let path = format!("/v1/channels/{}", channel["id"].as_str().unwrap());
        let (status, changed) = self.house.post(&path, &self.ada, &json!({"tells": kinds})).await;
        assert_eq!((status, &changed["tells"]), (200, kinds), "{changed}");
    }
}

#[tokio::test]
async fn an_ask_that_nobody_answers_in_time_is_told_unless_that_is_switched_off() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    let channel = it.add_ntfy(&ntfy).await;
    assert_eq!(channel["tells"], json!(["agent_failed", "expired", "channel_failed"]));
    let short = json!({"questions": [{"question": "Deploy now?", "options": ["Yes", "No"]}], "timeout_seconds": 5});
    let expired = async |it: &Ringing| {
        let (_, ask) = it.house.post("/v1/asks", &it.agent, &short).await;
        it.wait(5);
        it.see(ask["id"].as_str().unwrap(), "it expired", |ask| ask["state"] == "expired").await;
    };
    expired(&it).await;
    let told = ntfy.have("ada", 1).await.remove(0);
    assert_eq!((&told["title"], &told["message"]), (&json!("ci: nobody answered in time"), &json!("Deploy now?")));
    it.tells(&channel, &json!([])).await;
    expired(&it).await;
    it.ask("And now?").await;
    it.wait(15);
    assert_eq!(ntfy.have("ada", 2).await[1]["message"], "And now?", "nothing was told in between");
}

#[tokio::test]
async fn a_channel_that_stops_working_is_told_over_the_persons_other_channels_and_shown() {
    let (it, broken, other) = (ringing().await, Ntfy::open(None).await, Ntfy::open(None).await);
    it.add_ntfy(&broken).await;
    let body = json!({"kind": "ntfy", "server": other.url(), "topic": "ada", "name": "desk"});
    assert_eq!(it.house.post("/v1/channels", &it.ada, &body).await.0, 201);
    broken.fail(&[(403, None)]);
    let mut page = it.house.native(&it.ada).await;
    it.ask("Deploy now?").await;
    it.wait(15);
    let told = other.have("ada", 2).await;
    let is_told = |told: &&Value| told["title"].as_str().is_some_and(|title| title.contains("does not work"));
    let told = told.iter().find(is_told).unwrap_or_else(|| panic!("{told:#?}"));
    assert_eq!(told["title"], "Your channel ntfy (ntfy) does not work");
    assert!(told["message"].as_str().unwrap().contains("403"), "{told}");
    page.hear("the page is told", |frame| frame["type"] == "channels").await;
    let listed = it.channels().await;
    let ntfy = listed.iter().find(|channel| channel["name"] == "ntfy").unwrap();
    assert!(ntfy["broken"]["why"].as_str().unwrap().contains("403"), "{ntfy}");
    it.wait(900);
    broken.have("ada", 1).await;
    let works = async { while it.channels().await.iter().any(|it| !it["broken"].is_null()) {} };
    tokio::time::timeout(crate::kit::PATIENCE, works).await.unwrap();
}

#[tokio::test]
async fn an_alarm_waits_at_ntfy_as_long_as_the_server_lives_and_is_cancelled_when_it_stops() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    let channel = it.add_ntfy(&ntfy).await;
    it.tells(&channel, &json!(["down"])).await;
    let first = ntfy.have("ada", 1).await.remove(0);
    assert_eq!(first["delay"], "1800s");
    it.wait(600);
    let second = ntfy.have("ada", 2).await.remove(1);
    assert_eq!(first["sequence_id"], second["sequence_id"], "it takes the place of the first");
    it.house.close().await;
    assert_eq!(ntfy.removed(), [first["sequence_id"].as_str().unwrap()]);
}

#[tokio::test]
async fn what_rules_decided_is_told_once_a_day() {
    let it = super::ringing_with(Hours::read("00:00-24:00"), Manual::new(START)).await;
    let ntfy = Ntfy::open(None).await;
    let channel = it.add_ntfy(&ntfy).await;
    let rule = AskRule {
        name: "formatting".to_owned(),
        when: Conditions { asks_about: vec!["format".to_owned()], ..Conditions::default() },
        action: Action::Answer(Answers::All(AnswerBy::First)),
        ..AskRule::default()
    };
    let file = RuleFile { terms: TermsOf::Every, rules: vec![rule] };
    it.house.handle.use_rules(RuleSet::new(vec![file], Wishes::default()));
    it.ask("Format it?").await;
    it.tells(&channel, &json!(["digest"])).await;
    let told = ntfy.have("ada", 1).await.remove(0);
    assert_eq!(told["title"], "1 ask was decided without you in the last day");
    assert_eq!(told["message"], "1 × formatting");
    it.wait(3600);
    it.ask("Deploy now?").await;
    it.wait(15);
    assert_eq!(ntfy.have("ada", 2).await[1]["message"], "Deploy now?", "once a day");
}

#[tokio::test]
async fn an_agent_that_failed_and_a_turn_that_ended_are_told_after_the_grace() {
    let clock = Manual::new(START);
    let house = House::open_speaking(memory(), Clock::Manual(clock.clone()), 7, "whimmy").await;
    let (it, ntfy) = (ringing_in(house, clock, None).await, Ntfy::open(None).await);
    let channel = it.add_ntfy(&ntfy).await;
    it.tells(&channel, &json!(["turn_ended", "agent_failed"])).await;
    let openclaw = it.house.agent("openclaw").await;
    let (mut plugin, mut page) = (it.house.plugin(&openclaw).await, it.house.native(&it.ada).await);
    let event = |name: &str, payload: Value| json!({"type": "event", "payload": {"event": name, "payload": payload}});
    let options = json!([{"label": "A", "description": ""}, {"label": "B", "description": ""}]);
    let questions = json!([{"question": "Which?", "header": "W", "options": options, "multiSelect": false}]);
    let asked = json!({"sessionKey": "k1", "agentId": "main", "questionId": "q1", "questions": questions});
    plugin.say(&event("ask_user_question", asked).to_string()).await;
    let ask = page.hear("the ask", |frame| frame["event"]["type"] == "asked").await["event"]["ask"]["id"].clone();
    let path = format!("/v1/asks/{}/answer", ask.as_str().unwrap());
    assert_eq!(it.house.post(&path, &it.ada, &json!({"answers": {"Which?": "A"}})).await.0, 200);
    let done = json!({"sessionKey": "k1", "agentId": "main", "content": "Error: no model", "done": true});
    plugin.say(&event("chat.done", done).to_string()).await;
    page.hear("the end of the turn", |frame| frame["event"]["type"] == "turn_ended").await;
    assert_eq!(ntfy.messages("ada"), [] as [Value; 0], "within the grace the person may go on");
    it.wait(15);
    let told = async {
        loop {
            let messages = json!(ntfy.messages("ada")).to_string();
            if messages.contains("stopped or failed") && messages.contains("has finished its turn") {
                return messages;
            }
            tokio::task::yield_now().await;
        }
    };
    let told = tokio::time::timeout(crate::kit::PATIENCE, told).await;
    assert!(told.is_ok(), "{:#?}", ntfy.messages("ada"));
}
