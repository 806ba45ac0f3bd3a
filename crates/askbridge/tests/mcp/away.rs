//! People who take longer than a client waits.

use serde_json::json;

use crate::agent::{
    Agent, ClientKind, EVERY_WAY, answer, house, open, ticket, until_delivered, until_held, which_database,
};

/// Scaled down: a client that waits 60 seconds is held for 45; in tests for one.
const SHORT: (&str, &str) = ("ASKBRIDGE_MCP_WAIT", "1s");

#[test]
fn a_client_that_waits_no_longer_gets_a_ticket_and_the_answer_for_it() {
    let house = house(&[SHORT]);
    for way in EVERY_WAY {
        let mut agent = Agent::start(&house, way);
        agent.calls("ask_user_question", &which_database());
        let heard = agent.hears();
        let ask = open(&house, 1).remove(0);
        assert_eq!(ticket(heard["text"].as_str().unwrap()), ask["id"], "{way:?}");
        assert!(!heard["progress"].as_array().unwrap().is_empty(), "{way:?}: {heard}");
        // Still unanswered, and asking the same again does not ask twice.
        agent.calls("wait_for_answer", &json!({"ticket": ask["id"]}));
        assert_eq!(ticket(&agent.reads()), ask["id"], "{way:?}");
        agent.calls("ask_user_question", &which_database());
        assert_eq!(ticket(&agent.reads()), ask["id"], "{way:?}");
        agent.calls("wait_for_answer", &json!({}));
        answer(&house, &ask, "SQLite");
        // The answer may come just too late for this call; then the next one gets it.
        let mut heard = agent.reads();
        if heard.starts_with("Nobody") {
            agent.calls("wait_for_answer", &json!({}));
            heard = agent.reads();
        }
        assert_eq!(heard, "The person answered: SQLite", "{way:?}");
        until_delivered(&house, &ask);
        agent.calls("wait_for_answer", &json!({"ticket": ask["id"]}));
        assert_eq!(agent.reads(), "The person answered: SQLite", "{way:?}: again");
        agent.calls("wait_for_answer", &json!({}));
        assert_eq!(agent.reads(), "You have no question that waits for an answer.", "{way:?}");
        agent.leaves();
    }
}

#[test]
fn an_agent_that_gave_up_gets_its_answer_with_its_next_call_of_any_tool() {
    let house = house(&[]);
    for way in EVERY_WAY {
        let mut agent = Agent::start(&house, way);
        // A first call to warm up, so that the next ones are asked well within the client's limit.
        agent.calls("notify_user", &json!({"message": "Here I am"}));
        agent.reads();
        agent.asks_for(json!({"tool": "ask_user_question", "arguments": which_database(), "limit": 2}));
        assert!(!agent.hears()["failed"].is_null(), "{way:?}: the client gives up");
        let ask = open(&house, 1).remove(0);
        if way.says_when_it_gives_up() {
            until_held(&house, way.listens_on());
            answer(&house, &ask, "Postgres");
            agent.calls("notify_user", &json!({"message": "Going on"}));
            let heard = agent.reads();
            assert!(heard.contains("About your earlier question “Which database?”"), "{way:?}: {heard}");
            assert!(heard.ends_with("The person answered: Postgres"), "{way:?}: {heard}");
            until_delivered(&house, &ask);
        } else {
            // It gave up silently, so the answer went to a call that the client no longer reads. Asking again finds it.
            answer(&house, &ask, "Postgres");
            until_delivered(&house, &ask);
            agent.calls("ask_user_question", &which_database());
            let heard = agent.reads();
            assert!(heard.starts_with("You asked exactly this before"), "{way:?}: {heard}");
            assert!(heard.ends_with("The person answered: Postgres"), "{way:?}: {heard}");
            open(&house, 0);
        }
    }
}

