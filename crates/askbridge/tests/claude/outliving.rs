//! Agents outlive the server: SIGKILL of the server, and of the agent itself.

use std::fs;
use std::path::PathBuf;

use askbridge_scripted::model::{Script, ask, gate, on_any_result, on_user, text, tool};
use serde_json::json;

use crate::house::{House, Talk, id};

const CALL: &str = "toolu_1";

fn one_question() -> Script {
    Script::new()
        .turn(on_user("connection was lost"), [text("I see")])
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [text("Well. "), gate("middle"), text("So."), ask(CALL, "Which?", ["A", "B"])])
        .turn(on_user("more"), [text("more")])
}

#[test]
fn a_server_that_is_killed_with_an_open_question_finds_it_again_and_the_agent_does_not_notice() {
    let mut house = House::open(one_question());
    house.model.open("middle");
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = id(&talk.open_ask()).to_owned();
    let (session, pid) = (talk.id.clone(), talk.pid());
    house.kill();
    house.start();
    let talk = house.talk(&session);
    assert_eq!(talk.open_ask()["id"], asked.as_str());
    house.answer(&asked, json!({"answers": {"Which?": "B"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    talk.until_delivered(&asked);
    talk.until_turns(1);
    assert_eq!((talk.pid(), talk.events_of("asked").len()), (pid, 1));
    assert_eq!((talk.events_of("text").len(), talk.events_of("tool_called").len()), (3, 1));
    talk.say("more");
    talk.until_turns(2);
}

#[test]
fn a_server_that_is_killed_in_the_middle_of_an_answer_loses_and_doubles_nothing() {
    let mut house = House::open(one_question());
    let talk = house.session(json!({}));
    talk.say("hi");
    house.model.reached("middle");
    let session = talk.id.clone();
    house.kill();
    house.model.open("middle");
    house.start();
    let talk = house.talk(&session);
    let asked = id(&talk.open_ask()).to_owned();
    house.answer(&asked, json!({"answers": {"Which?": "A"}}));
    talk.until_turns(1);
    let texts: Vec<_> = talk.events_of("text").iter().map(|event| event["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(texts, ["Well. ", "So.", "done"]);
    assert_eq!(house.model.heard().iter().filter(|heard| !heard.tool_names().is_empty()).count(), 2);
}

#[test]
fn a_server_that_is_killed_while_nobody_watches_delivers_what_was_answered() {
    let mut house = House::open(one_question());
    house.model.open("middle");
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = id(&talk.open_ask()).to_owned();
    let session = talk.id.clone();
    // Killed right after the answer, which may or may not have reached the agent.
    house.answer(&asked, json!({"answers": {"Which?": "B"}}));
    house.kill();
    house.start();
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    house.talk(&session).until_delivered(&asked);
    house.talk(&session).until_turns(1);
}

/// Returns Claude Code's transcript of the only conversation, once it exists.
fn record(house: &House) -> Option<PathBuf> {
    let projects = fs::read_dir(house.scratch.home().join(".claude/projects")).ok()?;
    let files = projects.flat_map(|project| fs::read_dir(project.unwrap().path()).unwrap());
    let mut records =
        files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    records.next()
}

/// Waits until the agent has written its question to the transcript: it sends the question a moment before.
pub(crate) fn until_written_down(house: &House, call: &str) {
    house.until("the question to be written down", || {
        let lines = fs::read_to_string(record(house)?).unwrap();
        lines.lines().any(|line| line.contains(r#""type":"assistant""#) && line.contains(call)).then_some(())
    });
}

/// Kills the agent itself once its question is in the transcript.
fn kill_the_agent(talk: &Talk<'_>) {
    until_written_down(talk.house, CALL);
    let pid = rustix::process::Pid::from_raw(talk.pid().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn an_agent_that_is_killed_with_an_open_question_is_asked_again_by_its_own_record() {
    let house = House::open(one_question());
    house.model.open("middle");
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    kill_the_agent(&talk);
    talk.until_process("asleep");
    assert_eq!(house.ask(id(&asked))["state"], "open");
    assert!(talk.events_of("notice").iter().any(|notice| notice["text"].as_str().unwrap().contains("ended by itself")));
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    talk.until_delivered(id(&asked));
    talk.until_turns(1);
    assert_eq!((talk.events_of("asked").len(), talk.events_of("stranded").len()), (1, 0));
    talk.say("more");
    talk.until_turns(2);
}

#[test]
fn an_agent_that_is_killed_before_it_wrote_its_question_down_hears_the_answer_in_words() {
    let house = House::open(one_question());
    house.model.open("middle");
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    kill_the_agent(&talk);
    talk.until_process("asleep");
    let record = record(&house).unwrap();
    let written = fs::read_to_string(&record).unwrap();
    let before: String = written.lines().filter(|line| !line.contains(CALL)).map(|line| format!("{line}\n")).collect();
    fs::write(&record, before).unwrap();
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    let words = "You asked “Which?” and the connection was lost before the answer. ada says: B";
    house
        .model
        .until(|heard| heard.iter().any(|heard| heard.last_user_text().is_some_and(|text| text.ends_with(words))));
    talk.until_delivered(id(&asked));
}

#[test]
fn a_permission_of_an_agent_that_was_killed_is_never_asked_for_by_its_record() {
    let input = json!({"command": "touch made", "description": "Touch a file"});
    let script = Script::new()
        .turn(on_user("connection was lost"), [text("I see")])
        .turn(on_user("hi"), [tool(CALL, "Bash", input)]);
    let house = House::open(script);
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    kill_the_agent(&talk);
    talk.until_process("asleep");
    house.answer(id(&asked), json!({"decision": "allow"}));
    house.model.until(|heard| {
        heard.iter().any(|heard| heard.last_user_text().is_some_and(|text| text.contains("connection was lost")))
    });
    talk.until_delivered(id(&asked));
    assert!(!house.scratch.work().join("made").exists(), "it may have run before, so it is not run again");
}

#[test]
fn a_question_survives_the_end_of_everything_and_keeps_its_name() {
    let mut house = House::open(one_question());
    house.model.open("middle");
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = id(&talk.open_ask()).to_owned();
    let session = talk.id.clone();
    house.kill();
    kill_the_agent(&house.talk(&session));
    house.start();
    let talk = house.talk(&session);
    assert_eq!(talk.open_ask()["id"], asked.as_str());
    house.answer(&asked, json!({"answers": {"Which?": "A"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="A""#));
    talk.until_delivered(&asked);
    assert_eq!((talk.events_of("asked").len(), talk.events_of("stranded").len()), (1, 0));
}
