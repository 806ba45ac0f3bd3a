//! Asking, and being answered while the call waits; notices; how people see an agent.

use serde_json::json;

use crate::agent::{Agent, ClientKind, EVERY_WAY, answer, house, open, until_delivered, which_database};

#[test]
fn an_agent_asks_by_every_way_and_reads_the_answer() {
    let house = house(&[]);
    for way in EVERY_WAY {
        let mut agent = Agent::start(&house, way);
        assert_eq!(agent.hello["version"], way.revision(), "{way:?}");
        let tools = json!(["ask_user_question", "wait_for_answer", "cancel_question", "notify_user"]);
        assert_eq!(agent.hello["tools"], tools, "{way:?}");
        agent.calls("ask_user_question", &which_database());
        let ask = open(&house, 1).remove(0);
        assert_eq!((&ask["door"], &ask["agent"]), (&json!("mcp"), &json!("agent.py")), "{way:?}");
        answer(&house, &ask, "SQLite");
        assert_eq!(agent.reads(), "The person answered: SQLite", "{way:?}");
        until_delivered(&house, &ask);
        agent.leaves();
    }
}

#[test]
fn people_see_where_an_agent_works_and_its_session_ends_with_it() {
    let house = house(&[]);
    let mut agent = Agent::start(&house, ClientKind::OldStdio);
    assert_eq!(house.get("/v1/sessions")["items"], json!([]), "nobody asked yet");
    agent.calls("ask_user_question", &which_database());
    let ask = open(&house, 1).remove(0);
    assert_eq!(ask["context"]["folder"], json!(house.scratch.work()));
    answer(&house, &ask, "Postgres");
    assert_eq!(agent.reads(), "The person answered: Postgres");
    until_delivered(&house, &ask);
    let session = house.talk(ask["session"].as_str().unwrap());
    assert_eq!(session.show()["title"], "agent.py in desk");
    agent.leaves();
    house.until("the session to be closed", || (session.show()["state"] == "closed").then_some(()));
}

#[test]
fn several_questions_and_free_text_come_back_as_they_were_said() {
    let house = house(&[]);
    let mut agent = Agent::start(&house, ClientKind::ModernStdio);
    let questions = json!([
        {"question": "Which regions?", "options": [{"label": "Europe"}, {"label": "Asia"}], "multiSelect": true},
        {"question": "What should it be called?"},
        {"question": "Anything else?"},
    ]);
    agent.calls("ask_user_question", &json!({"questions": questions, "context": "The cluster is empty"}));
    let ask = open(&house, 1).remove(0);
    assert_eq!(ask["context"]["text"], "The cluster is empty");
    let said = json!({"Which regions?": ["Europe", "Asia"], "What should it be called?": "Größe"});
    house.answer(ask["id"].as_str().unwrap(), json!({"answers": said}));
    let heard = agent.reads();
    assert!(
        heard.starts_with("The person answered: “Which regions?”: Europe, Asia; “What should it be called?”: Größe")
    );
    assert!(heard.contains("Not answered: “Anything else?”."), "{heard}");
}

#[test]
fn a_closed_question_is_told_as_closed_and_not_as_an_answer() {
    let house = house(&[]);
    let mut agent = Agent::start(&house, ClientKind::HandshakeHttp);
    agent.calls("ask_user_question", &which_database());
    let ask = open(&house, 1).remove(0);
    let (status, _) =
        house.post(&format!("/v1/asks/{}/dismiss", ask["id"].as_str().unwrap()), &json!({"words": "later"}));
    assert_eq!(status, 200);
    assert_eq!(agent.reads(), "The person closed the question without choosing, and wrote: later");
}

#[test]
fn a_notice_is_seen_and_nobody_has_to_answer() {
    let house = house(&[]);
    let mut agent = Agent::start(&house, ClientKind::OldHttp);
    agent.calls("notify_user", &json!({"message": "The build is green"}));
    assert_eq!(agent.reads(), "The person will see this. No answer will come.");
    let sessions = house.get("/v1/sessions");
    let session = house.talk(sessions["items"][0]["id"].as_str().unwrap());
    let notices = session.events_of("notice");
    assert_eq!(notices, [json!({"type": "notice", "level": "info", "text": "The build is green"})]);
    open(&house, 0);
}

#[test]
fn an_ask_that_makes_no_sense_is_refused_in_words() {
    let house = house(&[]);
    let mut agent = Agent::start(&house, ClientKind::ModernHttp);
    agent.calls("ask_user_question", &json!({"questions": [{"options": [{"label": "Yes"}]}]}));
    let heard = agent.hears();
    assert_eq!(heard["is_error"], true, "{heard}");
    assert!(heard["text"].as_str().unwrap().contains("question 1"), "{heard}");
    agent.calls("no_such_tool", &json!({}));
    assert!(agent.hears()["failed"].as_str().unwrap().contains("no_such_tool"));
    open(&house, 0);
}
