//! One ask on every screen at once, answered from each in turn.

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Script, ask, on_result, on_user, text};

use crate::house::House;
use crate::node::play_with;

#[test]
fn an_ask_is_shown_in_every_dialect_and_answered_from_each_in_turn() {
    // The last turn that fits speaks first: a message contains those before it.
    let script = (0..4).rev().fold(Script::new(), |script, number| {
        let call = format!("toolu_{number}");
        let said = if number == 0 { "ask".to_owned() } else { format!("ask {number}") };
        script.turn(on_result(call.as_str()), [text("done")]).turn(on_user(said), [ask(&call, "Which?", ["A", "B"])])
    });
    let dialects = "prime,ccc=127.0.0.1:0,gobby=127.0.0.1:0";
    let house = House::open_as(Subject::Fake, script, &[("ASKBRIDGE_DIALECTS", dialects)]);
    let written = std::fs::read_to_string(house.data().join("run/dialects")).unwrap();
    let port = |name: &str| {
        let line = written.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap().to_owned()
    };
    let ports = format!("{},{}", port("ccc"), port("gobby"));
    play_with(&house, "table", "all_at_once", &[("PORTS", &ports)]);
    for number in 0..4 {
        assert!(house.model.until_result(&format!("toolu_{number}")).text.contains(r#""Which?"="B""#));
    }
}
