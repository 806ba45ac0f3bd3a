//! A watcher that knows only the laws, not the rules: it sees each event just before it is folded.

use std::collections::BTreeMap;

use askbridge_core::answer::Outcome;
use askbridge_core::event::{Event, Parcel, Settled};
use askbridge_core::ids::Timestamp;
use askbridge_core::verdict::verdict;
use askbridge_core::{Session, evolve};
use proptest::prelude::*;

/// Counts of what happened to one ask.
#[derive(Debug, Default, Clone)]
struct Fate {
    settled: u32,
    left: u32,
    delivered: u32,
    late: u32,
    /// How many calls ran because a person overruled a denial.
    used: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Watch {
    fates: BTreeMap<u32, Fate>,
}

impl Watch {
    pub(crate) fn see(&mut self, session: &Session, event: &Event, at: Timestamp) -> Result<(), TestCaseError> {
        if let Event::Asked(ask) = event {
            prop_assert_eq!(ask.id, session.ask_id(session.asks_made + 1));
            self.fates.insert(ask.id.number, Fate::default());
            return Ok(());
        }
        let Some(ask) = event.ask() else {
            return Ok(());
        };
        prop_assert_eq!(ask.session, session.id);
        let Some(fate) = self.fates.get_mut(&ask.number) else {
            return Err(TestCaseError::fail(format!("{event:?} is about an ask that was never made")));
        };
        match event {
            Event::Settled(settled) => {
                prop_assert_eq!((fate.settled, fate.left), (0, 0), "{:?} after {:?}", event, fate);
                fate.settled += 1;
                see_settled(session, settled, at)?;
            }
            Event::Withdrawn { .. } => {
                prop_assert_eq!((fate.settled, fate.left), (0, 0), "{:?} after {:?}", event, fate);
                fate.left += 1;
            }
            Event::Overtaken { .. } => {
                prop_assert_eq!((fate.delivered, fate.left), (0, 0), "{:?} after {:?}", event, fate);
                fate.left += 1;
            }
            Event::Delivered { parcel: Parcel::Verdict(_), .. } => {
                prop_assert_eq!((fate.settled, fate.left, fate.delivered), (1, 0, 0), "{:?} after {:?}", event, fate);
                fate.delivered += 1;
            }
            Event::LateAnswered { .. } => {
                prop_assert_eq!((fate.settled, fate.left, fate.late), (1, 0, 0), "{:?} after {:?}", event, fate);
                fate.late += 1;
            }
            Event::OverruleUsed { .. } => {
                fate.used += 1;
                prop_assert_eq!((fate.used, fate.left), (1, 0), "{:?} after {:?}", event, fate);
                let overruled = session.asks[&ask.number].overruled_at();
                prop_assert!(overruled.is_some_and(|since| since <= at), "no person overruled it: {:?}", fate);
            }
            Event::Handed { .. } => prop_assert_eq!((fate.settled, fate.left, fate.delivered), (1, 0, 0)),
            Event::Stranded { .. } => prop_assert_eq!((fate.left, fate.delivered), (0, 0)),
            _ => prop_assert_eq!((fate.settled, fate.left), (0, 0), "{:?} after {:?}", event, fate),
        }
        Ok(())
    }
}

/// The settled ask was still open, its verdict matches the outcome, and enough people agreed.
fn see_settled(session: &Session, settled: &Settled, at: Timestamp) -> Result<(), TestCaseError> {
    let live = &session.asks[&settled.ask.number];
    prop_assert!(live.is_open());
    let waited = live.deadline.unwrap_or(at).since(live.ask.at);
    prop_assert_eq!(&settled.verdict, &verdict(&live.ask, &settled.outcome, waited));
    match &settled.outcome {
        Outcome::Answered { answer, .. } if live.ask.terms.quorum > 1 => {
            let agree = live.votes.iter().filter(|(_, vote)| vote == answer).count();
            prop_assert!(agree >= usize::from(live.ask.terms.quorum), "{:?}", live.votes);
        }
        Outcome::Expired => prop_assert!(live.deadline.is_some_and(|deadline| deadline <= at)),
        _ => {}
    }
    Ok(())
}

/// Folds one event, and checks that content changes nothing.
pub(crate) fn fold(session: &mut Session, event: &Event) {
    evolve(session, event);
    let before = session.clone();
    evolve(session, &Event::Text { block: 0, text: "chat".into() });
    assert_eq!(*session, before, "chat never enters a session");
}
