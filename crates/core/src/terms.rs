//! The terms of an ask, and the pure policy that computes them.
//!
//! Precedence: rule > the ask itself > session > agent > the door that created the session > the operator's defaults.
//! The dialect through which a person answers has no influence.

use std::time::Duration;

use crate::answer::Pick;
use crate::ids::Timestamp;
use crate::limits;

/// The terms of one ask, recorded in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// When the ask stops waiting. Taken from the record, not the clock, so that replay agrees with the first run.
    pub deadline: Option<Timestamp>,
    pub on_expiry: OnExpiry,
    pub on_dismissal: OnDismissal,
    pub warm: Warm,
    /// How long an answer can be taken back before it counts.
    pub undo: Duration,
    pub messages: WhileOpen,
    /// May another ask of this session be open at the same time?
    pub parallel: bool,
    pub other_tools: OtherTools,
    /// How many people have to give the same answer.
    pub quorum: u8,
}

/// What the agent is told when nobody answers in time. There is no "allow".
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OnExpiry {
    /// That nobody answered.
    Tell,
    /// That nobody answered, and to stop its turn.
    TellAndStop,
    /// That nobody answered and what to assume instead, named as an assumption. For questions only.
    Assume(Vec<Pick>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnDismissal {
    Tell,
    TellAndStop,
}

/// How long an agent's process is kept for an open ask before it is parked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Warm {
    /// For ever.
    Hold,
    For(Duration),
}

/// What a chat message does while an ask is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhileOpen {
    /// It waits in the journal.
    Hold,
    /// It ends the turn, and the ask with it.
    CancelTurn,
    Refuse,
    /// It goes to the agent at once.
    PassOn,
}

/// What happens to approvals of other tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OtherTools {
    Allow,
    ByMode,
    Ask,
}

/// How long to wait for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wait {
    Forever,
    For(Duration),
}

/// Requested terms. A field that is left out is decided by the next in precedence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wishes {
    pub wait: Option<Wait>,
    pub on_expiry: Option<OnExpiry>,
    pub on_dismissal: Option<OnDismissal>,
    pub warm: Option<Warm>,
    pub undo: Option<Duration>,
    pub messages: Option<WhileOpen>,
    pub parallel: Option<bool>,
    pub other_tools: Option<OtherTools>,
    pub quorum: Option<u8>,
}

/// The facts that policy may depend on.
#[derive(Debug)]
pub struct Facts<'a> {
    pub at: Timestamp,
    pub door: &'a str,
    pub agent: &'a str,
    pub folder: Option<&'a str>,
    pub headline: &'a str,
    pub header: Option<&'a str>,
    /// What the ask, the session, the agent's settings and the door request, strongest first.
    pub wishes: [&'a Wishes; 4],
}

/// The operator's rules and defaults.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rules {
    /// In order. The first rule that matches an ask applies.
    pub list: Vec<Rule>,
    /// The defaults, for terms that none of the above states.
    pub otherwise: Wishes,
}

/// All conditions that are set must hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rule {
    pub name: String,
    pub door: Option<String>,
    pub agent: Option<String>,
    /// The session's folder is this one or inside it.
    pub folder: Option<String>,
    pub header: Option<String>,
    /// The headline contains this, in any case.
    pub asks_about: Option<String>,
    pub wishes: Wishes,
}

impl Rule {
    fn matches(&self, facts: &Facts<'_>) -> bool {
        let same = |want: &Option<String>, have: Option<&str>| {
            want.as_deref().is_none_or(|want| have.is_some_and(|have| have == want))
        };
        same(&self.door, Some(facts.door))
            && same(&self.agent, Some(facts.agent))
            && same(&self.header, facts.header)
            && self.folder.as_deref().is_none_or(|root| facts.folder.is_some_and(|folder| lies_in(folder, root)))
            && self
                .asks_about
                .as_deref()
                .is_none_or(|words| facts.headline.to_lowercase().contains(&words.to_lowercase()))
    }
}

