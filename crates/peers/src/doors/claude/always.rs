//! Applies the built-in rules to Claude Code's calls: which always go to a person, and which are allowed without one.
//!
//! The rules themselves are in [`askbridge_core::rules`]. Here is what only this door knows: where the texts of an
//! input are, which tools ask a person anyway, and which calls Claude Code has to show us before they run.

use askbridge_core::event::{CallRuled, ToolRuling};
use askbridge_core::rules::{CallFacts, CallRules, Moment, ToolPattern, rule_call};
use serde_json::value::RawValue;

use super::mcp;
use super::peer::Claude;
use crate::tools::call::texts;
use crate::tools::held::HELD_TOOLS;

/// The tools that always go to a person. Their calls are held at the hook, so they can be parked like questions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlwaysAsk(Vec<ToolPattern>);

impl AlwaysAsk {
    /// Reads patterns. The error names the first invalid one.
    pub fn read<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        patterns.into_iter().map(ToolPattern::read).collect::<Result<_, _>>().map(Self)
    }

    /// The matcher of our hook: a list of tool names, or else a regular expression. It may match too much, not too
    /// little.
    pub(super) fn matcher(&self) -> String {
        let ours = HELD_TOOLS.iter().map(|tool| (*tool).to_owned());
        let names: Vec<_> = ours.chain(self.0.iter().map(|pattern| pattern.tool().replace('*', ".*"))).collect();
        let names = names.join("|");
        if names.contains('*') { format!("^(?:{names})$") } else { names }
    }
}

impl Claude {
    /// Asks the rules about a call. Tools that ask a person anyway are exempt.
    pub(super) fn rule(&self, tool: &str, input: Option<&RawValue>, moment: Moment) -> Option<CallRuled> {
        if HELD_TOOLS.contains(&tool) || tool == mcp::TOOL {
            return None;
        }
        let other_tools = self.settings.as_ref().and_then(|settings| settings.wishes.other_tools);
        let rules = CallRules { always_ask: &self.always.0, other_tools };
        rule_call(rules, CallFacts { tool, texts: &|| texts(input.map_or("{}", RawValue::get)), moment })
    }
}

/// Whether a rule sends the call to a person.
pub(super) fn asks(ruled: Option<&CallRuled>) -> bool {
    ruled.is_some_and(|ruled| ruled.ruling == ToolRuling::Ask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consult::OccurrenceKinds;
    use crate::doors::claude::{Begin, Carry, Process};
    use askbridge_core::ids::SessionId;

    fn has(patterns: &[&str], tool: &str, input: &str) -> bool {
        let input = RawValue::from_string(input.to_owned()).unwrap();
        let always = AlwaysAsk::read(patterns.iter().copied()).unwrap();
        let (session, process, carry) = (SessionId(7), Process::New, Carry::default());
        let consulted = OccurrenceKinds::NONE;
        let denied_wait = std::time::Duration::ZERO;
        let begin =
            Begin { session, process, carry, interactive: true, hold_max: None, denied_wait, always, consulted };
        let claude = Claude::new(begin);
        asks(claude.rule(tool, Some(&input), Moment::BeforeTheCall).as_ref())
    }

    #[test]
    fn a_tool_is_named_or_looks_like_a_pattern() {
        let push = r#"{"command":"cd x && git push origin","timeout":1}"#;
        assert!(has(&["Bash"], "Bash", push));
        assert!(!has(&["Bash"], "BashOutput", push));
        assert!(has(&["mcp__github__*"], "mcp__github__merge", "{}"));
        assert!(has(&["*"], "Anything", "{}"));
        assert!(has(&["Write", "Bash(*git push*)"], "Bash", push));
        assert!(!has(&["Bash(git push*)"], "Bash", push));
        assert!(!has(&["Bash(*git push*)"], "Bash", r#"{"command":"git status"}"#));
        assert!(!has(&["Bash(*)"], "Bash", "{}"));
        assert!(has(&["Write(/etc/*)"], "Write", r#"{"file_path":"/etc/hosts"}"#));
        assert!(!has(&["*"], "AskUserQuestion", "{}"), "a question goes to a person anyway");
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        assert!(AlwaysAsk::read(["Write", "Bash("]).unwrap_err().contains("`Bash(`"));
    }

    #[test]
    fn claude_code_is_told_names_or_an_expression() {
        let matcher = |patterns: &[&str]| AlwaysAsk::read(patterns.iter().copied()).unwrap().matcher();
        assert_eq!(matcher(&[]), "AskUserQuestion|ExitPlanMode");
        assert_eq!(matcher(&["Bash(*git push*)"]), "AskUserQuestion|ExitPlanMode|Bash");
        assert_eq!(matcher(&["mcp__x__*"]), "^(?:AskUserQuestion|ExitPlanMode|mcp__x__.*)$");
    }
}
