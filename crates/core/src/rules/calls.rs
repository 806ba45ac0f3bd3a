//! What the built-in rules decide about one call.

use super::ToolPattern;
use crate::event::{CallRuled, ToolRuling};
use crate::terms::OtherTools;

/// The rules that apply to a session's calls.
#[derive(Debug, Clone, Copy)]
pub struct CallRules<'a> {
    /// Calls that always go to a person. Strongest: no other rule can allow a call that is listed here.
    pub always_ask: &'a [ToolPattern],
    /// What happens to a permission that the agent requests.
    pub other_tools: Option<OtherTools>,
}

/// The facts of one call that rules depend on.
#[derive(Clone, Copy)]
pub struct CallFacts<'a> {
    pub tool: &'a str,
    /// Returns the top-level strings of the input: a command, a path, an address. Called only by a rule that needs
    /// them.
    pub texts: &'a dyn Fn() -> Vec<String>,
    pub moment: Moment,
}

/// When a rule is applied to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the agent has applied its own mode and rules. Nothing is allowed here, because they may deny it.
    BeforeTheCall,
    /// The agent's own mode and rules left the call open, so it requests permission.
    Permission,
}

/// Decides about a call. `None` if no rule applies.
pub fn rule_call(rules: CallRules<'_>, call: CallFacts<'_>) -> Option<CallRuled> {
    if let Some(pattern) = rules.always_ask.iter().find(|pattern| pattern.matches(call.tool, call.texts)) {
        return Some(CallRuled { rule: format!("always_ask = {pattern}"), place: None, ruling: ToolRuling::Ask });
    }
    match (call.moment, rules.other_tools) {
        (Moment::Permission, Some(OtherTools::Allow)) => {
            Some(CallRuled { rule: "other_tools = allow".to_owned(), place: None, ruling: ToolRuling::Allow })
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