/// Compares whole path components: `/srv/app` is not inside `/srv/ap`.
pub(crate) fn lies_in(folder: &str, root: &str) -> bool {
    let root = root.trim_end_matches('/');
    // `/srv/sandbox/../app` is not in `/srv/sandbox`, although it begins so.
    let resolved;
    let folder = match folder.split('/').any(|part| part == "..") {
        true => {
            resolved = resolve(folder);
            &resolved
        }
        false => folder,
    };
    folder.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The folders of which [`lies_in`] holds for this one, as it compares them: itself and those above, without a slash at
/// the end.
pub(crate) fn folders_above(folder: &str) -> Vec<String> {
    let resolved = if folder.split('/').any(|part| part == "..") { resolve(folder) } else { folder.to_owned() };
    let ends = resolved.match_indices('/').map(|(at, _)| at).chain([resolved.len()]);
    let mut above: Vec<_> = ends.map(|end| resolved[..end].to_owned()).collect();
    above.dedup();
    above
}

/// Resolves `..` as text.
fn resolve(folder: &str) -> String {
    let mut parts = Vec::new();
    for part in folder.split('/').filter(|part| !part.is_empty()) {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Finds the rule that applies.
pub fn rule<'r>(rules: &'r Rules, facts: &Facts<'_>) -> Option<&'r Rule> {
    rules.list.iter().find(|rule| rule.matches(facts))
}

/// Computes the terms of an ask.
pub fn terms(rules: &Rules, facts: &Facts<'_>) -> Terms {
    let none = Wishes::default();
    let ruled = rule(rules, facts).map_or(&none, |rule| &rule.wishes);
    let [ask, session, agent, door] = facts.wishes;
    stated(&[ruled, ask, session, agent, door, &rules.otherwise], facts.at)
}

/// Computes the terms of an ask that is made now: each from the first of these wishes that states it.
pub(crate) fn stated(in_line: &[&Wishes], at: Timestamp) -> Terms {
    macro_rules! first {
        ($field:ident, $default:expr) => {
            in_line.iter().find_map(|wishes| wishes.$field.clone()).unwrap_or($default)
        };
    }
    let wait = first!(wait, Wait::Forever);
    Terms {
        deadline: match wait {
            Wait::Forever => None,
            Wait::For(span) => Some(at.plus(span.min(limits::WAIT_MAX))),
        },
        on_expiry: first!(on_expiry, OnExpiry::Tell),
        on_dismissal: first!(on_dismissal, OnDismissal::Tell),
        warm: first!(warm, Warm::For(Duration::from_secs(600))),
        undo: first!(undo, Duration::ZERO).min(limits::UNDO_MAX),
        messages: first!(messages, WhileOpen::Hold),
        parallel: first!(parallel, true),
        other_tools: first!(other_tools, OtherTools::Ask),
        quorum: first!(quorum, 1).clamp(1, limits::QUORUM_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(secs: u64) -> Wishes {
        Wishes { wait: Some(Wait::For(Duration::from_secs(secs))), ..Wishes::default() }
    }

    fn facts<'a>(wishes: [&'a Wishes; 4]) -> Facts<'a> {
        Facts {
            at: Timestamp(1_000),
            door: "http",
            agent: "ci",
            folder: Some("/srv/app"),
            headline: "Deploy now?",
            header: Some("Deploy"),
            wishes,
        }
    }

    #[test]
    fn a_folder_that_leads_out_of_another_again_is_not_in_it() {
        assert!(lies_in("/srv/app", "/srv/app/") && lies_in("/srv/app/x", "/srv/app") && lies_in("/x", "/"));
        assert!(!lies_in("/srv/apples", "/srv/app"));
        assert!(!lies_in("/srv/app/../etc", "/srv/app") && !lies_in("/srv/app/x/../..", "/srv/app"));
        assert!(lies_in("/srv/x/../app", "/srv/app"));
    }

    #[test]
    fn nothing_wished_for_means_waiting_for_ever() {
        let none = Wishes::default();
        let terms = terms(&Rules::default(), &facts([&none; 4]));
        assert_eq!((terms.deadline, terms.on_expiry, terms.quorum), (None, OnExpiry::Tell, 1));
    }

    #[test]
    fn the_stronger_wish_wins_and_a_rule_is_strongest() {
        let none = Wishes::default();
        let (a, b, c, d) = (waits(1), waits(2), waits(3), waits(4));
        let deadline = |rules: &Rules, wishes| terms(rules, &facts(wishes)).deadline.unwrap().0;
        let no_rules = Rules::default();
        assert_eq!(deadline(&no_rules, [&a, &b, &c, &d]), 2_000);
        assert_eq!(deadline(&no_rules, [&none, &b, &c, &d]), 3_000);
        assert_eq!(deadline(&no_rules, [&none, &none, &c, &d]), 4_000);
        assert_eq!(deadline(&no_rules, [&none, &none, &none, &d]), 5_000);
        let rule =
            Rule { name: "deploys".into(), asks_about: Some("DEPLOY".into()), wishes: waits(9), ..Rule::default() };
        let rules = Rules { list: vec![rule], ..Rules::default() };
        assert_eq!(deadline(&rules, [&a, &b, &c, &d]), 10_000);
    }

    #[test]
    fn what_the_operator_set_for_everything_else_comes_last() {
        let (none, door) = (Wishes::default(), waits(4));
        let rules = Rules { otherwise: waits(5), ..Rules::default() };
        assert_eq!(terms(&rules, &facts([&none; 4])).deadline, Some(Timestamp(6_000)));
        assert_eq!(terms(&rules, &facts([&none, &none, &none, &door])).deadline, Some(Timestamp(5_000)));
    }

    #[test]
    fn a_rule_applies_only_if_everything_it_names_holds() {
        let none = Wishes::default();
        let facts = facts([&none; 4]);
        let base = Rule { agent: Some("ci".into()), folder: Some("/srv".into()), ..Rule::default() };
        assert!(base.matches(&facts));
        assert!(!Rule { folder: Some("/srv/ap".into()), ..base.clone() }.matches(&facts));
        assert!(!Rule { header: Some("Delete".into()), ..base.clone() }.matches(&facts));
        assert!(!Rule { door: Some("claude".into()), ..base }.matches(&facts));
    }
}
