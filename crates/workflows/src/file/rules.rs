//! Rules of the second generation: `rules:` with an event and effects each.

use super::definitions::{Effect, EffectKind, Gate, Rule, Selector};
use super::gates::Gated;
use super::reader::{Reader, with_gate};
use crate::event::{NEVER_SEEN, RULE_EVENTS};
use crate::report::{RuleReport, RuleStatus};
use crate::yaml::Node;

const FILE_KEYS: &[&str] = &[
    "tags",
    "rules",
    "group",
    "sources",
    "audience",
    "enabled",
    "deprecated",
    "deprecated_reason",
    "description",
    "name",
    "version",
];
const RULE_KEYS: &[&str] = &[
    "description",
    "event",
    "enabled",
    "priority",
    "when",
    "effects",
    "effect",
    "agent_scope",
    "audience",
    "tools",
    "match",
    "group",
    "tags",
];
/// Effects that belong to features of gobby that we do not have, and what those are. `run_command` is never run.
const OTHER_EFFECTS: &[(&str, &str)] = &[
    ("mcp_call", "calls a tool of gobby's own servers"),
    ("load_skill", "gobby's skills"),
    ("run_command", "commands are never run"),
    ("set_retry", "gobby's answer to a denied call"),
    ("set_watch_paths", "gobby's file watcher"),
    ("set_worktree_path", "gobby's worktrees"),
    ("set_elicitation", "gobby's answers to elicitations"),
];

/// What a whole file says of its rules.
struct Common {
    is_enabled: bool,
    audience: Option<String>,
    group: Option<String>,
    tags: Vec<String>,
    sources: Option<Vec<String>>,
}

