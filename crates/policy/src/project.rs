//! The rule file of a project: the same keys, but only what tightens.

use askbridge_core::limits;
use toml::de::{DeTable, DeValue};

use crate::file::{Lines, Loaded, Problem, Whose, read_as};

/// Where a project keeps its rules, below its folder.
pub const PROJECT_FILE: &str = ".askbridge/rules.toml";

/// The rules of a project's file.
#[derive(Debug)]
pub struct ProjectLoaded {
    /// All of them, those that loosen included.
    pub loaded: Loaded,
    /// The places that loosen: they count only in a folder that the operator trusts.
    pub loosening: Vec<Problem>,
}

/// Reads the rule file of a project, or says every problem in the order of lines.
pub fn read_project(name: &str, text: &str, home: Option<&str>) -> Result<ProjectLoaded, Vec<Problem>> {
    if text.len() > limits::PROJECT_RULES_BYTES_MAX {
        let what =
            format!("this is longer than a project's rule file may be, {} bytes", limits::PROJECT_RULES_BYTES_MAX);
        return Err(vec![Problem { file: name.to_owned(), line: 1, column: 1, what, hint: None }]);
    }
    let loaded = read_as(name, text, home, Whose::Project)?;
    let lines = Lines::of(text);
    let found = DeTable::parse(text).map(|table| loosening(table.get_ref())).unwrap_or_default();
    let loosening = found.into_iter().map(|(at, what)| {
        let (line, column) = lines.place(at);
        Problem { file: name.to_owned(), line, column, what, hint: Some(HINT.to_owned()) }
    });
    Ok(ProjectLoaded { loaded, loosening: loosening.collect() })
}

const HINT: &str = "an agent can edit its project's files, so they only tighten; the operator can trust the folder with \
                    a line trusted = [\"FOLDER\"] at the top of their own rules.toml";

/// Finds what does not tighten, each with its byte.
fn loosening(file: &DeTable<'_>) -> Vec<(usize, String)> {
    let Some(DeValue::Array(rules)) = file.get("rules").map(|rules| rules.get_ref()) else { return Vec::new() };
    let mut found = Vec::new();
    for rule in rules.iter().filter_map(|rule| rule.get_ref().as_table()) {
        for (key, value) in rule {
            let (name, said) = (key.get_ref().as_ref(), value.get_ref().as_str().map(str::trim));
            let at = value.span().start;
            match (name, said) {
                ("do", Some(action @ ("allow" | "answer" | "park"))) => {
                    found.push((at, format!("a project's rules cannot `{action}`, only `deny` and `ask`")));
                }
                ("on_expiry" | "on_dismissal", Some("tell")) => {
                    found.push((at, format!("a project's rules can set `{name}` to `stop` alone")));
                }
                // A terminal is blocked only if the person who sits there chose that.
                ("when_down", Some("deny")) => {
                    found.push((at, "a project's rules cannot deny while askbridge does not answer".to_owned()));
                }
                ("messages" | "parallel", _) => {
                    found.push((key.span().start, format!("a project's rules cannot set `{name}`")));
                }
                _ => {}
            }
        }
    }
    found.sort_unstable();
    found
}
