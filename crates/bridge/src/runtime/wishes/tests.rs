//! An ask that a rule answers, cancelled at each point where it waits.

use std::collections::BTreeSet;
use std::pin::pin;
use std::task::Poll;

use askbridge_core::ask::{Body, Choice, Context, Question, Reach};
use askbridge_core::ids::StableNodeId;
use askbridge_core::rules::asks::{Action, AnswerBy, Answers, AskRule, Conditions, RuleFile, RuleSet, TermsOf};
use askbridge_core::terms::Rules;
use askbridge_journal::index::{AskFilter, StateFilter};
use askbridge_journal::{Sqlite, sqlite};

use super::*;
use crate::chance::Chance;
use crate::clock::Clock;
use crate::runtime::{Bridge, Options, Store};

fn wish(key: &str) -> Wish {
    let option = |label: &str| Choice { label: label.to_owned(), description: None, preview: None };
    let question = Question {
        text: "Deploy now?".to_owned(),
        header: None,
        options: vec![option("Yes"), option("No")],
        multi: false,
        secret: false,
    };
    Wish::Ask(Box::new(AskWish {
        door: "http",
        session: None,
        agent: None,
        body: Body::Questions(vec![question]),
        wishes: Wishes::default(),
        reach: Reach::Pull,
        call: None,
        made: None,
        context: Context::default(),
        key: Some(Key::from(key)),
        original: None,
    }))
}

/// Drops the request at each point where it waits: after its first poll, its second, and so on. That is what a crash
/// leaves in the journal.
#[tokio::test]
async fn however_far_it_came_an_ask_that_a_rule_answers_is_never_left_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Sqlite::open(&sqlite::Options::new(folder.path(), 7)).expect("the file can be opened");
    let rule = AskRule {
        name: "deploys".to_owned(),
        when: Conditions { asks_about: vec!["deploy".to_owned()], ..Conditions::default() },
        action: Action::Answer(Answers::All(AnswerBy::First)),
        ..AskRule::default()
    };
    let bridge = Bridge::start(Options {
        store: Store::from(store),
        stable_node: StableNodeId(7),
        clock: Clock::System,
        chance: Chance::seeded(7),
        rules: Rules::default(),
    })
    .await;
    let handle = bridge.handle.clone();
    handle.use_rules(RuleSet::new(vec![RuleFile { terms: TermsOf::Every, rules: vec![rule] }], Wishes::default()));
    let caller = Caller { party: "tok_ci".into(), role: Role::Agent, name: "ci".into(), device: "ci".into() };
    let (mut seen, entrance) = (BTreeSet::new(), Entrance::request("http"));
    for steps in 1.. {
        let key = format!("cut after {steps}");
        let done = {
            let mut asking = pin!(handle.carry_out(&caller, &entrance, wish(&key)));
            let (mut taken, mut done) = (0, false);
            std::future::poll_fn(|cx| {
                taken += 1;
                done = asking.as_mut().poll(cx).is_ready();
                if done || taken == steps { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            done
        };
        // Appends are in order: once this later ask is stored, the dropped one has arrived.
        let after = handle.carry_out(&caller, &entrance, wish(&format!("after {steps}"))).await.expect("it is asked");
        seen.extend(after.session);
        if done {
            break;
        }
        assert!(steps < 100, "it comes to an end");
    }
    let filter = AskFilter { states: StateFilter::Open, ..AskFilter::default() };
    let (open, _) = handle.look_up(move |index| index.rows_and_cursor(&filter, 10)).await.expect("the index answers");
    assert!(open.is_empty(), "{open:?} is open");
    assert!(seen.len() > 1, "it was cut at least once");
}
