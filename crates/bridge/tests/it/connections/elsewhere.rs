//! Hooks of connected machines: their connection breaks, their server restarts, they come back.

use std::time::Duration;

use super::*;

/// The hook of an agent on another machine that waits.
pub(super) struct Hook {
    response: Response<Incoming>,
}

impl Hook {
    pub(super) async fn calls(house: &House, machine: &Machine, id: &str, again: bool, seen: &Value) -> Self {
        let event = json!({"hook_event_name": "PermissionRequest", "session_id": "conversation", "cwd": "/srv/app",
            "tool_name": "Bash", "tool_input": {"command": "make"}, "askbridge": seen});
        let mut request = house.request("POST", "/v1/hook", machine.token()).header("askbridge-hook-id", id);
        if again {
            request = request.header("askbridge-again", "1");
        }
        let response = house.send(request.body(Full::from(event.to_string())).expect("a request")).await;
        assert_eq!(response.status(), 200);
        Self { response }
    }

    /// What it prints in the end.
    async fn prints(self) -> Value {
        let body = timeout(PATIENCE, self.response.into_body().collect()).await.expect("an answer in time");
        serde_json::from_slice(&body.expect("a whole body").to_bytes()).expect("JSON")
    }
}

/// Waits until one ask is open, and returns it.
pub(super) async fn the_open_ask(house: &House, ada: &str) -> Value {
    let found = async {
        loop {
            match open(house, ada).await.as_slice() {
                [] => tokio::task::yield_now().await,
                [one] => return one.clone(),
                several => panic!("{several:?}"),
            }
        }
    };
    timeout(PATIENCE, found).await.expect("one ask is open")
}