impl Reader<'_> {
    pub(super) fn rules(&mut self, file: &Node) {
        self.unknown_keys(file, "a rule file", FILE_KEYS);
        let path = self.report.file.clone();
        let mut folders = path.rsplit('/').skip(1);
        let is_deprecated = folders.clone().any(|part| part == "deprecated");
        let common = Common {
            is_enabled: !is_deprecated
                && !self.flag(file, "deprecated", "the file", false)
                && self.flag(file, "enabled", "the file", true),
            audience: self.text(file, "audience", "the file"),
            group: self.text(file, "group", "the file").or_else(|| folders.next().map(str::to_owned)),
            tags: self.texts(file, "tags", "the file").unwrap_or_default(),
            sources: self.texts(file, "sources", "the file"),
        };
        let Some(rules) = file.get("rules") else { return };
        for (key, node) in rules.entries() {
            let Some(name) = key.as_str() else {
                self.error(key.line, None, "the name of a rule is not a text");
                continue;
            };
            if !node.is_map() {
                self.error(node.line, Some(name), "a rule is not a mapping");
                continue;
            }
            self.rule(name, key.line, node, &common);
        }
    }

    fn rule(&mut self, name: &str, line: usize, node: &Node, common: &Common) {
        self.unknown_keys(node, "a rule", RULE_KEYS);
        let event = self.text(node, "event", name).unwrap_or_default();
        let mut row = self.row(name, line, Some(&event));
        if !(common.is_enabled && self.flag(node, "enabled", name, false)) {
            row.off(RuleStatus::Disabled, "it is not enabled in its file");
        }
        if !RULE_EVENTS.contains(&event.as_str()) {
            let what =
                if event.is_empty() { "it has no event".to_owned() } else { format!("there is no event `{event}`") };
            self.error(line, Some(name), &*what);
            row.off(RuleStatus::Wrong, what);
        }
        let when = match self.gate(node, "when", name) {
            Gated::Gate(gate) => {
                with_gate(&mut row, &gate);
                gate
            }
            Gated::Inactive(why) => {
                row.off(RuleStatus::Inactive, &*why);
                Gate::Always
            }
        };
        let effects = self.effects(name, line, node, &mut row);
        if self.read.rules.iter().any(|rule| rule.name == name) {
            let what = "there is a rule of this name already; the first is used";
            self.error(line, Some(name), what);
            row.off(RuleStatus::Wrong, what);
        }
        if NEVER_SEEN.contains(&event.as_str()) {
            row.off(RuleStatus::WithoutEffect, format!("the event `{event}` never happens here"));
            self.without(line, format!("event `{event}`"));
        }
        if row.acts.is_empty() {
            row.off(RuleStatus::WithoutEffect, "none of its effects acts here");
        }
        let rule = Rule {
            name: name.to_owned(),
            event,
            priority: self.number(node, "priority", name, 100),
            when,
            tools: self.texts(node, "tools", name).unwrap_or_default(),
            audience: self.text(node, "audience", name).or_else(|| common.audience.clone()),
            agent_scope: self.texts(node, "agent_scope", name).filter(|scope| !scope.is_empty()),
            group: self.text(node, "group", name).or_else(|| common.group.clone()),
            tags: common.tags.iter().cloned().chain(self.texts(node, "tags", name).unwrap_or_default()).collect(),
            sources: common.sources.clone(),
            effects,
        };
        if row.status == RuleStatus::Inactive {
            let why = row.why.clone().unwrap_or_default();
            self.inactive(line, name, why);
        }
        // A rule with a broken condition stays: it fails closed if it blocks, as in gobby.
        let is_broken = matches!(rule.when, Gate::Broken(_)) && row.status == RuleStatus::Wrong;
        if row.status == RuleStatus::Active || is_broken {
            self.read.rules.push(rule);
        }
        self.add(row);
    }

    fn effects(&mut self, name: &str, line: usize, node: &Node, row: &mut RuleReport) -> Vec<Effect> {
        let single = node.get("effect").filter(|it| it.is_map());
        let nodes = match (node.get("effects"), single) {
            (None, Some(effect)) => vec![effect],
            _ => self.maps(node, "effects", name),
        };
        if nodes.is_empty() {
            self.error(line, Some(name), "it has no effects");
            row.off(RuleStatus::Wrong, "it has no effects");
        }
        let blocks = nodes
            .iter()
            .filter(|node| matches!(node.get("type").and_then(Node::as_str), Some("block" | "block_stop")))
            .count();
        if blocks > 1 {
            self.error(line, Some(name), "it has more than one `block`");
            row.off(RuleStatus::Wrong, "it has more than one `block`");
        }
        nodes.into_iter().filter_map(|node| self.effect(name, node, row)).collect()
    }

    fn effect(&mut self, name: &str, node: &Node, row: &mut RuleReport) -> Option<Effect> {
        let Some(kind) = self.text(node, "type", name) else {
            self.error(node.line, Some(name), "an effect has no `type`");
            row.off(RuleStatus::Wrong, "an effect has no `type`");
            return None;
        };
        let other = OTHER_EFFECTS.iter().find(|(other, _)| *other == kind && !captures_baseline(&kind, node));
        if let Some((_, feature)) = other {
            self.without(node.line, format!("effect `{kind}` ({feature})"));
            row.without_effect.push(kind);
            // It keeps its place: whether a rule fails closed depends on its first effect.
            return Some(Effect { when: Gate::Always, selector: Selector::default(), kind: EffectKind::Nothing });
        }
        let when = match self.gate(node, "when", name) {
            Gated::Gate(gate) => gate,
            Gated::Inactive(why) => {
                self.inactive(node.line, name, format!("its effect `{kind}` never acts: {why}"));
                row.without_effect.push(kind);
                return None;
            }
        };
        let selector = match self.selector(node, name) {
            Ok(selector) => selector,
            Err(why) => {
                row.off(RuleStatus::Wrong, why);
                return None;
            }
        };
        let effect = match self.effect_kind(&kind, name, node) {
            Ok(effect) => effect,
            Err(EffectProblem::Wrong(what)) => {
                self.error(node.line, Some(name), &*what);
                row.off(RuleStatus::Wrong, what);
                return None;
            }
            Err(EffectProblem::Inactive(why)) => {
                self.inactive(node.line, name, format!("its effect `{kind}` never acts: {why}"));
                row.without_effect.push(kind);
                return None;
            }
        };
        row.acts.push(kind);
        Some(Effect { when, selector, kind: effect })
    }

    fn effect_kind(&mut self, kind: &str, name: &str, node: &Node) -> Result<EffectKind, EffectProblem> {
        let missing = |key: &str| EffectProblem::Wrong(format!("its effect `{kind}` has no `{key}`"));
        Ok(match kind {
            // At the end of a turn, a block is one of the stop.
            "block" | "block_stop" => EffectKind::Block {
                reason: self.template(node, "reason", name).unwrap_or_else(|| "The rule gives no reason.".to_owned()),
            },
            "set_variable" => EffectKind::Set {
                variable: self.text(node, "variable", name).ok_or_else(|| missing("variable"))?,
                value: self.assigned(node, name).map_err(EffectProblem::Inactive)?,
            },
            "inject_context" => EffectKind::Inject {
                template: self.template(node, "template", name).ok_or_else(|| missing("template"))?,
            },
            "observe" => EffectKind::Observe {
                category: self.text(node, "category", name).unwrap_or_else(|| "general".to_owned()),
                message: self.template(node, "message", name).unwrap_or_default(),
            },
            other if captures_baseline(other, node) => EffectKind::CaptureBaseline,
            "rewrite_input" => EffectKind::Rewrite {
                updates: self.mapping(node, "input_updates")?.ok_or_else(|| missing("input_updates"))?,
                auto_approve: self.flag(node, "auto_approve", name, false),
            },
            "set_permission_response" => EffectKind::Permission {
                allow: match self.text(node, "permission_decision", name).as_deref() {
                    None => None,
                    Some("allow") => Some(true),
                    Some("deny") => Some(false),
                    Some(other) => return Err(EffectProblem::Wrong(format!("there is no decision `{other}`"))),
                },
                updates: self.mapping(node, "input_updates")?,
                permissions: self.any(node, "updated_permissions"),
            },
            other => return Err(EffectProblem::Wrong(format!("there is no effect `{other}`"))),
        })
    }

    fn mapping(&self, node: &Node, key: &str) -> Result<Option<crate::value::Value>, EffectProblem> {
        match node.get(key) {
            None => Ok(None),
            Some(found) if found.is_map() => match placeholder(found) {
                Some(name) => Err(EffectProblem::Inactive(format!("it needs `{name}`, a program of gobby's own"))),
                None => Ok(Some(found.to_value())),
            },
            Some(_) => Err(EffectProblem::Wrong(format!("`{key}` is not a mapping"))),
        }
    }
}

enum EffectProblem {
    Wrong(String),
    Inactive(String),
}

/// Is it the call by which gobby notes which files are changed? It needs no daemon.
fn captures_baseline(kind: &str, node: &Node) -> bool {
    let is = |key: &str, value: &str| node.get(key).and_then(Node::as_str) == Some(value);
    kind == "mcp_call" && is("server", "gobby-sessions") && is("tool", "capture_baseline_dirty_files")
}

/// Programs whose paths gobby writes into rules when it installs them.
const PLACEHOLDERS: &[&str] = &["gobby_bin", "gsqz_bin"];

fn placeholder(node: &Node) -> Option<&'static str> {
    if let Some(text) = node.as_str() {
        return PLACEHOLDERS.iter().copied().find(|name| text.contains("{{") && text.contains(name));
    }
    let items = node.as_list().unwrap_or_default().iter();
    items.chain(node.entries().map(|(_, node)| node)).find_map(placeholder)
}
