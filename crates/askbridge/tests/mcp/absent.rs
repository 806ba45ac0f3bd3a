//! A person who takes a minute and a half, and clients that give up after one minute. The real times, with both
//! generations of the package at once: almost all of it is waiting, and the other tests run meanwhile.
//!
//! Named so that it comes first in the alphabet, which is the order in which tests are started.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::agent::{Agent, ClientKind, house, open, ticket, until_delivered};

/// How long a client waits for a call, in seconds.
const CLIENT_LIMIT_S: u64 = 60;
const PERSON_TAKES: Duration = Duration::from_secs(90);
/// Calls until an answer that comes in time is received, and some to spare. Beyond: the agent continues without.
const CALLS_MAX: usize = 6;
/// Both generations, over both transports.
const CLIENTS: [ClientKind; 4] =
    [ClientKind::OldHttp, ClientKind::OldStdio, ClientKind::ModernHttp, ClientKind::ModernStdio];

/// Each client asks its own question, and gets its own answer.
fn question(way: ClientKind) -> String {
    format!("Which name for {way:?}?")
}

fn name(question: &str) -> String {
    format!("The one I gave to “{question}” after a walk")
}

/// Asks once, then waits with the ticket until there is an answer. Returns all results.
fn asks(agent: &mut Agent, way: ClientKind) -> Vec<Value> {
    let questions = json!([{"question": question(way), "options": [{"label": "Ada"}, {"label": "Bob"}]}]);
    let mut call = json!({"tool": "ask_user_question", "arguments": {"questions": questions}});
    let mut told = Vec::new();
    for _ in 0..CALLS_MAX {
        call["limit"] = json!(CLIENT_LIMIT_S);
        agent.asks_for(call);
        told.push(agent.hears());
        let last = told.last().and_then(|told| told["text"].as_str()).unwrap_or_default();
        // Anything but a ticket is the end: an answer, or an error.
        if !last.starts_with("Nobody has answered yet") {
            break;
        }
        call = json!({"tool": "wait_for_answer", "arguments": {"ticket": ticket(last)}});
    }
    told
}

#[test]
fn a_person_who_takes_90_s_is_heard_by_clients_that_wait_60() {
    let house = house(&[]);
    let agents = CLIENTS.map(|way| (way, Agent::start(&house, way)));
    thread::scope(|scope| {
        let asking = agents.map(|(way, mut agent)| {
            scope.spawn(move || {
                let told = asks(&mut agent, way);
                (way, agent, told)
            })
        });
        let asked = open(&house, CLIENTS.len());
        thread::sleep(PERSON_TAKES);
        for ask in &asked {
            let question = ask["questions"][0]["question"].as_str().unwrap();
            house.answer(ask["id"].as_str().unwrap(), json!({"answers": {question: name(question)}}));
        }
        for agent in asking {
            let (way, mut agent, mut told) = agent.join().unwrap();
            let ask = asked.iter().find(|ask| ask["questions"][0]["question"] == question(way)).unwrap();
            let answer = told.pop().unwrap();
            assert_eq!(answer["text"], format!("The person answered: {}", name(&question(way))), "{way:?}: {answer}");
            // Before that: a ticket, at least once, and always the same. No call was cut off by its client.
            assert!(!told.is_empty(), "{way:?}: the client waited longer than it does");
            for told in &told {
                assert_eq!(told["is_error"], false, "{way:?}: {told}");
                assert_eq!(ticket(told["text"].as_str().unwrap()), ask["id"], "{way:?}: {told}");
                assert!(!told["progress"].as_array().unwrap().is_empty(), "{way:?}: {told}");
            }
            until_delivered(&house, ask);
            agent.calls("wait_for_answer", &json!({}));
            assert_eq!(agent.reads(), "You have no question that waits for an answer.", "{way:?}: told once");
            agent.leaves();
        }
    });
    let all = house.get("/v1/asks?state=all");
    assert_eq!(all["items"].as_array().unwrap().len(), CLIENTS.len(), "nobody was asked twice: {all}");
}
