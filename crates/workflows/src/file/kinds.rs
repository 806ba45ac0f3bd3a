//! Finds out what a file is, and reads it.

use super::reader::{Read, Reader};
use crate::finding::{Finding, FindingKind};
use crate::report::{FileKind, FileReport};
use crate::template::Templates;
use crate::yaml::{Node, compose};

/// Reads one file into `read`.
pub(crate) fn read(read: &mut Read, templates: &Templates, file: &str, text: &str) {
    let node = match compose(text) {
        Ok(node) => node,
        Err(error) => {
            let (line, what) = (error.line, error.what);
            let finding = Finding { kind: FindingKind::Error, file: file.to_owned(), line, rule: None, what };
            read.findings.push(finding);
            read.reports.push(FileReport::new(file, FileKind::Unreadable));
            return;
        }
    };
    let kind = kind(&node);
    let mut reader = Reader::new(read, templates, file, kind);
    match kind {
        FileKind::Rules => reader.rules(&node),
        FileKind::NamedRules => {
            let stem = stem(file).to_owned();
            let rules = reader.named_rules(&node, &stem);
            reader.read.shared_rules.entry(stem).or_default().extend(rules);
        }
        FileKind::Lifecycle | FileKind::Steps => reader.workflow(&node, None),
        FileKind::Agent => reader.agent(&node),
        FileKind::Variables => reader.variables(&node),
        FileKind::Pipeline => reader.without(node.line, "pipeline"),
        FileKind::Other => reader.without(node.line, "file of gobby's own set-up, or of another program"),
        FileKind::Unreadable => {}
    }
    reader.finish();
}

fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn kind(node: &Node) -> FileKind {
    let has = |key: &str| node.get(key).is_some_and(|it| !it.is_null());
    let text = |key: &str| node.get(key).and_then(Node::as_str);
    let are_maps = |key: &str| node.get(key).is_some_and(|it| it.is_map() && it.entries().all(|(_, it)| it.is_map()));
    if text("type") == Some("pipeline") {
        return FileKind::Pipeline;
    }
    if node.get("rules").is_some_and(Node::is_map) {
        return FileKind::Rules;
    }
    if has("triggers") || has("observers") || has("tool_rules") {
        return FileKind::Lifecycle;
    }
    let is_agent = ["instructions", "role", "goal", "provider", "workflows", "surfaces", "step_variables", "isolation"];
    if has("name") && is_agent.iter().any(|key| has(key)) {
        return FileKind::Agent;
    }
    if has("name") && has("steps") {
        return FileKind::Steps;
    }
    if has("rule_definitions") {
        return FileKind::NamedRules;
    }
    if !has("name") && are_maps("variables") {
        return FileKind::Variables;
    }
    FileKind::Other
}

impl Reader<'_> {
    fn variables(&mut self, node: &Node) {
        for (key, definition) in node.get("variables").into_iter().flat_map(Node::entries) {
            match (key.as_str(), definition.get("value")) {
                (Some(name), Some(value)) => self.read.variables.set(name, value.to_value()),
                _ => self.error(key.line, None, "a variable has no `value`"),
            }
        }
    }
}
