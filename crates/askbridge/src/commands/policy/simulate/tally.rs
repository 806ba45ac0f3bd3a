//! Counts what rules would have decided, and how that compares with what people decided.

use std::collections::{BTreeMap, HashMap};
use std::ptr;

use askbridge_core::ask::Body;
use askbridge_core::rules::asks::{Action, AskRule, RuleSet, Ruled, rule_ask};
use askbridge_policy::{ExampleAsk, Outcome};

use super::people::{Said, of_rule};

/// Differing asks that are listed. Beyond: they are counted.
pub(super) const DIFFERING_MAX: usize = 1000;
/// Kinds and tools that are counted apart among the asks that no rule matches. Beyond: they count as `others`.
const UNMATCHED_MAX: usize = 200;

/// One item of a page.
pub(super) enum Told {
    Ask {
        id: String,
        facts: Box<ExampleAsk>,
        /// What a person decided, if one did.
        said: Option<Said>,
    },
    /// The list has shortened it, so a rule cannot be compared with all of it.
    TooLong,
    /// A tap, or an ask that went on elsewhere.
    NotOurs,
}

/// What one rule would have done.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct OfRule {
    /// Decided without a person.
    pub(super) decides: u64,
    /// Of those: a person had decided the same, or otherwise, or no person had.
    pub(super) same: u64,
    pub(super) different: u64,
    pub(super) no_person: u64,
    /// Sent to a person.
    pub(super) asks: u64,
}

/// An ask about which a rule and a person disagree.
#[derive(Debug, Clone)]
pub(super) struct Differing<'r> {
    pub(super) ask: String,
    pub(super) rule: &'r AskRule,
    pub(super) headline: String,
    /// `allow`, `deny`, or the label.
    pub(super) rule_says: String,
    pub(super) person_said: String,
}

pub(super) struct Tally<'r> {
    rules: &'r RuleSet,
    counts: HashMap<*const AskRule, OfRule>,
    pub(super) asks: u64,
    pub(super) too_long: u64,
    pub(super) unmatched: u64,
    /// Asks that no rule matches, by tool or kind.
    pub(super) unmatched_by: BTreeMap<String, u64>,
    pub(super) differing: Vec<Differing<'r>>,
}

impl<'r> Tally<'r> {
    pub(super) fn new(rules: &'r RuleSet) -> Self {
        Self {
            rules,
            counts: HashMap::new(),
            asks: 0,
            too_long: 0,
            unmatched: 0,
            unmatched_by: BTreeMap::new(),
            differing: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, told: Told) {
        let (id, facts, said) = match told {
            Told::Ask { id, facts, said } => (id, facts, said),
            Told::TooLong => {
                self.too_long += 1;
                return;
            }
            Told::NotOurs => return,
        };
        self.asks += 1;
        let rules = self.rules;
        let (rule, ruled, outcome) = facts.with_facts(|facts| {
            let ruling = rule_ask(rules, facts);
            let outcome = facts.body.map(|body| Outcome::of(&ruling, body));
            (ruling.rule, ruling.ruled, outcome)
        });
        let Some(rule) = rule else {
            self.unmatched += 1;
            let kind = match &facts.body {
                Body::Approval(approval) => approval.tool.clone(),
                body => body.kind().name().to_owned(),
            };
            let is_full = self.unmatched_by.len() >= UNMATCHED_MAX && !self.unmatched_by.contains_key(&kind);
            *self.unmatched_by.entry(if is_full { "others".to_owned() } else { kind }).or_default() += 1;
            return;
        };
        let count = self.counts.entry(ptr::from_ref(rule)).or_default();
        let Ruled::Says(says) = ruled else {
            count.asks += 1;
            return;
        };
        count.decides += 1;
        let would = of_rule(&facts.body, &says);
        match said {
            None => count.no_person += 1,
            Some(said) if said == would => count.same += 1,
            Some(said) => {
                count.different += 1;
                if self.differing.len() < DIFFERING_MAX {
                    self.differing.push(Differing {
                        ask: id,
                        rule,
                        headline: headline(&facts.body),
                        rule_says: outcome.as_ref().map(|outcome| outcome.text().to_owned()).unwrap_or_default(),
                        person_said: said.text(),
                    });
                }
            }
        }
    }

    /// Every rule that can decide, in order, with what it would have done.
    pub(super) fn rules(&self) -> impl Iterator<Item = (&'r AskRule, OfRule)> + '_ {
        let deciding = self.rules.rules().filter(|rule| rule.action != Action::Terms);
        deciding.map(|rule| (rule, self.counts.get(&ptr::from_ref(rule)).copied().unwrap_or_default()))
    }

    /// All rules together.
    pub(super) fn total(&self) -> OfRule {
        self.counts.values().fold(OfRule::default(), |all, one| OfRule {
            decides: all.decides + one.decides,
            same: all.same + one.same,
            different: all.different + one.different,
            no_person: all.no_person + one.no_person,
            asks: all.asks + one.asks,
        })
    }

    /// How many rules depend on what an ask does not record: whether a person was present, what was decided before.
    pub(super) fn on_unrecorded(&self) -> usize {
        self.rules.rules().filter(|rule| rule.when.present.is_some() || rule.when.decided_before.is_some()).count()
    }
}

/// What the ask was about: the command, the input, or the question.
fn headline(body: &Body) -> String {
    match body {
        Body::Approval(approval) => {
            let summary = approval.summary.as_deref().unwrap_or(approval.input.as_str());
            format!("{}: {summary}", approval.tool)
        }
        body => body.headline().to_owned(),
    }
}
