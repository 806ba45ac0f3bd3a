//! Agents outlive the server: SIGKILL of the server, and of the agent itself.

use std::fs;
use std::path::PathBuf;

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Script, ask, gate, on_any_result, on_user, text, tool};
use rustix::process::Signal;
use serde_json::{Value, json};

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

/// Waits until the agent has ended a turn with these words, by its own output.
fn until_it_said(house: &House, session: &str, words: &str) {
    let output = house.data().join("run/agents").join(format!("{session}.out"));
    house.until("the turn to end", || {
        let output = fs::read_to_string(&output).unwrap_or_default();
        output.lines().any(|line| line.contains(r#""type":"result""#) && line.contains(words)).then_some(())
    });
}

fn signal(talk: &Talk<'_>, signal: Signal) {
    let pid = rustix::process::Pid::from_raw(talk.pid().unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

fn queue(talk: &Talk<'_>) -> Vec<Value> {
    talk.show()["queued_messages"].as_array().unwrap().clone()
}

/// How often the model was sent a message with these words as its last.
fn read_by_the_model(house: &House, words: &str) -> usize {
    house.model.heard().iter().filter(|heard| heard.last_user_text().is_some_and(|text| text.contains(words))).count()
}

#[test]
fn a_message_whose_turn_ended_while_no_server_ran_is_delivered_once() {
    for subject in [Subject::Real, Subject::Fake] {
        let script = Script::new().turn(on_user("go on"), [text("went on")]).turn(on_user("hi"), [text("hello")]);
        let mut house = House::open_as(subject, script, &[]);
        let talk = house.session(json!({}));
        talk.say("hi");
        talk.until_turns(1);
        // It is written to the agent, which does not read it before the server is gone.
        signal(&talk, Signal::STOP);
        talk.say("go on");
        house.until("the message to be handed over", || (talk.events_of("handed").len() >= 2).then_some(()));
        let (session, pid) = (talk.id.clone(), talk.pid());
        house.kill();
        signal(&house.talk(&session), Signal::CONT);
        until_it_said(&house, &session, "went on");
        house.start();
        let talk = house.talk(&session);
        house.until("the message to be delivered", || queue(&talk).is_empty().then_some(()));
        talk.until_turns(2);
        assert_eq!(talk.events_of("turn_ended").len(), 2, "{subject:?}");
        assert_eq!((talk.pid(), read_by_the_model(&house, "go on")), (pid, 1), "{subject:?}");
    }
}

#[test]
fn a_message_that_was_queued_when_its_turn_ended_without_a_server_gets_the_next_turn() {
    for subject in [Subject::Real, Subject::Fake] {
        let script = Script::new()
            .turn(on_user("and this"), [text("that too")])
            .turn(on_user("hi"), [text("Well. "), gate("middle"), text("So.")]);
        let mut house = House::open_as(subject, script, &[]);
        let talk = house.session(json!({}));
        talk.say("hi");
        house.model.reached("middle");
        talk.say("and this");
        let session = talk.id.clone();
        house.kill();
        house.model.open("middle");
        until_it_said(&house, &session, "So.");
        house.start();
        let talk = house.talk(&session);
        talk.until_turns(2);
        house.until("the message to be delivered", || queue(&talk).is_empty().then_some(()));
        assert_eq!(read_by_the_model(&house, "and this"), 1, "{subject:?}");
    }
}