#[test]
fn the_same_question_at_the_same_time_is_asked_once() {
    let house = house(&[]);
    let mut agent = Agent::start(&house, ClientKind::HandshakeStdio);
    agent.asks_for(json!({"tool": "ask_user_question", "arguments": which_database(), "times": 3}));
    let ask = open(&house, 1).remove(0);
    answer(&house, &ask, "Postgres");
    let heard: Vec<_> = (0..3).map(|_| agent.reads()).collect();
    assert!(heard.iter().all(|words| words.ends_with("The person answered: Postgres")), "{heard:?}");
    let all = house.get("/v1/asks?state=all");
    assert_eq!(all["items"].as_array().unwrap().len(), 1, "{all}");
}

#[test]
fn a_question_is_taken_back_unless_somebody_was_quicker() {
    let house = house(&[SHORT]);
    let mut agent = Agent::start(&house, ClientKind::ModernStdio);
    agent.calls("ask_user_question", &which_database());
    let first = ticket(&agent.reads()).to_owned();
    agent.calls("cancel_question", &json!({"ticket": first, "reason": "found it in the README"}));
    assert_eq!(agent.reads(), "The question was taken back. Nobody has answered it, and nobody will.");
    let ask = house.ask(&first);
    assert_eq!((&ask["state"], &ask["words"]), (&json!("withdrawn"), &json!("found it in the README")));
    // Asked again, it is a new question.
    agent.calls("ask_user_question", &which_database());
    let second = ticket(&agent.reads()).to_owned();
    assert_ne!(first, second);
    answer(&house, &json!({"id": second}), "SQLite");
    agent.calls("cancel_question", &json!({"ticket": second}));
    assert_eq!(agent.reads(), "The person answered: SQLite");
}

#[test]
fn an_agent_that_left_finds_its_answer_by_the_ticket() {
    let house = house(&[SHORT]);
    let mut agent = Agent::start(&house, ClientKind::OldStdio);
    agent.calls("ask_user_question", &which_database());
    let ticket = ticket(&agent.reads()).to_owned();
    agent.leaves();
    let ask = open(&house, 1).remove(0);
    answer(&house, &ask, "Postgres");
    let mut later = Agent::start(&house, ClientKind::ModernStdio);
    later.calls("wait_for_answer", &json!({"ticket": ticket}));
    assert_eq!(later.reads(), "The person answered: Postgres");
    until_delivered(&house, &ask);
}

#[test]
fn another_agents_ticket_leads_nowhere() {
    let house = house(&[SHORT]);
    let mut agent = Agent::start(&house, ClientKind::OldHttp);
    agent.calls("ask_user_question", &which_database());
    let ticket = ticket(&agent.reads()).to_owned();
    let mut other = Agent::start(&house, ClientKind::ModernHttp);
    other.calls("wait_for_answer", &json!({"ticket": ticket}));
    let heard = other.hears();
    assert_eq!(heard["is_error"], true, "{heard}");
    assert!(heard["text"].as_str().unwrap().contains("there is no ask"), "{heard}");
}

#[test]
fn what_a_rule_decided_is_corrected_and_read_with_the_next_call_of_any_tool() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.toml");
    let rule = "[[rules]]\nname = \"decide\"\ndo = \"deny\"\nwords = \"Decide yourself.\"\nquestion = \"*database?\"\n";
    std::fs::write(&file, rule).unwrap();
    let house = house(&[("ASKBRIDGE_RULES", file.to_str().unwrap())]);
    for way in EVERY_WAY {
        let mut agent = Agent::start(&house, way);
        agent.calls("ask_user_question", &which_database());
        let told = agent.hears();
        let text = told["text"].as_str().unwrap();
        assert!(text.contains("“decide”") && text.contains("no person was asked"), "{way:?}: {told}");
        let ruled = house.get("/v1/asks?state=ruled")["items"][0].clone();
        answer(&house, &ruled, "SQLite");
        agent.calls("notify_user", &json!({"message": "Going on"}));
        let read = agent.reads();
        assert!(read.contains("A late answer to your earlier question “Which database?”"), "{way:?}: {read}");
        assert!(read.contains("ada now says: SQLite"), "{way:?}: {read}");
        agent.calls("notify_user", &json!({"message": "Still going on"}));
        assert!(!agent.reads().contains("late answer"), "{way:?}: it is read once");
        agent.leaves();
    }
}
