//! Every intent at every stage of an ask, in one table. The stories in the other files say why; the table shows that no
//! combination is missing.

use askbridge_core::event::Event;
use askbridge_core::intent::{Due, Intent};
use askbridge_core::refusal::Refusal;

use crate::asks::{On, q};
use crate::facts::{answered, asked, delivered, expired, overtaken, parked, proposed, ruled, stranded, withdrawn};
use crate::given::{Given, given};
use crate::people::{ann, bob, no, yes};
use crate::wishes::{
    abandon, answer, correct, deliver, dismiss, extend, hand, overtake, park, rule, strand, tick, undo, use_overrule,
    vote, withdraw,
};

/// It is second 50: before the deadline of 100, within the undo time that ends at 60, after the warm time of 10.
fn stages() -> [(&'static str, Given); 10] {
    let ask = q(1).until(100).undo(20).resumable(10);
    let proposed = || proposed(1, yes(), ann(), 60);
    let settled = || answered(&ask, yes(), ann(), 40);
    let story = |events: &[Event]| given([asked(&ask)].into_iter().chain(events.iter().cloned())).at(50);
    [
        ("open", story(&[])),
        ("parked", story(&[parked(1)])),
        ("stranded", story(&[stranded(1)])),
        ("proposed", story(&[proposed()])),
        ("answered", story(&[settled()])),
        ("told", story(&[settled(), delivered(1, 41)])),
        ("expired", story(&[expired(&ask, 40), delivered(1, 41)])),
        ("ruled", story(&[ruled(&ask, "r", no(), 40), delivered(1, 41)])),
        ("withdrawn", story(&[withdrawn(1, "x", 40)])),
        ("overtaken", story(&[overtaken(1, 40)])),
    ]
}

fn wishes() -> [(&'static str, Intent); 21] {
    [
        ("ann answers yes", answer(1, yes(), ann())),
        ("ann answers no", answer(1, no(), ann())),
        ("bob answers yes", answer(1, yes(), bob())),
        ("ann votes yes", vote(1, yes(), ann())),
        ("ann undoes", undo(1, ann())),
        ("bob undoes", undo(1, bob())),
        ("ann dismisses", dismiss(1, None, ann())),
        ("ann extends", extend(1, 60, ann())),
        ("a rule decides", rule(1, "r", no())),
        ("ann corrects", correct(1, yes(), ann())),
        ("denied call again", use_overrule(1, "c")),
        ("agent withdraws", withdraw(1, "x")),
        ("agent leaves", abandon(1, "x")),
        ("agent overheard", overtake(1)),
        ("park", park(1)),
        ("strand", strand(1)),
        ("hand", hand(1)),
        ("deliver", deliver(1)),
        ("tick expire", tick(1, Due::Expire)),
        ("tick commit", tick(1, Due::Commit)),
        ("tick warm", tick(1, Due::WarmOver)),
    ]
}

/// The names of the events, a dash for none, or the code of the refusal.
fn in_short(decided: Result<Vec<Event>, Refusal>) -> String {
    match decided {
        Err(refusal) => refusal.code().to_owned(),
        Ok(events) if events.is_empty() => "-".to_owned(),
        Ok(events) => {
            let name = |event: &Event| {
                let shown = format!("{event:?}");
                shown.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
            };
            events.iter().map(name).collect::<Vec<_>>().join("+")
        }
    }
}

#[test]
fn every_wish_at_every_stage() {
    let line = |wish: &str, cells: [String; 10]| {
        let cells = cells.map(|cell| format!("{cell:<18}")).concat();
        format!("{wish:<18}{}\n", cells.trim_end())
    };
    let head = line("", stages().map(|(stage, _)| stage.to_owned()));
    let rows = wishes()
        .map(|(wish, intent)| line(wish, stages().map(|(_, story)| in_short(story.when(intent.clone()).decided()))));
    let table = head + &rows.concat();
    assert!(table.lines().eq(include_str!("every_stage.txt").lines()), "\n{table}");
}
