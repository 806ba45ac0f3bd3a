//! A screen with room for one question: shows the oldest open ask, then the next when that one is over.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use askbridge_core::answer::Outcome;
use askbridge_core::ask::Ask;
use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, Timestamp};

/// Ended asks that one screen remembers, because they may still be answered late. Beyond: the oldest is forgotten.
const OVER_MAX: usize = 64;

/// The state of one screen for one session.
#[derive(Debug, Default)]
pub struct Slot {
    open: BTreeMap<AskId, Open>,
    shown: Option<AskId>,
    over: VecDeque<Arc<Ask>>,
    /// The ask that this screen itself has answered, so that it need not be told about it.
    said_here: Option<AskId>,
}

#[derive(Debug)]
struct Open {
    ask: Arc<Ask>,
    deadline: Option<Timestamp>,
}

/// How an ask ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    Answered { by: String },
    Dismissed { by: String },
    Expired,
    Ruled { rule: String },
    Withdrawn { why: String },
    Overtaken { mouth: String },
}

impl Ending {
    /// Returns which ask an event ends, and how, if it ends one.
    pub fn of(event: &Event) -> Option<(AskId, Self)> {
        match event {
            Event::Settled(settled) => {
                let ending = match &settled.outcome {
                    Outcome::Answered { by, .. } => Self::Answered { by: by.person.to_string() },
                    Outcome::Dismissed { by, .. } => Self::Dismissed { by: by.person.to_string() },
                    Outcome::Expired => Self::Expired,
                    Outcome::Ruled { rule, .. } | Outcome::RuledOut { rule, .. } => Self::Ruled { rule: rule.clone() },
                };
                Some((settled.ask, ending))
            }
            Event::Withdrawn { ask, why, .. } => Some((*ask, Self::Withdrawn { why: why.clone() })),
            Event::Overtaken { ask, mouth, ran: None, .. } => Some((*ask, Self::Overtaken { mouth: mouth.clone() })),
            Event::Overtaken { ask, mouth, ran: Some(_), .. } => {
                Some((*ask, Self::Overtaken { mouth: format!("{mouth}; what ran is not what was allowed") }))
            }
            _ => None,
        }
    }

    /// The sentence for a person whose card closes.
    pub fn in_words(&self) -> String {
        match self {
            Self::Answered { by } => format!("Answered elsewhere by {by}"),
            Self::Dismissed { by } => format!("Closed elsewhere by {by}"),
            Self::Expired => "Nobody answered in time".to_owned(),
            Self::Ruled { rule } => format!("Decided by the rule “{rule}”"),
            Self::Withdrawn { why } => format!("No longer asked: {why}"),
            Self::Overtaken { mouth } => format!("Answered in {mouth}"),
        }
    }
}

/// An ask that left the slot.
#[derive(Debug, PartialEq)]
pub struct Left {
    pub ask: Arc<Ask>,
    pub was_shown: bool,
    /// This screen answered it.
    pub said_here: bool,
}

impl Slot {
    pub fn asked(&mut self, ask: &Arc<Ask>) {
        self.open.insert(ask.id, Open { ask: Arc::clone(ask), deadline: ask.terms.deadline });
    }

    pub fn extended(&mut self, ask: AskId, deadline: Option<Timestamp>) {
        if let Some(open) = self.open.get_mut(&ask) {
            open.deadline = deadline;
        }
    }

    /// Takes an ask out of the slot. `None`: it was not open here.
    pub fn over(&mut self, ask: AskId) -> Option<Left> {
        let Open { ask, .. } = self.open.remove(&ask)?;
        let was_shown = self.shown == Some(ask.id);
        let said_here = self.said_here == Some(ask.id);
        if was_shown {
            self.shown = None;
        }
        if said_here {
            self.said_here = None;
        }
        self.over.push_back(Arc::clone(&ask));
        if self.over.len() > OVER_MAX {
            self.over.pop_front();
        }
        Some(Left { ask, was_shown, said_here })
    }

    /// Puts the oldest open ask into the slot if it is empty. Returns that ask, which has to be drawn now.
    pub fn show_next(&mut self) -> Option<Arc<Ask>> {
        if self.shown.is_some() {
            return None;
        }
        let (id, open) = self.open.iter().next()?;
        self.shown = Some(*id);
        Some(Arc::clone(&open.ask))
    }

    pub fn shown(&self) -> Option<&Arc<Ask>> {
        self.shown.and_then(|id| self.open.get(&id)).map(|open| &open.ask)
    }

    /// This screen answers an ask.
    pub fn say(&mut self, ask: AskId) {
        self.said_here = Some(ask);
    }

    /// This screen's answer was refused. Returns the ask if it is still open, to be shown again.
    pub fn refused(&mut self, ask: AskId) -> Option<Arc<Ask>> {
        if self.said_here == Some(ask) {
            self.said_here = None;
        }
        self.open.get(&ask).map(|open| Arc::clone(&open.ask))
    }

    /// Finds an ask by the client's own id for it: an open one, or one that may still be answered late.
    pub fn find(&self, is_it: impl Fn(&Ask) -> bool) -> Option<Arc<Ask>> {
        let open = self.open.values().map(|open| &open.ask);
        open.chain(self.over.iter().rev()).find(|ask| is_it(ask)).cloned()
    }

    pub fn is_open(&self, ask: AskId) -> bool {
        self.open.contains_key(&ask)
    }

    /// Returns how many seconds are left to answer an ask, at least one. `None`: it has no deadline.
    pub fn seconds_left(&self, ask: AskId, now: Timestamp) -> Option<u64> {
        let deadline = self.open.get(&ask)?.deadline?;
        Some(deadline.since(now).as_secs_f64().ceil().max(1.0) as u64)
    }
}
