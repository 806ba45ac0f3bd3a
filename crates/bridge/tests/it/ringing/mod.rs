//! People who are away are rung, and answer with a tap: the bridge, and services on loopback.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

mod apps;
mod faults;
mod notices;
mod ntfy;
mod presence;
mod restart;
mod slack;
mod telegram;
mod trying;

use std::time::Duration;

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_bridge::outbound::{Outbound, OutboundOptions};
use askbridge_bridge::ringing::{RingOptions, RingingOptions, ring};
use askbridge_bridge::runtime::Store;
use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::Hours;
use serde_json::{Value, json};

use crate::kit::{House, PATIENCE, memory};
use ntfy::Ntfy;
use telegram::{TOKEN, Telegram};

const START: Timestamp = Timestamp(1_760_000_000_000);

/// A bridge that rings, with a clock that is moved by hand.
struct Ringing {
    house: House,
    clock: Manual,
    ada: String,
    agent: String,
}

async fn ringing() -> Ringing {
    let clock = Manual::new(START);
    ringing_on(memory(), clock, 7).await
}

async fn ringing_with(digest: Option<Hours>, clock: Manual) -> Ringing {
    open(memory(), clock, 7, digest).await
}

async fn ringing_on(store: Store, clock: Manual, seed: u64) -> Ringing {
    open(store, clock, seed, None).await
}

async fn open(store: Store, clock: Manual, seed: u64, digest: Option<Hours>) -> Ringing {
    let house = House::open_on(store, Clock::Manual(clock.clone()), seed).await;
    ringing_in(house, clock, digest).await
}

async fn ringing_in(house: House, clock: Manual, digest: Option<Hours>) -> Ringing {
    house.app.call_out(Outbound::new(OutboundOptions::default()));
    let (when, public_url) = (RingOptions::default(), Some("https://ask.example.org".to_owned()));
    let options = RingingOptions { when, quiet: None, public_url, user: "machine".to_owned(), digest };
    ring(&house.app, options).await.unwrap();
    let (ada, agent) = (house.operator("ada").await, house.agent("ci").await);
    Ringing { house, clock, ada, agent }
}

impl Ringing {
    async fn add_ntfy(&self, ntfy: &Ntfy) -> Value {
        let body = json!({"kind": "ntfy", "server": ntfy.url(), "topic": "ada"});
        let (status, channel) = self.house.post("/v1/channels", &self.ada, &body).await;
        assert_eq!(status, 201, "{channel}");
        channel
    }

    async fn ask(&self, question: &str) -> String {
        let body = json!({"questions": [{"question": question, "options": [{"label": "Yes"}, {"label": "No"}]}]});
        let (status, ask) = self.house.post("/v1/asks", &self.agent, &body).await;
        assert_eq!(status, 201, "{ask}");
        ask["id"].as_str().unwrap().to_owned()
    }

    async fn show(&self, ask: &str) -> Value {
        self.house.get(&format!("/v1/asks/{ask}"), &self.ada).await.1
    }

