//! Reads the parts that all kinds of files have, and collects findings.

use std::collections::BTreeMap;

use super::definitions::{Agent, BlockRule, Gate, Rule, Workflow};
use crate::finding::{Finding, FindingKind};
use crate::report::{FileKind, FileReport, RuleReport, RuleStatus};
use crate::template::Templates;
use crate::value::{Dict, Value};
use crate::yaml::{Content, Node};

/// Everything that files define, as far as it was understood.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) rules: Vec<Rule>,
    pub(crate) workflows: Vec<Workflow>,
    pub(crate) agents: Vec<Agent>,
    pub(crate) variables: Dict,
    /// Named rules by the stem of their file.
    pub(crate) shared_rules: BTreeMap<String, Vec<(String, BlockRule)>>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) reports: Vec<FileReport>,
    /// What has no effect here, by its name.
    pub(crate) without: BTreeMap<String, Without>,
}

/// Where something without effect was first seen, and how often.
#[derive(Clone, Debug)]
pub(crate) struct Without {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) times: usize,
}

/// Reads one file.
pub(super) struct Reader<'a> {
    pub(super) read: &'a mut Read,
    pub(super) templates: &'a Templates,
    pub(super) report: FileReport,
}

impl<'a> Reader<'a> {
    pub(super) fn new(read: &'a mut Read, templates: &'a Templates, file: &str, kind: FileKind) -> Self {
        Self { read, templates, report: FileReport::new(file, kind) }
    }

    pub(super) fn finish(self) {
        self.read.reports.push(self.report);
    }

    pub(super) fn error(&mut self, line: usize, rule: Option<&str>, what: impl Into<String>) {
        self.found(FindingKind::Error, line, rule, what.into());
    }

    pub(super) fn inactive(&mut self, line: usize, rule: &str, what: impl Into<String>) {
        self.found(FindingKind::Inactive, line, Some(rule), what.into());
    }

    fn found(&mut self, kind: FindingKind, line: usize, rule: Option<&str>, what: String) {
        let (file, rule) = (self.report.file.clone(), rule.map(str::to_owned));
        self.read.findings.push(Finding { kind, file, line: Some(line), rule, what });
    }

    /// Notes that something has no effect here; it is listed once for all files.
    pub(super) fn without(&mut self, line: usize, name: impl Into<String>) {
        let first = || Without { file: self.report.file.clone(), line, times: 0 };
        self.read.without.entry(name.into()).or_insert_with(first).times += 1;
    }

    /// A row of the report.
    pub(super) fn row(&mut self, name: &str, line: usize, event: Option<&str>) -> RuleReport {
        RuleReport::new(name, line, event)
    }

    pub(super) fn add(&mut self, row: RuleReport) {
        self.report.rules.push(row);
    }

    /// Notes keys that gobby does not know either.
    pub(super) fn unknown_keys(&mut self, node: &Node, of: &str, known: &[&str]) {
        let unknown: Vec<(usize, String)> = node
            .entries()
            .filter_map(|(key, _)| Some((key.line, key.as_str().filter(|key| !known.contains(key))?.to_owned())))
            .collect();
        for (line, key) in unknown {
            self.without(line, format!("key `{key}` of {of}"));
        }
    }

    pub(super) fn text(&mut self, node: &Node, key: &str, rule: &str) -> Option<String> {
        let found = node.get(key).filter(|it| !it.is_null())?;
        match found.as_str() {
            Some(text) => Some(text.to_owned()),
            None => {
                self.error(found.line, Some(rule), format!("`{key}` is not a text"));
                None
            }
        }
    }

    /// A template: it is checked, and kept as it is if it is wrong, which is how gobby would show it.
    pub(super) fn template(&mut self, node: &Node, key: &str, rule: &str) -> Option<String> {
        let text = self.text(node, key, rule)?;
        if let Err(what) = self.templates.check(&text) {
            let line = node.get(key).map_or(node.line, |it| it.line);
            self.error(line, Some(rule), format!("`{key}`: {what}; it is shown as it is written"));
        }
        Some(text)
    }

    /// A list of texts; a single text is a list of one.
    pub(super) fn texts(&mut self, node: &Node, key: &str, rule: &str) -> Option<Vec<String>> {
        let found = node.get(key).filter(|it| !it.is_null())?;
        if let Some(text) = found.as_str() {
            return Some(vec![text.to_owned()]);
        }
        let Some(items) = found.as_list() else {
            self.error(found.line, Some(rule), format!("`{key}` is not a list of texts"));
            return None;
        };
        let mut texts = Vec::new();
        for item in items {
            match item.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => self.error(item.line, Some(rule), format!("`{key}` has an element that is not a text")),
            }
        }
        Some(texts)
    }

    pub(super) fn flag(&mut self, node: &Node, key: &str, rule: &str, otherwise: bool) -> bool {
        match node.get(key).map(|it| (&it.content, it.line)) {
            None | Some((Content::Null, _)) => otherwise,
            Some((Content::Bool(it), _)) => *it,
            Some((_, line)) => {
                self.error(line, Some(rule), format!("`{key}` is neither true nor false"));
                otherwise
            }
        }
    }

    pub(super) fn number(&mut self, node: &Node, key: &str, rule: &str, otherwise: i128) -> i128 {
        match node.get(key).map(|it| (&it.content, it.line)) {
            None | Some((Content::Null, _)) => otherwise,
            Some((Content::Int(it), _)) => *it,
            Some((_, line)) => {
                self.error(line, Some(rule), format!("`{key}` is not a whole number"));
                otherwise
            }
        }
    }

    /// A mapping of names to values.
    pub(super) fn values(&mut self, node: &Node, key: &str, rule: &str) -> Dict {
        let Some(found) = node.get(key).filter(|it| !it.is_null()) else { return Dict::default() };
        if !found.is_map() {
            self.error(found.line, Some(rule), format!("`{key}` is not a mapping"));
        }
        let mut values = Dict::default();
        for (name, value) in found.entries() {
            match name.as_str() {
                Some(name) => values.set(name, value.to_value()),
                None => self.error(name.line, Some(rule), format!("`{key}` has a name that is not a text")),
            }
        }
        values
    }

    /// The elements of a list of mappings.
    pub(super) fn maps<'n>(&mut self, node: &'n Node, key: &str, rule: &str) -> Vec<&'n Node> {
        let Some(found) = node.get(key).filter(|it| !it.is_null()) else { return Vec::new() };
        let Some(items) = found.as_list() else {
            self.error(found.line, Some(rule), format!("`{key}` is not a list"));
            return Vec::new();
        };
        let (maps, others): (Vec<&Node>, Vec<&Node>) = items.iter().partition(|item| item.is_map());
        for other in others {
            self.error(other.line, Some(rule), format!("`{key}` has an element that is not a mapping"));
        }
        maps
    }

    /// A value of any kind; `None` if the key is missing.
    pub(super) fn any(&self, node: &Node, key: &str) -> Option<Value> {
        node.get(key).map(Node::to_value)
    }
}

/// Marks a row whose condition cannot be used.
pub(super) fn with_gate(row: &mut RuleReport, gate: &Gate) {
    if let Gate::Broken(why) = gate {
        row.off(RuleStatus::Wrong, why.as_str());
    }
}
