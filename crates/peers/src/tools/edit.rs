//! Checks whether the agent would run an input that a person has changed.
//!
//! Claude Code runs the *original* call when it gets an empty input, and refuses one that its tool does not take, after
//! the person has gone. So an edit is checked before it counts: against the tool's schema where we know it, otherwise
//! against the call as the agent made it. In that case each field keeps its name and type. Removing or adding one is
//! refused: only the tool knows which fields it needs, and a field unknown to it would silently do nothing.

use std::collections::{HashMap, HashSet};

use askbridge_core::ask::{Approval, Ask};
use askbridge_core::ids::Raw;
use askbridge_core::limits::EDIT_PROBLEMS_MAX;
use askbridge_core::unfit::Problem;
use askbridge_core::wild::Wild;

use super::schema::Schema;
use crate::doors::{claude, hook, mcp};
use crate::json;

/// Bytes of a field's name or value that a refusal quotes. Beyond: the name is cut, and the value is not quoted.
const REPEATED_BYTES_MAX: usize = 200;

/// Returns what is wrong with a changed input, field by field. Empty: it may run.
pub fn check_edit(ask: &Ask, approval: &Approval, edited: &Raw) -> Vec<Problem> {
    let original = json::parse(approval.input.as_str()).unwrap_or(Wild::Null);
    let mut found = FoundProblems::default();
    match (&original, &json::parse(edited.as_str()).unwrap_or(Wild::Null)) {
        (Wild::Map(old), Wild::Map(new)) if new.is_empty() && !old.is_empty() => found.whole(
            "the changed input is empty, and the agent would run the original; leave it out to change nothing, or deny the call"
                .to_owned(),
        ),
        (Wild::Map(old), Wild::Map(new)) => {
            let schema = is_claude_code(ask).then(|| Schema::of(&approval.tool, old)).flatten();
            found.fields("", schema, old, new);
        }
        (old, new) if kind(old) == kind(new) => found.value("", old, new),
        (old, new) => found.whole(format!("the input is {}; the changed one has to be as well, not {}", kind(old), kind(new))),
    }
    found.problems
}

/// Whether the tools of this ask are Claude Code's, with its names and fields.
fn is_claude_code(ask: &Ask) -> bool {
    match ask.asker.door.as_str() {
        // Only Claude Code asks for permissions through MCP: `approve` is its prompt tool.
        claude::NAME | mcp::NAME => true,
        hook::NAME => ask.asker.agent == hook::Agent::Claude.name(),
        _ => false,
    }
}

/// The problems found, up to a maximum.
#[derive(Default)]
struct FoundProblems {
    problems: Vec<Problem>,
}

impl FoundProblems {
    fn whole(&mut self, why: String) {
        self.problems.push(Problem::whole(why));
    }

    fn about(&mut self, field: &str, why: String) {
        if self.problems.len() < EDIT_PROBLEMS_MAX {
            self.problems.push(Problem::about(cut(field), why));
        }
    }

    /// Compares the fields of an object with its previous fields.
    fn fields(&mut self, path: &str, schema: Option<&Schema>, old: &[(String, Wild)], new: &[(String, Wild)]) {
        let had: HashMap<&str, &Wild> = old.iter().rev().map(|(name, value)| (name.as_str(), value)).collect();
        let mut given = HashSet::new();
        for (name, value) in new {
            let field = within(path, name);
            if !given.insert(name.as_str()) {
                self.about(&field, "it is given twice; say it once".to_owned());
                continue;
            }
            match (schema.and_then(|schema| schema.field(name)), had.get(name.as_str())) {
                (Some(type_), _) if type_.takes(value) => {}
                (Some(type_), _) => self.about(&field, format!("it has to be {}, not {}", type_.wanted(), said(value))),
                (None, Some(had)) => self.value(&field, had, value),
                (None, None) if schema.is_some() => self.about(&field, "this tool has no such field".to_owned()),
                (None, None) => {
                    self.about(&field, "the agent's call has no such field, so the tool may not know it".to_owned());
                }
            }
        }
        let is_missing = |name: &str| !given.contains(name);
        match schema {
            Some(schema) => {
                for (name, type_) in schema.required().filter(|(name, _)| is_missing(name)) {
                    self.about(&within(path, name), format!("it is missing; it has to be {}", type_.wanted()));
                }
            }
            None => {
                for (name, value) in old.iter().filter(|(name, _)| is_missing(name)) {
                    let why = format!("it is missing, and the tool may need it; it was {}", kind(value));
                    self.about(&within(path, name), why);
                }
            }
        }
    }

    /// Compares a value with the previous one.
    fn value(&mut self, path: &str, old: &Wild, new: &Wild) {
        match (old, new) {
            // `null` does not tell what type the field takes.
            (Wild::Null, _) => {}
            (Wild::Map(old), Wild::Map(new)) => self.fields(path, None, old, new),
            (Wild::List(old), Wild::List(new)) => {
                let known: HashSet<String> = old.iter().map(json::render).collect();
                let alike: HashMap<&str, &Wild> = old.iter().rev().map(|item| (kind(item), item)).collect();
                for (place, item) in new.iter().enumerate().filter(|(_, item)| !known.contains(&json::render(item))) {
                    // A new item is compared with the previous one at its index, with one of the same kind, or else
                    // with the first.
                    let in_place = old.get(place).filter(|known| kind(known) == kind(item));
                    let like = in_place.or_else(|| alike.get(kind(item)).copied()).or(old.first());
                    if let Some(like) = like {
                        self.value(&format!("{path}[{place}]"), like, item);
                    }
                }
            }
            _ if kind(old) == kind(new) => {}
            _ => self.about(path, format!("it has to be {}, not {}", kind(old), said(new))),
        }
    }
}

fn cut(name: &str) -> &str {
    &name[..name.floor_char_boundary(REPEATED_BYTES_MAX)]
}

fn within(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn kind(value: &Wild) -> &'static str {
    match value {
        Wild::Null => "null",
        Wild::Flag(_) => "true or false",
        Wild::Number(_) => "a number",
        Wild::Text(_) => "text",
        Wild::List(_) => "a list",
        Wild::Map(_) => "an object",
    }
}

/// The value itself if it is short, otherwise its kind.
fn said(value: &Wild) -> String {
    match value {
        Wild::Text(text) if text.len() <= REPEATED_BYTES_MAX => format!("“{text}”"),
        Wild::Flag(_) | Wild::Number(_) => json::render(value),
        _ => kind(value).to_owned(),
    }
}
