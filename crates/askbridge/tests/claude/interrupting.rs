//! A person interrupts the agent, and the server is killed before it can pass that on.

use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::Clock;
use askbridge_bridge::runtime::{Bridge, Options, Store};
use askbridge_core::ids::StableNodeId;
use askbridge_core::intent::Intent;
use askbridge_core::terms::Rules;
use askbridge_journal::{Sqlite, sqlite};
use askbridge_scripted::model::{Script, ask, gate, on_any_result, on_user, text};
use serde_json::json;

use crate::house::{House, id};

fn script() -> Script {
    Script::new()
        .turn(on_any_result(), [text("done")])
        .turn(on_user("which"), [ask("toolu_1", "Which?", ["A", "B"])])
        .turn(on_user("long"), [text("Well. "), gate("middle"), text("So.")])
        .turn(on_user(""), [text("ok")])
}

/// Stores an interrupt in the journal of a stopped server, as if it was the last thing it wrote.
fn store_an_interrupt(house: &House, session: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = Sqlite::open(&sqlite::Options::new(house.data(), 1)).unwrap();
        let store = Store::from(store);
        let (clock, chance) = (Clock::System, Chance::System);
        let bridge =
            Bridge::start(Options { store, stable_node: StableNodeId(7), clock, chance, rules: Rules::default() })
                .await;
        bridge.handle.submit(session.parse().unwrap(), vec![Intent::Interrupt { by: None }]).await.unwrap();
        bridge.stop().await;
    });
}

#[test]
fn an_interrupt_that_was_stored_and_not_said_is_said_by_the_next_server() {
    let mut house = House::open(script());
    let talk = house.session(json!({}));
    talk.say("long");
    house.model.reached("middle");
    let (session, pid) = (talk.id.clone(), talk.pid());
    house.kill();
    store_an_interrupt(&house, &session);
    house.start();
    let talk = house.talk(&session);
    talk.until_turns(1);
    house.model.open("middle");
    assert_eq!(talk.events_of("turn_ended")[0]["reason"], "aborted_streaming");
    // Only once: the next turn is not interrupted, not even after another restart.
    house.kill();
    house.start();
    let talk = house.talk(&session);
    talk.say("more");
    talk.until_turns(2);
    assert_eq!(talk.pid(), pid, "the agent did not notice");
    assert_eq!(talk.events_of("turn_ended")[1]["reason"], "completed");
}

#[test]
fn an_interrupt_of_a_parked_question_takes_it_back_after_a_restart() {
    let mut house = House::open_with(script(), &[("ASKBRIDGE_WARM", "0")]);
    let talk = house.session(json!({}));
    talk.say("which");
    let asked = id(&talk.open_ask()).to_owned();
    talk.until_process("parked");
    let session = talk.id.clone();
    house.kill();
    store_an_interrupt(&house, &session);
    house.start();
    house.until("the question to be taken back", || (house.ask(&asked)["state"] == "withdrawn").then_some(()));
}
