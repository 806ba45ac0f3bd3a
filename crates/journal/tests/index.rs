//! The index agrees with a replay of the journal.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use askbridge_core::answer::Outcome;
use askbridge_core::event::{Audience, Event, Parcel, Settings};
use askbridge_core::ids::{AskId, PersonId, SessionId, Timestamp};
use askbridge_core::intent::Due;
use askbridge_core::session::{Ending, FoundAsk};
use askbridge_core::view::AskView;
use askbridge_core::{Session, evolve};
use askbridge_journal::index::{AskFilter, AskWithEvents, Order, SessionFilter, SessionState, State, StateFilter};
use askbridge_journal::{Index, Journal, Memory};
use proptest::prelude::*;

use given::{Talk, mira, only, started, yes};

fn numbers(asks: &[AskWithEvents]) -> Vec<u32> {
    asks.iter().map(|known| known.row.id.number).collect()
}

fn listed(index: &Index, states: StateFilter) -> Vec<u32> {
    numbers(&index.asks(&AskFilter { states, ..AskFilter::default() }, None, 100).unwrap())
}

#[tokio::test]
async fn an_ask_is_known_with_its_whole_life() {
    let journal = Memory::new(1).unwrap();
    let index = journal.index();
    let mut talk = Talk::new(&journal, 7);
    talk.append(vec![started(Audience::Everyone)]).await;
    talk.append(vec![talk.asked(1, "Deploy now?\nReally?")]).await;
    let known = index.ask(talk.id(1)).unwrap().unwrap();
    assert_eq!((known.row.state, known.row.headline.as_str(), &known.ended), (State::Open, "Deploy now?", &None));
    assert_eq!(known.ask.id, talk.id(1));

    let proposed = Event::Proposed { ask: talk.id(1), answer: yes(), by: mira(), until: Timestamp(9_000) };
    talk.append(vec![proposed.clone()]).await;
    let known = index.ask(talk.id(1)).unwrap().unwrap();
    assert_eq!((known.row.state, known.ended), (State::Proposed, Some(proposed)));
    assert_eq!(index.due(Timestamp(9_000), 10).unwrap(), [(talk.id(1), Timestamp(9_000), Due::Commit)]);

    talk.append(vec![Event::Undone { ask: talk.id(1), by: mira() }]).await;
    let known = index.ask(talk.id(1)).unwrap().unwrap();
    assert_eq!((known.row.state, known.row.wakes, known.ended), (State::Open, None, None));

    talk.append(vec![talk.settled(1, Outcome::Expired), talk.delivered(1)]).await;
    assert_eq!(listed(&index, StateFilter::Late), [1]);
    let late = Event::LateAnswered { ask: talk.id(1), answer: yes(), by: mira(), at: Timestamp(4_000) };
    talk.append(vec![late.clone()]).await;
    let known = index.ask(talk.id(1)).unwrap().unwrap();
    assert_eq!((known.row.state, known.row.delivered_at), (State::Expired, Some(Timestamp(3_000))));
    assert_eq!((known.ended, known.late), (Some(talk.settled(1, Outcome::Expired)), Some(late)));
    assert_eq!(listed(&index, StateFilter::Late), [] as [u32; 0]);
    assert_eq!(listed(&index, StateFilter::Over), [1]);
    assert_eq!(index.ask(talk.id(2)).unwrap(), None);
}

#[tokio::test]
async fn what_happens_next_is_found_in_order() {
    let journal = Memory::new(1).unwrap();
    let index = journal.index();
    assert_eq!(index.next_due().unwrap(), None);
    let mut talk = Talk::new(&journal, 7);
    talk.append(vec![talk.asked_until(1, 5_000), talk.asked_until(2, 4_000), talk.asked(3, "No hurry")]).await;
    assert_eq!(index.next_due().unwrap(), Some(Timestamp(4_000)));
    let due: Vec<_> = index.due(Timestamp(9_000), 10).unwrap().into_iter().map(|(ask, ..)| ask.number).collect();
    assert_eq!(due, [2, 1]);
    talk.append(vec![Event::Extended { ask: talk.id(2), deadline: None, by: mira() }, talk.answered(1)]).await;
    assert_eq!(index.next_due().unwrap(), None);
    assert_eq!(index.due(Timestamp(i64::MAX), 10).unwrap(), []);
}

