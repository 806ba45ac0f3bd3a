//! The operator's rules about asks: conditions and an action, from facts to a [`RulesOutcome`] that can be explained.
//!
//! Order: `deny`, then `ask` and `park`, then `allow` and `answer`; among the rules of one rank the first in file order.
//! Terms come from the deciding rule, then from every rule that matches, in order. [`rule_ask`] decides; [`explain()`] says
//! of every rule whether it matched, or the first condition that did not hold. `conditions` and `facts` are the two
//! sides of a match, `answers` turns an action into an answer that the ask offers, `index` finds the few rules of a long
//! list that can match at all: `needs` says what a rule needs, `lookup` finds the rules that need what an ask has.
//!
//! [`rule_every_call`] decides about a call before it runs, by the rules that look at every call and not only at asks.
//!
//! [`rule_ask_in`] adds the rules of the project that an agent works in, which only tighten (`project`).
//!
//! Files are read elsewhere (the crate `policy`). What needs a parser of its own, a tool's name and input, is behind
//! [`Call`] and [`ToolCondition`].

mod answers;
mod call;
mod conditions;
mod every_call;
mod explain;
mod facts;
mod index;
mod lookup;
mod needs;
mod outcome;
mod patterns;
mod project;
mod risk;
mod rule;
mod time;
mod unattended;

pub use answers::{AnswerBy, Answers};
pub use call::{Call, Leaning, Need, Part, Script, ToolCondition};
pub use conditions::{Condition, Conditions};
pub use every_call::{EveryCall, rule_every_call};
pub use explain::{Explained, Why, explain};
pub use facts::AskFacts;
pub use outcome::{Ruled, RulesOutcome, rule_ask, unruled_terms};
pub use patterns::TextPattern;
pub use project::{ProjectRules, rule_ask_in};
pub use risk::{Risk, Risks};
pub use rule::{Action, AskRule, RuleFile, RuleSet, TermsOf, WhenDown};
pub use time::{Hours, LocalTime, Weekday};
pub use unattended::{UNATTENDED, Unattended};
