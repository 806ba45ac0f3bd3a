//! Limits: an agent's memory, the number of agents, and the length of a session.

use std::process::Command;
use std::{fs, thread};

use askbridge_scripted::model::{Script, ask, on_any_result, on_user, text, tool};
use serde_json::{Value, json};

use crate::house::{House, id};
use crate::outliving::until_written_down;

const CALL: &str = "toolu_1";

fn script() -> Script {
    Script::new()
        .turn(on_any_result(), [text("done")])
        .turn(on_user("which"), [ask(CALL, "Which?", ["A", "B"])])
        .turn(on_user("work"), [tool(CALL, "Bash", json!({"command": GREEDY, "description": "Work"}))])
        .turn(on_user(""), [text("ok")])
}

/// Claude Code takes 155 to 200 MB. This limit is exceeded, but not twofold.
const TOO_MUCH: (&str, &str) = ("ASKBRIDGE_AGENTS_MEMORY", "130M");
/// A command of an agent counts as the agent's memory. This one takes more than twice the limit.
const GREEDY: &str = "python3 -c 'x = b\"x\" * (700 << 20); import time; time.sleep(600)'";
const TWICE_TOO_MUCH: (&str, &str) = ("ASKBRIDGE_AGENTS_MEMORY", "300M");

#[test]
fn an_agent_that_takes_too_much_is_stopped_between_turns_and_goes_on_with_the_next_message() {
    let house = House::open_with(script(), &[TOO_MUCH]);
    let talk = house.session(json!({}));
    talk.say("hi");
    talk.until_turns(1);
    talk.until_process("asleep");
    let said = talk.events_of("notice").pop().unwrap();
    let words = said["text"].as_str().unwrap();
    assert!(words.contains("more than the 130 MB that it may (`agents.memory`)"), "{words}");
    assert!(words.ends_with("stopped between two turns, and starts again with the next message."), "{words}");
    talk.say("again");
    talk.until_turns(2);
    assert_eq!(house.model.last().unwrap().turn(), 1, "it was resumed, and remembers what it said");
}

#[test]
fn the_question_of_an_agent_that_takes_too_much_is_parked_and_its_answer_arrives() {
    let house = House::open_with(script(), &[TOO_MUCH]);
    let talk = house.session(json!({"warm_seconds": 600}));
    talk.say("which");
    let asked = talk.open_ask();
    talk.until_process("parked");
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    talk.until_delivered(id(&asked));
}

#[test]
fn an_agent_that_takes_far_too_much_is_stopped_in_the_middle_of_its_turn_and_says_so() {
    let house = House::open_with(script(), &[TWICE_TOO_MUCH]);
    let talk = house.session(json!({"allowed_tools": ["Bash"]}));
    talk.say("work");
    let words = house.until("the notice", || {
        let notices = talk.events_of("notice");
        notices
            .iter()
            .find_map(|notice| notice["text"].as_str().filter(|it| it.contains("in the middle")).map(str::to_owned))
    });
    assert!(words.ends_with("Say something, and it goes on from there."), "{words}");
    talk.until_process("asleep");
    house.until("everything to be cleared up", || {
        house.left_behind().iter().all(|name| name.ends_with(".rest")).then_some(())
    });
}

#[test]
fn an_agent_whose_files_cannot_be_made_says_so_and_starts_once_they_can() {
    let house = House::open(script());
    let talk = house.session(json!({}));
    // Like a full folder: the file cannot be created.
    let in_the_way = house.data().join(format!("run/agents/{}.out", talk.id));
    fs::create_dir(&in_the_way).unwrap();
    talk.say("hi");
    let words = house.until("the notice", || {
        let said = talk.events_of("notice");
        said.iter().find_map(|notice| notice["text"].as_str().filter(|it| it.contains("files in")).map(str::to_owned))
    });
    assert!(words.contains("run/agents`") && words.contains("say something and it starts"), "{words}");
    fs::remove_dir(&in_the_way).unwrap();
    talk.say("again");
    talk.until_turns(1);
    house.model.until(|heard| {
        let read =
            |words: &str| heard.iter().any(|heard| heard.messages().iter().any(|it| it.to_string().contains(words)));
        read("hi") && read("again")
    });
}

#[test]
fn an_agent_that_can_write_no_more_ends_and_its_question_is_answered_all_the_same() {
    let house = House::open(script());
    let talk = house.session(json!({}));
    talk.say("which");
    let asked = talk.open_ask();
    until_written_down(&house, CALL);
    // Like a full folder, for this process alone: no file that it writes may grow.
    let limit = Command::new("prlimit").args(["--pid", &talk.pid().unwrap().to_string(), "--fsize=1"]).status();
    assert!(limit.unwrap().success());
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    talk.until_delivered(id(&asked));
    let ended = |notice: &Value| notice["text"].as_str().is_some_and(|text| text.contains("ended by itself"));
    assert!(talk.events_of("notice").iter().any(ended), "{:#?}", talk.events_of("notice"));
    assert_eq!((talk.events_of("asked").len(), talk.events_of("settled").len()), (1, 1));
    talk.say("again");
    talk.until_turns(1);
}

#[test]
fn whoever_waits_for_a_place_sees_where_in_the_line() {
    // Kept warm for ever, so that it does not give up its slot.
    let house = House::open_with(script(), &[("ASKBRIDGE_AGENTS_MAX", "1"), ("ASKBRIDGE_WARM", "off")]);
    let (busy, next, last) = (house.session(json!({})), house.session(json!({})), house.session(json!({})));
    busy.say("which");
    let asked = busy.open_ask();
    next.say("hi");
    house.until("a place in the line", || (next.show()["waits_for_process"] == 1).then_some(()));
    last.say("hi");
    house.until("a place in the line", || (last.show()["waits_for_process"] == 2).then_some(()));
    assert_eq!(next.show()["waits_for_process"], 1);
    house.answer(id(&asked), json!({"answers": {"Which?": "A"}}));
    next.until_turns(1);
    last.until_turns(1);
    assert_eq!((&next.show()["waits_for_process"], &last.show()["waits_for_process"]), (&json!(null), &json!(null)));
}

#[test]
fn a_session_that_has_grown_long_goes_on_as_another_with_the_same_conversation() {
    let house = House::open(script());
    let talk = house.session(json!({"append_system_prompt": "Be brief."}));
    talk.say("hi");
    talk.until_turns(1);
    // Ten thousand decisions; a new title is the smallest.
    thread::scope(|scope| {
        for thread in 0..8 {
            let (house, talk) = (&house, &talk);
            scope.spawn(move || {
                for number in 0..1250 {
                    let title = json!({"title": format!("{thread}-{number}")});
                    assert_eq!(house.post(&format!("/v1/sessions/{}/configure", talk.id), &title).0, 200);
                }
            });
        }
    });
    // The session is full, so its process is ended between turns.
    talk.until_process("asleep");
    let (status, said) = house.post(&format!("/v1/sessions/{}/messages", talk.id), &json!({"text": "again"}));
    assert_eq!(status, 202, "{said}");
    let next = said["session"].as_str().unwrap().to_owned();
    assert_ne!(next, talk.id);
    assert_eq!((&talk.show()["state"], &talk.show()["continued_as"]), (&json!("continued"), &json!(next)));
    let after = house.talk(&next);
    after.until_turns(1);
    assert_eq!(house.model.last().unwrap().turn(), 1, "the same conversation goes on");
    // Its next ask is made in the new session.
    after.say("which");
    let asked = after.open_ask();
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    after.until_delivered(id(&asked));
}
