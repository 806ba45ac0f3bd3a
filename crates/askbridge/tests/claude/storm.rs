//! The server is killed at random moments of an agent's turn. The agent does not notice.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::Duration;

use askbridge_scripted::model::{Script, ask, on_any_result, on_user, text, tool};
use askbridge_scripted::storm;
use serde_json::json;

use crate::house::{House, id};

#[test]
fn kills_at_any_moment_lose_nothing_double_nothing_and_the_agent_does_not_notice() {
    // Two kills in each: one while a question is on its way, one while an answer is.
    let rounds = storm::count("rounds of a hosted agent, with two kills in each", 25, 100);
    let sleeps = json!({"command": "sleep 0.1; echo slept", "description": "Sleep"});
    let script = Script::new()
        .turn(on_user("go"), [text("Hm {turn}."), ask("toolu_{turn}", "Which {turn}?", ["A", "B"])])
        .turn(on_user("sleep"), [tool("toolu_{turn}", "Bash", sleeps)])
        .turn(on_any_result(), [text("done {turn}")]);
    let mut house = House::open(script);
    let session = house.session(json!({"allowed_tools": ["Bash(sleep:*)", "Bash(echo:*)"], "other_tools": "allow"})).id;
    house.talk(&session).say("sleep");
    house.talk(&session).until_turns(1);
    let pid = house.talk(&session).pid();
    let seed = RandomState::new().hash_one(rounds);
    eprintln!("seed {seed}");
    let mut moment = seed;
    // A moment within the time that a turn takes.
    let mut wait = |most: u64| {
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis((moment >> 33) % most));
    };
    for round in 0..rounds {
        house.talk(&session).say("go");
        wait(300);
        house.kill();
        house.start();
        let asked = id(&house.talk(&session).open_ask()).to_owned();
        house.answer(&asked, json!({"answers": {format!("Which {}?", 2 * round + 2): "B"}}));
        wait(150);
        house.kill();
        house.start();
        let talk = house.talk(&session);
        talk.until_delivered(&asked);
        talk.until_turns(round + 2);
    }
    let talk = house.talk(&session);
    assert_eq!(talk.pid(), pid, "the agent is the same process");
    let count = |kind: &str| talk.events_of(kind).len();
    assert_eq!((count("said"), count("asked"), count("settled")), (rounds + 1, rounds, rounds));
    assert_eq!(
        (count("tool_called"), count("tool_returned"), count("turn_ended")),
        (rounds + 1, rounds + 1, rounds + 1)
    );
    let texts: Vec<_> = talk.events_of("text").iter().map(|event| event["text"].as_str().unwrap().to_owned()).collect();
    let expected = (0..rounds).flat_map(|round| [format!("Hm {}.", 2 * round + 2), format!("done {}", 2 * round + 3)]);
    assert_eq!(texts, ["done 1".to_owned()].into_iter().chain(expected).collect::<Vec<_>>());
    let of_asks = talk.events_of("delivered").into_iter().filter(|event| event.to_string().contains("ask_")).count();
    assert_eq!(of_asks, rounds, "every verdict was delivered once");
    assert_eq!(house.model.unscripted(), Vec::<String>::new());
}
