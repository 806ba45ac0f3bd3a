//! Starting an agent, and every reason why that can fail.

use askbridge_scripted::model::{Script, anything, text};
use serde_json::json;

use crate::house::House;

fn talkative() -> Script {
    Script::new().turn(anything(), [text("hello")])
}

#[test]
fn what_cannot_be_started_is_refused_with_what_to_do() {
    let house = House::open(talkative());
    let work = house.scratch.work();
    let refused = |wish: serde_json::Value| {
        let (status, problem) = house.post("/v1/sessions", &wish);
        assert!(status >= 400, "{problem}");
        (status, problem["detail"].as_str().unwrap().to_owned())
    };
    assert_eq!(refused(json!({"agent": "claude"})).1, "say in `cwd` in which folder it works");
    let (status, outside) = refused(json!({"agent": "claude", "cwd": "/etc"}));
    assert_eq!(status, 422);
    assert!(outside.contains("agents may not work in `/etc`") && outside.contains("ASKBRIDGE_ROOTS"), "{outside}");
    assert!(refused(json!({"agent": "claude", "cwd": work.join("nowhere")})).1.contains("there is no folder"));
    assert!(
        refused(json!({"agent": "claude", "cwd": work, "permission_mode": "yolo"}))
            .1
            .contains("must be one of default")
    );
    if rustix::process::geteuid().is_root() {
        let (_, root) = refused(json!({"agent": "claude", "cwd": work, "permission_mode": "bypassPermissions"}));
        assert!(root.contains("as root") && root.contains("IS_SANDBOX=1"), "{root}");
    }
}

#[test]
fn a_missing_program_says_what_to_do() {
    let house = House::open_with(talkative(), &[("ASKBRIDGE_CLAUDE", "/nowhere/claude")]);
    let (status, problem) = house.post("/v1/sessions", &json!({"agent": "claude", "cwd": house.scratch.work()}));
    assert_eq!((status, &problem["code"]), (503, &json!("no_claude")));
    assert_eq!(problem["retry"], json!(false), "it does not come by itself: {problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("ASKBRIDGE_CLAUDE names `/nowhere/claude`"), "{detail}");
    let house = House::open_with(talkative(), &[("ASKBRIDGE_CLAUDE", "/bin/echo")]);
    let (status, problem) = house.post("/v1/sessions", &json!({"agent": "claude", "cwd": house.scratch.work()}));
    assert_eq!(status, 503);
    assert!(problem["detail"].as_str().unwrap().contains("is not a version of Claude Code"), "{problem}");
}

#[test]
fn a_session_that_is_closed_leaves_nothing_behind() {
    let house = House::open(talkative());
    let talk = house.session(json!({}));
    talk.say("hi");
    talk.until_turns(1);
    assert_eq!(house.post(&format!("/v1/sessions/{}/close", talk.id), &json!({})).0, 200);
    house.until("everything to be cleared up", || house.left_behind().is_empty().then_some(()));
    assert_eq!(talk.show()["process"], "none");
    let (status, refused) = house.post(&format!("/v1/sessions/{}/messages", talk.id), &json!({"text": "again"}));
    assert_eq!((status, &refused["code"]), (409, &json!("session_closed")));
}

#[test]
fn when_all_places_are_taken_a_session_waits_and_an_idle_one_makes_room() {
    let house = House::open_with(talkative(), &[("ASKBRIDGE_AGENTS_MAX", "1")]);
    let (first, second) = (house.session(json!({})), house.session(json!({})));
    first.say("hi");
    first.until_turns(1);
    second.say("hi");
    second.until_turns(1);
    first.until_process("asleep");
    first.say("hi again");
    first.until_turns(2);
    assert_eq!(house.model.last().unwrap().turn(), 1, "it was resumed, and remembers what it said");
}

#[test]
fn a_process_that_has_nothing_to_do_sleeps_and_the_next_message_wakes_it() {
    let house = House::open_with(talkative(), &[("ASKBRIDGE_IDLE", "1s")]);
    let talk = house.session(json!({}));
    talk.say("hi");
    talk.until_turns(1);
    talk.until_process("asleep");
    talk.say("again");
    talk.until_turns(2);
    assert_eq!(house.model.last().unwrap().turn(), 1);
}

#[test]
fn a_server_that_stops_says_how_many_agents_run_on() {
    let mut house = House::open(talkative());
    let (first, second) = (house.session(json!({})), house.session(json!({})));
    for talk in [&first, &second] {
        talk.say("hi");
        talk.until_turns(1);
    }
    let session = first.id.clone();
    house.stop();
    assert!(house.log().contains("2 agents run on; the next askbridge takes them over"), "{}", house.log());
    house.start();
    let talk = house.talk(&session);
    talk.say("again");
    talk.until_turns(2);
}
