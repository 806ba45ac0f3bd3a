//! Patterns that match tool calls: by the tool's name, and optionally by one of the strings of its input.
//!
//! `Bash`, `mcp__github__*`, `Bash(*git push*)`. `*` matches anything.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolPattern {
    tool: String,
    input: Option<String>,
}

impl ToolPattern {
    /// Parses a pattern. The error says what is wrong with it.
    pub fn read(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not a tool or a pattern, like Bash, mcp__github__* or Bash(*git push*)");
        let (tool, input) = match text.trim().split_once('(') {
            None => (text.trim(), None),
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or_else(bad)?)),
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*');
        if tool.is_empty() || !tool.chars().all(is_name) || input.is_some_and(|input| input.trim().is_empty()) {
            return Err(bad());
        }
        Ok(Self { tool: tool.to_owned(), input: input.map(str::to_owned) })
    }

    /// The tool's name, in which `*` matches anything.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Does this call match? `texts` returns the top-level strings of its input.
    pub fn matches(&self, tool: &str, texts: &dyn Fn() -> Vec<String>) -> bool {
        let is_meant = |wanted: &String| texts().iter().any(|text| looks_like(wanted, text));
        looks_like(&self.tool, tool) && self.input.as_ref().is_none_or(is_meant)
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.input {
            None => f.write_str(&self.tool),
            Some(input) => write!(f, "{}({input})", self.tool),
        }
    }
}

/// `*` matches anything, including nothing.
pub(crate) fn looks_like(pattern: &str, text: &str) -> bool {
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

    #[test]
    fn what_is_no_pattern_is_refused() {
        for bad in ["", "Bash(", "Bash()", "(x)", "Bash|Write", "Ba sh", "Bash(x)y"] {
            assert!(ToolPattern::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_pattern_is_written_as_it_was_read() {
        for text in ["Bash", "mcp__github__*", "Bash(*git push*)"] {
            assert_eq!(ToolPattern::read(&format!(" {text} ")).map(|pattern| pattern.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn parts_of_a_pattern_do_not_overlap() {
        assert!(looks_like("a*a", "aa") && !looks_like("a*a", "a"));
        assert!(looks_like("a*b*c", "a-b-b-c") && !looks_like("a*b*c", "a-c"));
    }
}
