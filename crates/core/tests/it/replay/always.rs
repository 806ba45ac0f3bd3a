//! Properties of every random story.

use std::collections::BTreeMap;
use std::sync::Arc;

use askbridge_core::event::{Event, Lane};
use askbridge_core::limits;
use askbridge_core::session::FoundAsk;
use askbridge_core::view::AskView;
use askbridge_core::{Session, decide};
use proptest::prelude::*;

use super::chance::{TimedIntent, beginning, made_at, steps};
use super::watch::{Watch, fold};
use crate::given::{HERE, second};

fn is_settled(event: &Event) -> bool {
    matches!(event, Event::Settled(_))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn replay_and_views_agree_and_the_laws_hold_at_every_step(first in beginning(), steps in steps()) {
        let mut log: Vec<_> = first.into_iter().collect();
        let mut session = Session::replay(HERE, &log);
        let mut watch = Watch::default();
        let mut views = BTreeMap::new();
        let mut now = 0;
        for TimedIntent { wish, moves } in steps {
            now += moves;
            let at = second(now);
            let wish = made_at(wish, at);
            let before = session.clone();
            let Ok(events) = decide(&session, wish.clone(), at) else { continue };
            prop_assert_eq!(&session, &before, "deciding changes nothing");
            prop_assert!(events.len() <= limits::ENTRY_EVENTS_MAX);
            for event in &events {
                watch.see(&session, event, at)?;
                fold(&mut session, event);
                views.values_mut().for_each(|view: &mut AskView| view.apply(event));
                if let Event::Asked(ask) = event {
                    views.insert(ask.id.number, AskView::fresh(Arc::clone(ask)));
                }
            }
            for (number, view) in &views {
                match session.find(session.ask_id(*number)) {
                    Some(FoundAsk::Live(live)) => prop_assert_eq!(&AskView::of(live), view),
                    Some(FoundAsk::Over(stub)) => {
                        let moved_to = (stub.moved_to > 0).then(|| session.ask_id(stub.moved_to));
                        // A stub's ending has the name of the state.
                        prop_assert_eq!(format!("{:?}", view.state), format!("{:?}", stub.ending));
                        prop_assert_eq!(view.moved_to, moved_to);
                        // An ask that moved keeps the time at which it expired.
                        prop_assert!(view.settled_at == Some(stub.at) || moved_to.is_some());
                    }
                    None => prop_assert!(false, "ask {number} is not in the session"),
                }
            }
            log.extend(events);
            prop_assert_eq!(&session, &Session::replay(HERE, &log));
            let decisions = log.iter().filter(|event| event.lane() == Lane::Decisions).count();
            prop_assert_eq!(session.decisions, decisions as u64);
            prop_assert!(session.open().count() <= limits::OPEN_ASKS_MAX);
            let again = decide(&session, wish.clone(), at).unwrap_or_default();
            prop_assert!(!again.iter().any(is_settled), "{:?} again: {:?}", wish, again);
        }
    }
}
