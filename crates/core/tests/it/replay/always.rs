//! Properties of every random story.

use askbridge_core::event::{Event, Lane};
use askbridge_core::limits;
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
    fn replay_agrees_and_the_laws_hold_at_every_step(first in beginning(), steps in steps()) {
        let mut log: Vec<_> = first.into_iter().collect();
        let mut session = Session::replay(HERE, &log);
        let mut watch = Watch::default();
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