pub(super) async fn until_state(house: &House, ada: &str, ask: &Value, wanted: impl Fn(&Value) -> bool) -> Value {
    let path = format!("/v1/asks/{}", ask["id"].as_str().expect("an ask has an id"));
    let found = async {
        loop {
            let ask = house.get(&path, ada).await.1;
            if wanted(&ask) {
                return ask;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, found).await.expect("the ask comes to that")
}

pub(super) async fn house_with_a_machine(back: Duration) -> (House, String, Machine) {
    let house = House::open().await;
    house.app.hook(HookOptions { back, ..HookOptions::default() });
    let ada = house.operator("ada").await;
    let machine = Machine::connected(&house, &ada, "laptop", 1).await;
    (house, ada, machine)
}

pub(super) const LONG: Duration = Duration::from_secs(600);

#[tokio::test]
async fn a_hook_elsewhere_asks_with_what_its_machine_sees() {
    let (house, ada, machine) = house_with_a_machine(LONG).await;
    let seen = json!({"branch": "main", "title": "The shop", "text": "I build it.", "beside": "nobody"});
    let hook = Hook::calls(&house, &machine, "a1", false, &seen).await;
    let asked = the_open_ask(&house, &ada).await;
    assert_eq!(asked["machine"], "laptop");
    let context = json!({"text": "I build it.", "title": "The shop", "folder": "/srv/app", "branch": "main"});
    assert_eq!(asked["context"], context);
    assert!(asked["deadline"].is_string(), "a run that only we can answer does not wait for ever: {asked}");
    answer(&house, &ada, &asked, json!({"decision": "allow"})).await;
    assert_eq!(hook.prints().await["hookSpecificOutput"]["decision"]["behavior"], "allow");
    house.close().await;
}

#[tokio::test]
async fn a_hook_that_loses_its_connection_comes_back_to_the_same_ask() {
    let (house, ada, machine) = house_with_a_machine(LONG).await;
    let first = Hook::calls(&house, &machine, "a1", false, &json!({})).await;
    let asked = the_open_ask(&house, &ada).await;
    drop(first);
    let second = Hook::calls(&house, &machine, "a1", true, &json!({})).await;
    // The network lost it without a word: the server still takes the former connection for a good one.
    let third = Hook::calls(&house, &machine, "a1", true, &json!({})).await;
    assert_eq!(second.prints().await, json!({}), "the newest connection has taken its place");
    let open = the_open_ask(&house, &ada).await;
    assert_eq!((&open["id"], &open["stranded"]), (&asked["id"], &json!(false)));
    answer(&house, &ada, &asked, json!({"decision": "allow"})).await;
    assert_eq!(third.prints().await["hookSpecificOutput"]["decision"]["behavior"], "allow");
    house.close().await;
}

#[tokio::test]
async fn an_answer_that_is_given_while_the_hook_is_away_waits_for_it() {
    let (house, ada, machine) = house_with_a_machine(LONG).await;
    drop(Hook::calls(&house, &machine, "a1", false, &json!({})).await);
    let asked = the_open_ask(&house, &ada).await;
    answer(&house, &ada, &asked, json!({"decision": "deny", "words": "not on Fridays"})).await;
    let back = Hook::calls(&house, &machine, "a1", true, &json!({})).await;
    let printed = back.prints().await;
    assert!(printed.to_string().contains("not on Fridays"), "{printed}");
    // Another machine's hook that calls itself the same finds nothing.
    let stranger = Machine::connected(&house, &ada, "desk", 2).await;
    let _other = Hook::calls(&house, &stranger, "a1", true, &json!({})).await;
    assert_eq!(the_open_ask(&house, &ada).await["machine"], "desk");
    house.close().await;
}

#[tokio::test]
async fn a_hook_says_why_it_leaves_and_its_card_says_it_too() {
    let (house, ada, machine) = house_with_a_machine(LONG).await;
    let hook = Hook::calls(&house, &machine, "a1", false, &json!({})).await;
    let asked = the_open_ask(&house, &ada).await;
    let another = Machine::connected(&house, &ada, "desk", 2).await;
    assert_eq!(house.post("/v1/hook/leave", another.token(), &json!({"hook": "a1"})).await.0, 204);
    assert_eq!(the_open_ask(&house, &ada).await["id"], asked["id"], "it was not its own");
    assert_eq!(house.post("/v1/hook/leave", machine.token(), &json!({"hook": "a1"})).await.0, 204);
    let over = until_state(&house, &ada, &asked, |ask| ask["state"] == "overtaken").await;
    assert_eq!(over["words"], "the terminal");
    drop(hook);

    let hook = Hook::calls(&house, &machine, "a2", false, &json!({})).await;
    let asked = the_open_ask(&house, &ada).await;
    drop(hook);
    let left = json!({"hook": "a2", "agent_ended": true});
    assert_eq!(house.post("/v1/hook/leave", machine.token(), &left).await.0, 204);
    let over = until_state(&house, &ada, &asked, |ask| ask["state"] == "withdrawn").await;
    assert_eq!(over["words"], "the agent has ended");
    house.close().await;
}

#[tokio::test]
async fn a_hook_that_stays_away_leaves_its_ask_stranded_and_asks_anew_when_it_is_back() {
    let (house, ada, machine) = house_with_a_machine(Duration::ZERO).await;
    drop(Hook::calls(&house, &machine, "a1", false, &json!({})).await);
    let asked = the_open_ask(&house, &ada).await;
    until_state(&house, &ada, &asked, |ask| ask["stranded"] == true).await;
    let back = Hook::calls(&house, &machine, "a1", true, &json!({})).await;
    let over = until_state(&house, &ada, &asked, |ask| ask["state"] == "withdrawn").await;
    assert_eq!(over["words"], "its agent was out of reach for a while, and asks again");
    let anew = the_open_ask(&house, &ada).await;
    answer(&house, &ada, &anew, json!({"decision": "allow"})).await;
    assert_eq!(back.prints().await["hookSpecificOutput"]["decision"]["behavior"], "allow");

    // Answered while it was stranded: the answer waits as a message, which the returning hook takes the place of.
    drop(Hook::calls(&house, &machine, "a2", false, &json!({})).await);
    let asked = the_open_ask(&house, &ada).await;
    until_state(&house, &ada, &asked, |ask| ask["stranded"] == true).await;
    answer(&house, &ada, &asked, json!({"decision": "allow"})).await;
    let back = Hook::calls(&house, &machine, "a2", true, &json!({})).await;
    assert_eq!(back.prints().await["hookSpecificOutput"]["decision"]["behavior"], "allow");
    let session = house.get(&format!("/v1/sessions/{}", asked["session"].as_str().unwrap()), &ada).await.1;
    assert_eq!(session["queued_messages"], json!([]), "it is not told twice: {session}");
    house.close().await;
}

#[tokio::test]
async fn a_hook_elsewhere_comes_back_to_its_ask_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let options = |seed| sqlite::Options::new(folder.path(), seed);
    let house = House::open_file(&options(1), Clock::System, 1).await;
    let ada = house.operator("ada").await;
    let machine = Machine::connected(&house, &ada, "laptop", 1).await;
    let hook = Hook::calls(&house, &machine, "a1", false, &json!({})).await;
    let asked = the_open_ask(&house, &ada).await;
    house.close().await;
    assert!(hook.response.into_body().collect().await.is_err(), "a server that stops is told from one without opinion");

    let house = House::open_file(&options(2), Clock::System, 2).await;
    house.app.strand_hooks().await;
    let back = Hook::calls(&house, &machine, "a1", true, &json!({})).await;
    let open = the_open_ask(&house, &ada).await;
    assert_eq!((&open["id"], &open["stranded"]), (&asked["id"], &json!(false)));
    answer(&house, &ada, &asked, json!({"decision": "allow"})).await;
    assert_eq!(back.prints().await["hookSpecificOutput"]["decision"]["behavior"], "allow");
    house.close().await;
}
