//! Reads the text of a rule file.

use std::collections::HashSet;
use std::fmt;

use askbridge_core::answer::RulePlace;
use askbridge_core::limits;
use askbridge_core::rules::asks::{AskRule, RuleFile, TermsOf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::examples::{self, Example};
use crate::nearest::nearest;
use crate::rule::{self, Complaint};

/// The rules of a file, and the examples that are kept beside them.
#[derive(Debug)]
pub struct Loaded {
    pub rules: Vec<AskRule>,
    pub examples: Vec<Example>,
    /// Folders whose project files may say yes.
    pub trusted: Vec<String>,
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    Operator,
    Project,
}

/// Something that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    pub what: String,
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.what)
    }
}

impl Loaded {
    pub fn into_file(self) -> RuleFile {
        RuleFile { terms: TermsOf::Every, rules: self.rules }
    }
}

/// Reads a rule file: all of it, or every problem in the order of lines. `name` is the file, `home` is for `~/`.
pub fn read(name: &str, text: &str, home: Option<&str>) -> Result<Loaded, Vec<Problem>> {
    read_as(name, text, home, Whose::Operator)
}

pub(crate) fn read_as(name: &str, text: &str, home: Option<&str>, whose: Whose) -> Result<Loaded, Vec<Problem>> {
    let mut reading = Reading { lines: Lines::of(text), problems: Vec::new(), whose };
    if text.len() > limits::RULES_BYTES_MAX {
        let what = format!("this is longer than a rule file may be, {} bytes", limits::RULES_BYTES_MAX);
        return Err(vec![Problem { file: name.to_owned(), line: 1, column: 1, what, hint: None }]);
    }
    let mut loaded = Loaded { rules: Vec::new(), examples: Vec::new(), trusted: Vec::new() };
    match DeTable::parse(text) {
        Ok(table) => reading.file(name, table.get_ref(), home, &mut loaded),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            reading.problems.push((at, format!("this is not TOML: {}", error.message()), None));
        }
    }
    if reading.problems.is_empty() {
        return Ok(loaded);
    }
    reading.problems.sort_by_key(|(at, ..)| *at);
    let lines = &reading.lines;
    let problem = |(at, what, hint): Complaint| {
        let (line, column) = lines.place(at);
        Problem { file: name.to_owned(), line, column, what, hint }
    };
    Err(reading.problems.into_iter().map(problem).collect())
}

struct Reading<'a> {
    lines: Lines<'a>,
    problems: Vec<Complaint>,
    whose: Whose,
}

impl Reading<'_> {
    fn file(&mut self, name: &str, table: &DeTable<'_>, home: Option<&str>, loaded: &mut Loaded) {
        for (key, value) in table {
            let at = key.span().start;
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("rules", DeValue::Array(list)) => self.rules(name, list, home, loaded),
                ("rules", _) => {
                    let what = "`rules` is a list; begin each rule with a line [[rules]]".to_owned();
                    self.problems.push((at, what, None));
                }
                ("trusted", _) if self.whose == Whose::Project => {
                    let what = "a project's rule file cannot trust a folder; the operator's can".to_owned();
                    self.problems.push((at, what, None));
                }
                ("trusted", value) => match folders(value, home) {
                    Some(trusted) => loaded.trusted = trusted,
                    None => {
                        let what = format!(
                            "`trusted` is a list of up to {} folders from the root, like [\"/srv/app\", \"~/work/app\"]",
                            limits::RULE_PATTERNS_MAX
                        );
                        self.problems.push((at, what, None));
                    }
                },
                (other, _) => {
                    let hint = match nearest(other, ["rules", "trusted"]) {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => "begin a rule with a line [[rules]]".to_owned(),
                    };
                    self.problems.push((at, format!("a rule file has no `{other}`"), Some(hint)));
                }
            }
        }
    }

    fn rules(&mut self, name: &str, list: &[Spanned<DeValue<'_>>], home: Option<&str>, loaded: &mut Loaded) {
        if list.len() > limits::RULES_MAX {
            let what = format!("there are {} rules, and at most {} fit into a file", list.len(), limits::RULES_MAX);
            self.problems.push((0, what, None));
            return;
        }
        let mut names = HashSet::new();
        for item in list {
            let at = item.span().start;
            let DeValue::Table(table) = item.get_ref() else {
                self.problems.push((at, "a rule is a section; begin it with a line [[rules]]".to_owned(), None));
                continue;
            };
            let line = u32::try_from(self.lines.place(at).0).unwrap_or(u32::MAX);
            let (mut rule, problems) = rule::read(table, at, home);
            self.problems.extend(problems);
            if !rule.name.is_empty() && !names.insert(rule.name.clone()) {
                self.problems.push((at, format!("there is another rule `{}` above", rule.name), None));
            }
            rule.place = Some(RulePlace { file: name.to_owned(), line });
            if let Some(value) = table.get("examples") {
                let (examples, problems) = examples::read(value, &rule.name, |at| self.lines.place(at).0);
                self.problems.extend(problems);
                loaded.examples.extend(examples);
            }
            loaded.rules.push(rule);
        }
    }
}

/// A list of folders. `None`: it is not one.
fn folders(value: &DeValue<'_>, home: Option<&str>) -> Option<Vec<String>> {
    let DeValue::Array(list) = value else { return None };
    let folder = |item: &Spanned<DeValue<'_>>| rule::absolute(item.get_ref().as_str()?, home);
    (list.len() <= limits::RULE_PATTERNS_MAX).then(|| list.iter().map(folder).collect())?
}

/// Finds the line of a byte without counting from the beginning each time.
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(after).collect() }
    }

    pub(crate) fn place(&self, at: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= at).max(1);
        let before = self.text.get(self.starts[line - 1]..at).unwrap_or_default();
        (line, 1 + before.chars().count())
    }
}