#[tokio::test]
async fn the_same_question_again_moves_the_card() {
    let journal = Memory::new(1).unwrap();
    let index = journal.index();
    let mut talk = Talk::new(&journal, 7);
    talk.append(vec![talk.asked(1, "Again?")]).await;
    talk.append(vec![talk.settled(1, Outcome::Expired)]).await;
    let again = given::ask(talk.id(2), "Again?", None);
    talk.append(vec![Event::Asked(askbridge_core::ask::Ask { instead_of: Some(talk.id(1)), ..again }.into())]).await;
    assert_eq!(index.ask(talk.id(1)).unwrap().unwrap().row.moved_to, Some(2));
    assert_eq!(listed(&index, StateFilter::Late), [] as [u32; 0]);
    assert_eq!(listed(&index, StateFilter::Open), [2]);
}

#[tokio::test]
async fn lists_come_in_pages_and_in_both_orders() {
    let journal = Memory::new(1).unwrap();
    let index = journal.index();
    let mut talk = Talk::new(&journal, 7);
    for number in (1..=30).step_by(3) {
        talk.append((number..number + 3).map(|number| talk.asked(number, "?")).collect()).await;
    }
    for (order, expected) in [
        (Order::LongestWaitingFirst, (1..=30).collect::<Vec<_>>()),
        (Order::NewestFirst, (1..=30).rev().collect::<Vec<_>>()),
    ] {
        let filter = AskFilter { order, ..AskFilter::default() };
        let mut after = None;
        let mut found = Vec::new();
        loop {
            let page = index.asks(&filter, after, 7).unwrap();
            let Some(last) = page.last() else { break };
            after = Some(last.row.page_key().to_string().parse().unwrap());
            found.extend(numbers(&page));
        }
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn a_list_says_how_much_of_the_journal_it_knows() {
    let journal = Memory::new(1).unwrap();
    let index = journal.index();
    let mut talk = Talk::new(&journal, 7);
    assert_eq!(index.rows_and_cursor(&AskFilter::default(), 10).unwrap(), (vec![], journal.start()));
    talk.append(vec![talk.asked(1, "?")]).await;
    let (asks, cursor) = index.rows_and_cursor(&AskFilter::default(), 10).unwrap();
    assert_eq!((asks.len(), asks[0].id.number, cursor), (1, 1, journal.now()));
    journal.forget(&[talk.session], Timestamp(9), "mira").await.unwrap();
    // A reader that found it before does not get a damaged index as error.
    let forgotten = index.read(&asks, |known| panic!("{known:?} is gone"));
    assert!(forgotten.is_ok(), "{forgotten:?}");
    assert_eq!(index.rows_and_cursor(&AskFilter::default(), 10).unwrap(), (vec![], journal.now()));
}

#[tokio::test]
async fn what_was_found_is_read_as_it_was_then_and_only_as_far_as_it_is_wanted() {
    let journal = Memory::new(1).unwrap();
    let index = journal.index();
    let mut talk = Talk::new(&journal, 7);
    for number in 1..=3 {
        talk.append(vec![talk.asked(number, "?")]).await;
    }
    let order = Order::LongestWaitingFirst;
    let rows = index.rows(&AskFilter { order, ..AskFilter::default() }, None, 10).unwrap();
    talk.append(vec![Event::Withdrawn { ask: rows[0].id, why: "never mind".to_owned(), at: Timestamp(9) }]).await;
    let mut read = Vec::new();
    let enough = |known: AskWithEvents| {
        read.push((known.row.id.number, known.ended));
        if read.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    index.read(&rows, enough).unwrap();
    assert_eq!(read, [(1, None), (2, None)]);
}

#[tokio::test]
async fn people_see_what_is_addressed_to_them() {
    let journal = Memory::new(1).unwrap();
    let index = journal.index();
    for (number, audience) in [(1, Audience::Everyone), (2, only("mira")), (3, only("jo"))] {
        let mut talk = Talk::new(&journal, number);
        talk.append(vec![started(audience), talk.asked(number as u32, "100% of \"it\"?")]).await;
    }
    let of = |person: &str| AskFilter { person: Some(PersonId::from(person)), ..AskFilter::default() };
    assert_eq!(numbers(&index.asks(&of("mira"), None, 10).unwrap()), [2, 1]);
    assert_eq!(numbers(&index.asks(&of("nobody"), None, 10).unwrap()), [1]);
    let search = |words: &str| AskFilter { search: Some(words.into()), ..of("jo") };
    assert_eq!(numbers(&index.asks(&search("100% OF"), None, 10).unwrap()), [3, 1]);
    assert_eq!(numbers(&index.asks(&search("1__%"), None, 10).unwrap()), [] as [u32; 0]);
    let sessions = |person: &str| {
        let filter = SessionFilter { person: Some(PersonId::from(person)), ..SessionFilter::default() };
        index.sessions(&filter, None, 10).unwrap().into_iter().map(|row| row.id.0).collect::<Vec<_>>()
    };
    assert_eq!(sessions("jo"), [3, 1]);
    assert_eq!(index.counts().unwrap().open, 3);
}

#[tokio::test]
async fn a_session_is_known_with_its_asks() {
    let journal = Memory::new(1).unwrap();
    let index = journal.index();
    let mut talk = Talk::new(&journal, 7);
    talk.append(vec![started(only("mira")), talk.asked(1, "?"), talk.asked(2, "?")]).await;
    talk.append(vec![talk.answered(1)]).await;
    let branch = Settings { branch: Some("main".into()), ..Settings::default() };
    talk.append(vec![Event::Configured(Box::new(branch))]).await;
    let row = index.session(talk.session).unwrap().unwrap();
    assert_eq!((row.open_asks, row.last_at, row.state), (1, Timestamp(2_000), SessionState::Running));
    assert_eq!((row.title.as_deref(), row.branch.as_deref()), (Some("Release"), Some("main")));
    assert_eq!(row.audience, Some(vec![PersonId::from("mira")]));
    let by_door = |door: &'static str| {
        let filter = SessionFilter { state: Some(SessionState::Running), door: Some(door), ..SessionFilter::default() };
        index.sessions(&filter, None, 10).unwrap().len()
    };
    assert_eq!((by_door("http"), by_door("another")), (1, 0));
    talk.append(vec![Event::Closed { why: "done".into(), at: Timestamp(4_000) }]).await;
    assert_eq!(by_door("http"), 0);
    let running = SessionFilter { state: Some(SessionState::Running), ..SessionFilter::default() };
    assert_eq!(index.sessions(&running, None, 10).unwrap(), []);
    journal.forget(&[talk.session], Timestamp(9), "mira").await.unwrap();
    assert_eq!(index.session(talk.session).unwrap(), None);
    assert_eq!(index.counts().unwrap(), Default::default());
}

/// A journal without appends.
static NOWHERE: LazyLock<Memory> = LazyLock::new(|| Memory::new(1).unwrap());

/// Events about the first few asks of one session, in any order, sensible or not.
fn life() -> impl Strategy<Value = Event> {
    let id = (1..4_u32).prop_map(|number| AskId { session: SessionId(7), number });
    (0..13, id, prop::option::of(3_000..5_000_i64), 1..4_u32).prop_map(|(what, ask, deadline, other)| {
        let talk = Talk::new(&*NOWHERE, 7);
        let (at, by) = (Timestamp(2_500), mira());
        match what {
            0 | 1 => Event::Asked(given::ask(ask, "?", deadline.map(Timestamp)).into()),
            2 => {
                let instead_of = (other != ask.number).then(|| talk.id(other));
                Event::Asked(askbridge_core::ask::Ask { instead_of, ..given::ask(ask, "?", None) }.into())
            }
            3 => Event::Proposed { ask, answer: yes(), by, until: Timestamp(deadline.unwrap_or(1)) },
            4 => Event::Undone { ask, by },
            5 => Event::Extended { ask, deadline: deadline.map(Timestamp), by },
            6 => talk.answered(ask.number),
            7 => talk.settled(ask.number, Outcome::Expired),
            8 => Event::Withdrawn { ask, why: "w".into(), at },
            9 => Event::Overtaken { ask, mouth: "m".into(), ran: None, at },
            10 => Event::Parked { ask },
            11 => Event::Stranded { ask },
            _ => Event::Delivered { parcel: Parcel::Verdict(ask), proof: "p".into(), at },
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_index_agrees_with_a_replay(events in prop::collection::vec(life(), 1..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let journal = Memory::new(1).unwrap();
        let mut talk = Talk::new(&journal, 7);
        let mut session = Session::new(talk.session);
        let mut views = BTreeMap::new();
        for event in events {
            if !can_happen(&session, &event) {
                continue;
            }
            for (number, view) in &mut views {
                if let Some(FoundAsk::Live(_)) = session.find(talk.id(*number)) {
                    AskView::apply(view, &event);
                }
            }
            if let Event::Asked(ask) = &event {
                views.insert(ask.id.number, AskView::fresh(Arc::clone(ask)));
            }
            evolve(&mut session, &event);
            runtime.block_on(talk.append(vec![event]));
            for number in 1..4 {
                let known = journal.index().ask(talk.id(number)).unwrap();
                match session.find(talk.id(number)) {
                    None => prop_assert!(known.is_none()),
                    Some(FoundAsk::Live(live)) => {
                        prop_assert_eq!(known.as_ref().unwrap().view(), AskView::of(live));
                        let row = known.unwrap().row;
                        prop_assert_eq!(row.wakes, live.due());
                        prop_assert_eq!(row.deadline, live.deadline);
                        prop_assert_eq!((row.parked, row.stranded), (live.parked, live.stranded));
                        prop_assert_eq!(row.delivered_at, live.delivered_at);
                        prop_assert_eq!(matches!(row.state, State::Open | State::Proposed), live.is_open());
                        prop_assert_eq!(ending(row.state), live.ending());
                    }
                    Some(FoundAsk::Over(stub)) => {
                        // The rules let only expired asks move; these may have been open.
                        if stub.moved_to == 0 {
                            prop_assert_eq!(&known.as_ref().unwrap().view(), &views[&number]);
                        }
                        let row = known.unwrap().row;
                        prop_assert_eq!(row.wakes, None);
                        prop_assert_eq!(ending(row.state), Some(stub.ending));
                        prop_assert_eq!(row.moved_to.unwrap_or(0), stub.moved_to);
                    }
                }
            }
        }
    }
}

/// Numbers are never reused; an ask is settled once, has no verdict to deliver before, and nothing is proposed or
/// undone after. All other nonsense is ignored by both sides alike.
fn can_happen(session: &Session, event: &Event) -> bool {
    let is_settled = |ask| matches!(session.find(ask), Some(FoundAsk::Live(live)) if !live.is_open());
    match event {
        Event::Asked(ask) => session.find(ask.id).is_none(),
        Event::Settled(settled) => !is_settled(settled.ask),
        Event::Proposed { ask, .. } | Event::Undone { ask, .. } => !is_settled(*ask),
        Event::Delivered { parcel: Parcel::Verdict(ask), .. } => {
            !matches!(session.find(*ask), Some(FoundAsk::Live(live)) if live.is_open())
        }
        _ => true,
    }
}

fn ending(state: State) -> Option<Ending> {
    match state {
        State::Open | State::Proposed => None,
        State::Answered => Some(Ending::Answered),
        State::Dismissed => Some(Ending::Dismissed),
        State::Expired => Some(Ending::Expired),
        State::Ruled => Some(Ending::Ruled),
        State::Withdrawn => Some(Ending::Withdrawn),
        State::Overtaken => Some(Ending::Overtaken),
    }
}
