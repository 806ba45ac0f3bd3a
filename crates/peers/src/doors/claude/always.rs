//! Tools that always go to a person, by name or by pattern, whatever the agent's mode and rules would allow.
//!
//! `Bash`, `mcp__github__*`, `Bash(*git push*)`: a name, and perhaps in brackets what one of the input's texts looks like.
//! `*` stands for anything. Such calls are held at the hook, so they can be parked like questions.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::mcp;
use crate::tools::held::HELD_TOOLS;

/// The tools that always go to a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlwaysAsk(Vec<Pattern>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    tool: String,
    input: Option<String>,
}

impl AlwaysAsk {
    /// Reads patterns. The error names the first that is none.
    pub fn read<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        patterns.into_iter().map(pattern).collect::<Result<_, _>>().map(Self)
    }

    /// Does this call have to go to a person? What a person is asked by anyway does not.
    pub(super) fn has(&self, tool: &str, input: Option<&RawValue>) -> bool {
        if HELD_TOOLS.contains(&tool) || tool == mcp::TOOL {
            return false;
        }
        self.0.iter().filter(|pattern| looks_like(&pattern.tool, tool)).any(|pattern| match &pattern.input {
            None => true,
            Some(wanted) => texts(input).iter().any(|text| looks_like(wanted, text)),
        })
    }

    /// What Claude Code compares the names of tools with: a list of names, or else an expression. It may let more through
    /// than is meant, never less.
    pub(super) fn matcher(&self) -> String {
        let ours = HELD_TOOLS.iter().map(|tool| (*tool).to_owned());
        let names: Vec<_> = ours.chain(self.0.iter().map(|pattern| pattern.tool.replace('*', ".*"))).collect();
        let names = names.join("|");
        if names.contains('*') { format!("^(?:{names})$") } else { names }
    }
}

fn pattern(text: &str) -> Result<Pattern, String> {
    let bad = || format!("`{text}` is not a tool or a pattern, like Bash, mcp__github__* or Bash(*git push*)");
    let (tool, input) = match text.trim().split_once('(') {
        None => (text.trim(), None),
        Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or_else(bad)?)),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*');
    if tool.is_empty() || !tool.chars().all(is_name) || input.is_some_and(|input| input.trim().is_empty()) {
        return Err(bad());
    }
    Ok(Pattern { tool: tool.to_owned(), input: input.map(str::to_owned) })
}

/// The texts at the top of an input: a command, a path, an address.
fn texts(input: Option<&RawValue>) -> Vec<String> {
    let fields = input.and_then(|input| serde_json::from_str::<BTreeMap<String, Value>>(input.get()).ok());
    let texts = fields.unwrap_or_default().into_values().filter_map(|value| match value {
        Value::String(text) => Some(text),
        _ => None,
    });
    texts.collect()
}

/// `*` stands for anything, also for nothing.
fn looks_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(patterns: &[&str], tool: &str, input: &str) -> bool {
        let input = RawValue::from_string(input.to_owned()).unwrap();
        AlwaysAsk::read(patterns.iter().copied()).unwrap().has(tool, Some(&input))
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
        for bad in ["", "Bash(", "Bash()", "(x)", "Bash|Write", "Ba sh", "Bash(x)y"] {
            assert!(AlwaysAsk::read([bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn parts_of_a_pattern_do_not_overlap() {
        assert!(looks_like("a*a", "aa") && !looks_like("a*a", "a"));
        assert!(looks_like("a*b*c", "a-b-b-c") && !looks_like("a*b*c", "a-c"));
    }

    #[test]
    fn claude_code_is_told_names_or_an_expression() {
        let matcher = |patterns: &[&str]| AlwaysAsk::read(patterns.iter().copied()).unwrap().matcher();
        assert_eq!(matcher(&[]), "AskUserQuestion|ExitPlanMode");
        assert_eq!(matcher(&["Bash(*git push*)"]), "AskUserQuestion|ExitPlanMode|Bash");
        assert_eq!(matcher(&["mcp__x__*"]), "^(?:AskUserQuestion|ExitPlanMode|mcp__x__.*)$");
    }
}
