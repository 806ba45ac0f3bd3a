//! What the built-in rules decide about one call.

use super::ToolPattern;
use crate::event::{CallRuled, ToolRuling};
use crate::terms::OtherTools;

/// The rules that hold for a session's calls.
#[derive(Debug, Clone, Copy)]
pub struct CallRules<'a> {
    /// Calls that always go to a person. Strongest: what is listed here no other rule allows.
    pub always_ask: &'a [ToolPattern],
    /// What becomes of a permission that the agent asks for.
    pub other_tools: Option<OtherTools>,
}

/// One call, as far as rules look at it.
#[derive(Clone, Copy)]
pub struct CallFacts<'a> {
    pub tool: &'a str,
    /// Returns the texts at the top of its input: a command, a path, an address. Asked for only by a rule that looks at them.
    pub texts: &'a dyn Fn() -> Vec<String>,
    pub moment: Moment,
}

/// When a rule is asked about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the agent has looked at its own mode and rules. Nothing is allowed here: they may deny it.
    BeforeTheCall,
    /// The agent's own mode and rules leave it open: it asks for permission.
    Permission,
}

/// Decides about a call. `None`: no rule does, and everything takes its usual way.
pub fn rule_call(rules: CallRules<'_>, call: CallFacts<'_>) -> Option<CallRuled> {
    if let Some(pattern) = rules.always_ask.iter().find(|pattern| pattern.matches(call.tool, call.texts)) {
        return Some(CallRuled { rule: format!("always_ask = {pattern}"), ruling: ToolRuling::Ask });
    }
    match (call.moment, rules.other_tools) {
        (Moment::Permission, Some(OtherTools::Allow)) => {
            Some(CallRuled { rule: "other_tools = allow".to_owned(), ruling: ToolRuling::Allow })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruled(always_ask: &[&str], other_tools: Option<OtherTools>, moment: Moment) -> Option<(String, ToolRuling)> {
        let patterns: Vec<_> = always_ask.iter().map(|text| ToolPattern::read(text).expect("a pattern")).collect();
        let call = CallFacts { tool: "Bash", texts: &|| vec!["cd x && git push".to_owned()], moment };
        rule_call(CallRules { always_ask: &patterns, other_tools }, call).map(|ruled| (ruled.rule, ruled.ruling))
    }

    #[test]
    fn what_always_goes_to_a_person_no_other_rule_allows() {
        let asks = |rule: &str| Some((rule.to_owned(), ToolRuling::Ask));
        for moment in [Moment::BeforeTheCall, Moment::Permission] {
            for other_tools in [None, Some(OtherTools::Allow), Some(OtherTools::Ask), Some(OtherTools::ByMode)] {
                assert_eq!(ruled(&["Write", "Bash(*push*)"], other_tools, moment), asks("always_ask = Bash(*push*)"));
                assert_eq!(
                    ruled(&["*", "Bash"], other_tools, moment),
                    asks("always_ask = *"),
                    "the first that matches"
                );
            }
        }
    }

    #[test]
    fn other_tools_are_allowed_only_when_the_agent_asks_for_permission() {
        let allowed = Some(("other_tools = allow".to_owned(), ToolRuling::Allow));
        assert_eq!(ruled(&["Write"], Some(OtherTools::Allow), Moment::Permission), allowed);
        assert_eq!(ruled(&[], Some(OtherTools::Allow), Moment::BeforeTheCall), None);
        for other_tools in [None, Some(OtherTools::Ask), Some(OtherTools::ByMode)] {
            assert_eq!(ruled(&[], other_tools, Moment::Permission), None);
        }
    }
}