    /// Waits until an ask is as wanted.
    async fn see(&self, ask: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut seen = Value::Null;
        let looking = async {
            loop {
                seen = self.show(ask).await;
                if wanted(&seen) {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        let looked = tokio::time::timeout(PATIENCE, looking).await;
        assert!(looked.is_ok(), "{what}: {seen}");
        seen
    }

    async fn channels(&self) -> Vec<Value> {
        self.house.get("/v1/channels", &self.ada).await.1["items"].as_array().unwrap().clone()
    }

    /// Waits until so many messages were taken by their services, and that is stored.
    async fn rang_all(&self, count: usize) {
        let ringing = async {
            loop {
                let (_, log) = self.house.get("/v1/rings", &self.ada).await;
                if log["items"].as_array().unwrap().iter().filter(|ring| ring["state"] == "sent").count() == count {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, ringing).await.unwrap();
    }

    /// Adds a Telegram channel and pairs this user with it.
    async fn pair_telegram(&self, telegram: &Telegram, user: i64) {
        let body = json!({"kind": "telegram", "bot_token": TOKEN, "api": telegram.url()});
        let (status, channel) = self.house.post("/v1/channels", &self.ada, &body).await;
        assert_eq!(status, 201, "{channel}");
        telegram.happens(message(user, &format!("/start {}", channel["pair"]["code"].as_str().unwrap())));
        let paired = async {
            while self.channels().await[0]["paired"] != true {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, paired).await.unwrap();
    }

    /// Lets the grace pass.
    fn wait(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }
}

#[tokio::test]
async fn an_ask_rings_after_its_grace_and_a_tap_on_the_phone_answers_it() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    it.add_ntfy(&ntfy).await;
    let ask = it.ask("Deploy now?").await;
    it.wait(14);
    assert_eq!(ntfy.messages("ada"), [] as [Value; 0]);
    it.wait(1);
    let message = ntfy.have("ada", 1).await.remove(0);
    assert_eq!(message["message"], "Deploy now?");
    assert_eq!(message["click"], format!("https://ask.example.org/asks/{ask}"));
    let seen = it.see(&ask, "it says that it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    assert_eq!((&seen["rings"][0]["channel"], &seen["rings"][0]["person"]), (&json!("ntfy"), &json!("ada")));
    ntfy.tap(&message, "Yes").await;
    let answered = it.see(&ask, "the tap counts", |ask| ask["state"] == "answered").await;
    assert_eq!(answered["answers"], json!({"Deploy now?": "Yes"}));
    assert_eq!((&answered["by"]["person"], &answered["by"]["via"]), (&json!("ada"), &json!("ntfy")));
    let closed = ntfy.have("ada", 2).await;
    let last = closed.last().unwrap();
    assert_eq!(last["sequence_id"], message["sequence_id"], "it stands in the place of the question");
    assert!(last["message"].as_str().unwrap().contains("ada"), "{last}");
}

#[tokio::test]
async fn an_ask_that_is_answered_in_its_grace_never_rings() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    it.add_ntfy(&ntfy).await;
    let ask = it.ask("Deploy now?").await;
    let answer = json!({"answers": {"Deploy now?": "No"}});
    assert_eq!(it.house.post(&format!("/v1/asks/{ask}/answer"), &it.ada, &answer).await.0, 200);
    let second = it.ask("And now?").await;
    it.wait(15);
    let messages = ntfy.have("ada", 1).await;
    assert_eq!((messages.len(), &messages[0]["message"]), (1, &json!("And now?")));
    assert_eq!(it.show(&ask).await["rings"], Value::Null);
    assert!(it.show(&second).await["id"].is_string());
}

#[tokio::test]
async fn a_wrong_token_is_refused_when_it_is_set_with_the_reason_of_the_service() {
    let (it, ntfy) = (ringing().await, Ntfy::open(Some("tk_right")).await);
    let body = json!({"kind": "ntfy", "server": ntfy.url(), "topic": "ada", "token": "tk_wrong"});
    let (status, refused) = it.house.post("/v1/channels", &it.ada, &body).await;
    assert_eq!((status, &refused["code"]), (409, &json!("channel_refused")));
    assert!(refused["detail"].as_str().unwrap().contains("unauthorized"), "{refused}");
    assert_eq!(it.house.get("/v1/channels", &it.ada).await.1["items"], json!([]));
    let body = json!({"kind": "ntfy", "server": ntfy.url(), "topic": "ada", "token": "tk_right"});
    assert_eq!(it.house.post("/v1/channels", &it.ada, &body).await.0, 201);
    let listed = it.house.get("/v1/channels", &it.ada).await.1;
    assert!(!listed.to_string().contains("tk_right"), "secrets are not shown: {listed}");
}

/// A server that takes connections and offers a certificate that nobody vouches for, or none at all.
#[tokio::test]
async fn a_webhook_that_cannot_be_reached_and_a_program_that_is_not_there_are_refused_when_they_are_set() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let plain = ntfy.url().replace("http://", "https://");
    for (channel, why) in [
        (json!({"kind": "webhook", "url": format!("http://{closed}/x")}), "could not connect to `127.0.0.1`"),
        (json!({"kind": "webhook", "url": format!("{plain}/x")}), "could not connect to `127.0.0.1`"),
        (json!({"kind": "webhook", "url": "http://"}), "is not an address"),
        (json!({"kind": "command", "program": "/nowhere/bell"}), "there is no `/nowhere/bell`"),
    ] {
        let (status, refused) = it.house.post("/v1/channels", &it.ada, &channel).await;
        assert_eq!((status, &refused["code"]), (409, &json!("channel_refused")), "{channel}: {refused}");
        assert!(refused["detail"].as_str().unwrap().contains(why), "{channel}: {refused}");
    }
    let webhook = json!({"kind": "webhook", "url": format!("{}/x", ntfy.url())});
    assert_eq!(it.house.post("/v1/channels", &it.ada, &webhook).await.0, 201);
    assert_eq!(ntfy.messages("x"), [] as [Value; 0], "nothing is posted");
}

#[tokio::test]
async fn only_operators_name_private_addresses_and_only_people_have_channels() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    let bob = it.house.person("bob").await;
    let body = json!({"kind": "ntfy", "server": ntfy.url(), "topic": "bob"});
    let (status, refused) = it.house.post("/v1/channels", &bob, &body).await;
    assert_eq!((status, &refused["code"]), (409, &json!("channel_refused")), "{refused}");
    let command = json!({"kind": "command", "program": "true"});
    assert_eq!(it.house.post("/v1/channels", &bob, &command).await.0, 403);
    for token in [&it.agent, &it.house.bot("nightly").await] {
        assert_eq!(it.house.post("/v1/channels", token, &body).await.0, 403);
        assert_eq!(it.house.get("/v1/rings", token).await.0, 403);
    }
    let channel = it.add_ntfy(&ntfy).await;
    let path = format!("/v1/channels/{}", channel["id"].as_str().unwrap());
    assert_eq!(it.house.delete(&path, &bob).await.0, 404, "others' channels are unknown");
    let fors = json!({"kind": "ntfy", "server": ntfy.url(), "topic": "x", "person": "bob"});
    assert_eq!(it.house.post("/v1/channels", &it.ada, &fors).await.0, 403);
    assert_eq!(it.house.delete(&path, &it.ada).await.0, 200);
}

#[tokio::test]
async fn a_channel_that_fails_is_tried_again_and_the_card_says_so() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    it.add_ntfy(&ntfy).await;
    ntfy.fail(&[(503, None), (429, Some("7"))]);
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    it.see(&ask, "it failed", |ask| ask["rings"][0]["state"] == "failed").await;
    it.wait(2);
    it.see(&ask, "it failed again", |ask| ask["rings"][0]["why"].as_str().is_some_and(|why| why.contains("429"))).await;
    it.wait(6);
    assert_eq!(ntfy.messages("ada").len(), 0, "the service said when");
    it.wait(1);
    ntfy.have("ada", 1).await;
    it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
}

#[tokio::test]
async fn a_forged_ticket_and_one_that_was_used_decide_nothing() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    it.add_ntfy(&ntfy).await;
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    let message = ntfy.have("ada", 1).await.remove(0);
    let ticket = |label: &str| {
        let actions = message["actions"].as_array().unwrap();
        actions.iter().find(|action| action["label"] == label).unwrap()["body"].clone()
    };
    let cut: String = ticket("Yes").as_str().unwrap().chars().take(20).collect();
    // The last is a ticket of another channel than the one that may post here, a browser's.
    for forged in [json!(cut), json!("f".repeat(32)), json!(""), ticket("Yes")] {
        let (status, refused) = it.house.post("/v1/tickets", "", &json!({"ticket": forged})).await;
        assert_eq!((status, &refused["code"]), (409, &json!("ticket_refused")));
    }
    assert_eq!(it.show(&ask).await["state"], "open");
    ntfy.tap(&message, "Yes").await;
    it.see(&ask, "the tap counts", |ask| ask["state"] == "answered").await;
    ntfy.tap(&message, "Yes").await;
    ntfy.tap(&message, "No").await;
    let second = it.ask("And now?").await;
    it.wait(15);
    let other = ntfy.have("ada", 3).await.pop().unwrap();
    ntfy.tap(&other, "No").await;
    it.see(&second, "taps are heard in order", |ask| ask["state"] == "answered").await;
    assert_eq!(it.show(&ask).await["answers"], json!({"Deploy now?": "Yes"}));
}

#[tokio::test]
async fn a_channel_goes_with_the_device_that_added_it() {
    let (it, ntfy) = (ringing().await, Ntfy::open(None).await);
    it.add_ntfy(&ntfy).await;
    let (_, devices) = it.house.get("/v1/devices", &it.ada).await;
    let path = format!("/v1/devices/{}", devices["items"][0]["id"].as_str().unwrap());
    assert_eq!(it.house.delete(&path, &it.ada).await.0, 200);
    assert_eq!(it.house.get("/v1/channels", &it.house.local().await).await.1["items"], json!([]));
}

/// A person's message to the bot, or a tap on one of its buttons.
fn message(user: i64, text: &str) -> Value {
    let (from, chat) =
        (json!({"id": user, "is_bot": false, "first_name": "x"}), json!({"id": user, "type": "private"}));
    json!({"message": {"message_id": 900, "date": 1, "from": from, "chat": chat, "text": text}})
}

fn tap(user: i64, message: i64, data: &Value) -> Value {
    let (from, chat) =
        (json!({"id": user, "is_bot": false, "first_name": "x"}), json!({"id": user, "type": "private"}));
    let of = json!({"message_id": message, "date": 1, "chat": chat});
    json!({"callback_query": {"id": "cb", "from": from, "message": of, "chat_instance": "1", "data": data}})
}

fn button(message: &Value, label: &str) -> Value {
    let rows = message["reply_markup"]["inline_keyboard"].as_array().unwrap();
    let mut buttons = rows.iter().flat_map(|row| row.as_array().unwrap());
    buttons.find(|button| button["text"].as_str().unwrap().contains(label)).unwrap()["callback_data"].clone()
}

#[tokio::test]
async fn a_telegram_chat_is_paired_by_its_code_and_only_that_person_decides_there() {
    let (it, telegram) = (ringing().await, Telegram::open().await);
    let wrong = json!({"kind": "telegram", "bot_token": "123:wrong", "api": telegram.url()});
    let (status, refused) = it.house.post("/v1/channels", &it.ada, &wrong).await;
    assert_eq!((status, &refused["code"]), (409, &json!("channel_refused")));
    let body = json!({"kind": "telegram", "bot_token": TOKEN, "api": telegram.url()});
    let (status, channel) = it.house.post("/v1/channels", &it.ada, &body).await;
    assert_eq!((status, &channel["paired"]), (201, &json!(false)), "{channel}");
    let code = channel["pair"]["code"].as_str().unwrap();
    assert_eq!(channel["pair"]["link"], format!("https://t.me/ask_bot?start={code}"));
    telegram.happens(message(666, "/start guessed"));
    telegram.happens(message(7, &format!("/start {code}")));
    telegram.happens(message(666, &format!("/start {code}")));
    let paired = async {
        while it.house.get("/v1/channels", &it.ada).await.1["items"][0]["paired"] != true {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, paired).await.unwrap();
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    let sent = telegram.called("sendMessage", 1).await.remove(0);
    assert_eq!(sent["chat_id"], 7, "the code counts once");
    it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    let number = telegram.calls("getMe").len() as i64 + 1;
    telegram.happens(tap(666, number, &button(&sent, "Yes")));
    telegram.happens(tap(7, number, &button(&sent, "No")));
    let answered = it.see(&ask, "the tap counts", |ask| ask["state"] == "answered").await;
    assert_eq!(answered["answers"], json!({"Deploy now?": "No"}), "the stranger decided nothing");
    assert_eq!(answered["by"]["via"], "telegram");
    telegram.called("answerCallbackQuery", 1).await;
    let closed = telegram.called("editMessageText", 1).await.remove(0);
    assert!(closed["text"].as_str().unwrap().contains("ada"), "{closed}");
}

#[tokio::test]
async fn a_program_of_the_persons_own_gets_the_notice_on_its_standard_input() {
    let (it, folder) = (ringing().await, tempfile::tempdir().unwrap());
    let heard = folder.path().join("heard");
    let script = format!("cat > {0}.part; mv {0}.part {0}", heard.display());
    let body = json!({"kind": "command", "program": "sh", "args": ["-c", script]});
    assert_eq!(it.house.post("/v1/channels", &it.ada, &body).await.0, 201);
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    let heard: Value = serde_json::from_slice(&std::fs::read(&heard).unwrap()).unwrap();
    assert_eq!((&heard["type"], &heard["data"]["ask"]["id"]), (&json!("ask.waits"), &json!(ask)), "{heard}");
    let (_, log) = it.house.get("/v1/rings", &it.ada).await;
    assert_eq!((&log["items"][0]["state"], &log["items"][0]["asks"]), (&json!("sent"), &json!([ask])));
}
