//! What a door asks the advisers before, while and after its agent acts, and what they say.
//!
//! Both doors of Claude Code ask here: the machine of an agent that we run by a query, the hooks of a terminal directly.
//! A [`Consultation`] says what happens, in no agent's words; [`Consulted`] says what becomes of it. The advisers are in
//! the bridge.

use askbridge_core::answer::RulePlace;
use askbridge_core::ask::Body;
use askbridge_core::event::{CallRuled, ToolRuling};
use askbridge_core::ids::{Raw, SessionId};
use askbridge_core::limits::{ADVISED_CONTEXT_BYTES_MAX, LAST_WORDS_BYTES_MAX};
use askbridge_core::verdict;

use crate::tools::ToolCall;

/// Something that happens in an agent's session, for the advisers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consultation {
    /// The agent's own name of this moment: the same if it is heard again after a restart, so that an adviser that keeps
    /// a state can tell. `None`: it has none.
    pub id: Option<String>,
    /// May not exist yet: an agent in a terminal gets its session when it first asks.
    pub session: SessionId,
    pub door: &'static str,
    /// `None`: as the session says.
    pub agent: Option<String>,
    pub title: Option<String>,
    pub folder: Option<String>,
    /// The folder is on this machine. If not, it only names itself: nothing in it is read.
    pub is_here: bool,
    pub branch: Option<String>,
    /// The agent's permission mode.
    pub mode: Option<String>,
    /// It happens in a subagent, beside the turn that the person sees.
    pub in_subagent: bool,
    /// Parts of the call's input were too long, and are left out.
    pub is_cut: bool,
    pub what: Occurrence,
}

/// What happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occurrence {
    /// A conversation begins or goes on.
    SessionBegan {
        /// Why, in the agent's words: `startup`, `resume`, `clear`, `compact`.
        source: String,
    },
    /// A person's prompt goes to the model.
    Prompted {
        text: String,
    },
    /// A tool is about to be called. The agent's own mode and rules come after this.
    Calling(ToolCall),
    /// A call has run.
    Called {
        call: ToolCall,
        /// What the tool returned. `None`: it was not reported, or was too long.
        response: Option<Raw>,
        failed: bool,
    },
    TurnEnded {
        /// The agent goes on because it was told to at an earlier end of this turn.
        again: bool,
        /// What it said last, as far as [`LAST_WORDS_BYTES_MAX`] goes. `None`: it
        /// was not reported.
        last_message: Option<String>,
    },
    /// The agent is about to shorten its conversation.
    Compacting {
        /// Who wanted that, in the agent's words: `manual`, `auto`.
        trigger: String,
    },
    /// The agent itself denied a call without asking a person.
    Denied {
        call: ToolCall,
        reason: String,
    },
    SessionEnded {
        why: String,
    },
}

/// A kind of occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OccurrenceKind {
    SessionBegan,
    Prompted,
    Calling,
    Called,
    TurnEnded,
    Compacting,
    Denied,
    SessionEnded,
}

/// Kinds of occurrences: those that some adviser looks at. An agent reports no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OccurrenceKinds(u16);

/// What the advisers say about an occurrence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Consulted {
    /// What becomes of it. `None`: no opinion, and everything goes on as without advisers.
    pub ruling: Option<Advice>,
    /// Before a call: the input that it is to run with instead.
    pub input: Option<Raw>,
    /// What the model reads beside it.
    pub context: Vec<String>,
    /// A person was asked about this very call before, and this is what was asked. The call belongs to that ask.
    pub asked: Option<Box<Body>>,
}

/// What a rule decides about an occurrence.
///
/// About a call: it may run, may not, or a person decides. `Deny` also keeps a prompt from the model, makes an agent go
/// on at the end of its turn, or keeps it from compacting. `Allow` after [`Occurrence::Denied`] lets the agent try again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    pub rule: String,
    /// `None`: the rule is in no file.
    pub place: Option<RulePlace>,
    pub ruling: ToolRuling,
    /// What the agent reads about a denial. Empty otherwise.
    pub words: String,
}

impl Occurrence {
    pub fn kind(&self) -> OccurrenceKind {
        match self {
            Self::SessionBegan { .. } => OccurrenceKind::SessionBegan,
            Self::Prompted { .. } => OccurrenceKind::Prompted,
            Self::Calling(_) => OccurrenceKind::Calling,
            Self::Called { .. } => OccurrenceKind::Called,
            Self::TurnEnded { .. } => OccurrenceKind::TurnEnded,
            Self::Compacting { .. } => OccurrenceKind::Compacting,
            Self::Denied { .. } => OccurrenceKind::Denied,
            Self::SessionEnded { .. } => OccurrenceKind::SessionEnded,
        }
    }

    /// The call that it is about.
    pub fn call(&self) -> Option<&ToolCall> {
        match self {
            Self::Calling(call) | Self::Called { call, .. } | Self::Denied { call, .. } => Some(call),
            _ => None,
        }
    }
}

/// The beginning of what an agent said last.
pub(crate) fn last_words(text: &str) -> String {
    text[..text.floor_char_boundary(LAST_WORDS_BYTES_MAX)].to_owned()
}

impl OccurrenceKinds {
    pub const NONE: Self = Self(0);

    pub const ALL: [OccurrenceKind; 8] = [
        OccurrenceKind::SessionBegan,
        OccurrenceKind::Prompted,
        OccurrenceKind::Calling,
        OccurrenceKind::Called,
        OccurrenceKind::TurnEnded,
        OccurrenceKind::Compacting,
        OccurrenceKind::Denied,
        OccurrenceKind::SessionEnded,
    ];

    pub fn has(self, kind: OccurrenceKind) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    #[must_use]
    pub fn with(self, kind: OccurrenceKind) -> Self {
        Self(self.0 | Self::bit(kind))
    }

    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Are all of the others among these?
    pub fn cover(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// As a number, for a file beside the agent's process.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// Reads a number. Bits of a newer release are dropped.
    pub fn of_bits(bits: u16) -> Self {
        let known = Self::ALL.into_iter().fold(Self::NONE, Self::with);
        Self(bits & known.0)
    }

    fn bit(kind: OccurrenceKind) -> u16 {
        1 << kind as u16
    }
}

impl FromIterator<OccurrenceKind> for OccurrenceKinds {
    fn from_iter<I: IntoIterator<Item = OccurrenceKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, Self::with)
    }
}

impl Consulted {
    pub fn has_no_opinion(&self) -> bool {
        *self == Self::default()
    }

    pub fn ruling(&self) -> Option<ToolRuling> {
        self.ruling.as_ref().map(|advice| advice.ruling)
    }

    pub fn is_denied(&self) -> bool {
        self.ruling() == Some(ToolRuling::Deny)
    }

    /// What the model reads beside the occurrence, as one text.
    pub fn beside(&self) -> Option<String> {
        let mut words = (!self.context.is_empty()).then(|| self.context.join("\n\n"))?;
        words.truncate(words.floor_char_boundary(ADVISED_CONTEXT_BYTES_MAX));
        Some(words)
    }

    /// Adds what the next adviser says: a denial comes before a person, and a person before a permission. Of two that
    /// rule alike, the first counts.
    pub fn take(&mut self, next: Self) {
        let rank = |advice: &Option<Advice>| advice.as_ref().map_or(u8::MAX, |advice| strictness(advice.ruling));
        if rank(&next.ruling) < rank(&self.ruling) {
            self.ruling = next.ruling;
        }
        self.input = next.input.or(self.input.take());
        self.context.extend(next.context);
        self.asked = self.asked.take().or(next.asked);
    }
}

/// From strict to lenient.
fn strictness(ruling: ToolRuling) -> u8 {
    match ruling {
        ToolRuling::Deny => 0,
        ToolRuling::Ask => 1,
        ToolRuling::Allow => 2,
    }
}

impl Advice {
    /// What the agent is told of a denial: the rule, that no person was asked, and the rule's own words.
    pub fn said(&self) -> String {
        verdict::denied_by_rule(&self.rule, &self.words)
    }

    /// As it is recorded beside the call.
    pub fn recorded(&self) -> CallRuled {
        CallRuled { rule: self.rule.clone(), place: self.place.clone(), ruling: self.ruling }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(ruling: ToolRuling, rule: &str) -> Consulted {
        let advice = Advice { rule: rule.to_owned(), place: None, ruling, words: String::new() };
        Consulted { ruling: Some(advice), ..Consulted::default() }
    }

    #[test]
    fn of_several_advisers_the_strictest_rules_and_of_equals_the_first() {
        let all = [ToolRuling::Allow, ToolRuling::Ask, ToolRuling::Deny];
        for (first, one) in all.into_iter().enumerate() {
            for (second, other) in all.into_iter().enumerate() {
                let mut said = advice(one, "first");
                said.take(advice(other, "second"));
                let stricter = if second > first { (other, "second") } else { (one, "first") };
                let ruling = said.ruling.expect("both rule");
                assert_eq!((ruling.ruling, ruling.rule.as_str()), stricter);
            }
        }
    }

    #[test]
    fn who_has_no_opinion_changes_nothing_and_texts_are_gathered() {
        let mut said = advice(ToolRuling::Ask, "first");
        said.take(Consulted::default());
        assert_eq!(said, advice(ToolRuling::Ask, "first"));
        let says = |text: &str| Consulted { context: vec![text.to_owned()], ..Consulted::default() };
        said.take(says("one"));
        said.take(says("two"));
        assert_eq!(said.beside().as_deref(), Some("one\n\ntwo"));
        let rewritten = Consulted { input: Some(Raw::from("{}")), ..Consulted::default() };
        said.take(rewritten);
        said.take(Consulted::default());
        assert_eq!(said.input, Some(Raw::from("{}")));
    }

    #[test]
    fn kinds_survive_as_a_number_and_unknown_bits_are_dropped() {
        let kinds: OccurrenceKinds = [OccurrenceKind::Calling, OccurrenceKind::SessionEnded].into_iter().collect();
        assert_eq!(OccurrenceKinds::of_bits(kinds.bits()), kinds);
        assert_eq!(OccurrenceKinds::of_bits(0x8000), OccurrenceKinds::NONE);
        assert!(kinds.has(OccurrenceKind::Calling) && !kinds.has(OccurrenceKind::Called));
        assert!(kinds.cover(OccurrenceKinds::NONE) && !OccurrenceKinds::NONE.cover(kinds));
        assert!(!kinds.is_empty() && kinds.cover(kinds));
    }
}
