//! Actions of triggers and steps, and the rules of `block_tools`.

use super::definitions::{Action, BlockRule, Deed, Gate};
use super::gates::Gated;
use super::reader::{Reader, with_gate};
use crate::report::{RuleReport, RuleStatus};
use crate::value::Value;
use crate::yaml::Node;

/// Actions of gobby's other features, with the feature's name.
const OTHER_ACTIONS: &[(&str, &str)] = &[
    ("extract_handoff_context", "handoffs"),
    ("load_workflow_state", "gobby's database"),
    ("save_workflow_state", "gobby's database"),
    ("mark_loop_complete", "autonomous runs"),
    ("start_new_session", "gobby's sessions"),
    ("mark_session_status", "gobby's sessions"),
    ("switch_mode", "gobby's sessions"),
    ("write_todos", "to-do lists"),
    ("mark_todo_complete", "to-do lists"),
    ("shell", "commands are never run"),
    ("run", "commands are never run"),
    ("bash", "commands are never run"),
    ("run_command", "commands are never run"),
    ("call_llm", "models"),
    ("call_mcp_tool", "calls of gobby's own servers"),
    ("synthesize_title", "titles"),
    ("generate_summary", "handoffs"),
    ("generate_handoff", "handoffs"),
    ("memory_save", "memory"),
    ("memory_recall_relevant", "memory"),
    ("memory_sync_import", "memory"),
    ("memory_sync_export", "memory"),
    ("memory_extraction_gate", "memory"),
    ("memory_review_gate", "memory"),
    ("memory_extract_from_session", "memory"),
    ("memory_inject_project_context", "memory"),
    ("reset_memory_injection_tracking", "memory"),
    ("task_sync_import", "tasks"),
    ("task_sync_export", "tasks"),
    ("persist_tasks", "tasks"),
    ("get_workflow_tasks", "tasks"),
    ("update_workflow_task", "tasks"),
    ("require_active_task", "tasks"),
    ("require_task_complete", "tasks"),
    ("require_commit_before_stop", "tasks"),
    ("require_task_review_or_close_before_stop", "tasks"),
    ("validate_session_task_scope", "tasks"),
    ("webhook", "webhooks"),
    ("check_stop_signal", "stop signals"),
    ("request_stop", "stop signals"),
    ("clear_stop_signal", "stop signals"),
    ("start_progress_tracking", "autonomous runs"),
    ("stop_progress_tracking", "autonomous runs"),
    ("record_progress", "autonomous runs"),
    ("detect_task_loop", "autonomous runs"),
    ("detect_stuck", "autonomous runs"),
    ("record_task_selection", "autonomous runs"),
    ("get_progress_summary", "autonomous runs"),
    ("run_pipeline", "pipelines"),
];

impl Reader<'_> {
    /// The actions under a key, each with a name for reasons: `place`, and its number.
    pub(super) fn actions(&mut self, nodes: &[&Node], place: &str, is_enabled: bool) -> Vec<Action> {
        let mut actions = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            let rule = format!("{place}/{}", at + 1);
            actions.extend(self.action(node, &rule, is_enabled));
        }
        actions
    }

    fn action(&mut self, node: &Node, rule: &str, is_enabled: bool) -> Option<Action> {
        let name = self.text(node, "action", rule)?;
        let mut row = self.row(rule, node.line, Some(&name));
        if !is_enabled {
            row.off(RuleStatus::Disabled, "its workflow is not enabled");
        }
        let when = match self.gate(node, "when", rule) {
            Gated::Gate(gate) => {
                with_gate(&mut row, &gate);
                gate
            }
            Gated::Inactive(why) => {
                row.off(RuleStatus::Inactive, &*why);
                Gate::Always
            }
        };
        let deed = self.deed(&name, node, rule, &mut row, is_enabled);
        let acts = !matches!(deed, Deed::Nothing);
        let list = if acts { &mut row.acts } else { &mut row.without_effect };
        list.push(name);
        if !acts {
            row.off(RuleStatus::WithoutEffect, "it belongs to another feature of gobby");
        } else if row.status == RuleStatus::Inactive {
            let why = row.why.clone().unwrap_or_default();
            self.inactive(node.line, rule, why);
        }
        let stays = acts && row.status != RuleStatus::Inactive;
        self.add(row);
        stays.then(|| Action { rule: rule.to_owned(), when, deed })
    }

    fn deed(&mut self, name: &str, node: &Node, rule: &str, row: &mut RuleReport, is_enabled: bool) -> Deed {
        match name {
            "set_variable" => match self.variable(node, rule) {
                Some(variable) => {
                    let value = self.any(node, "value").unwrap_or(Value::None);
                    Deed::Set { variable, value }
                }
                None => self.nameless(name, node, rule, row),
            },
            "increment_variable" => match self.variable(node, rule) {
                Some(variable) => {
                    let amount = self.any(node, "amount").unwrap_or(Value::Int(1));
                    Deed::Increment { variable, amount }
                }
                None => self.nameless(name, node, rule, row),
            },
            "block_stop" => {
                let reason = self.template(node, "reason", rule);
                Deed::BlockStop { reason: reason.unwrap_or_else(|| "The rule gives no reason.".to_owned()) }
            }
            "block_tools" => {
                let rules = self.maps(node, "rules", rule);
                let read = rules.iter().enumerate().filter_map(|(at, node)| {
                    let rule = format!("{rule}/{}", at + 1);
                    self.block_rule(node, &rule, is_enabled)
                });
                Deed::BlockTools(read.collect())
            }
            "inject_context" | "inject_message" => {
                if let Some(source) = node.get("source").filter(|it| !it.is_null()) {
                    let source = source.as_str().unwrap_or("several sources").to_owned();
                    self.without(
                        node.line,
                        format!("context from `{source}` (gobby's sessions, tasks, skills and memory)"),
                    );
                    return Deed::Nothing;
                }
                let key = if node.get("template").is_some() { "template" } else { "content" };
                match self.template(node, key, rule) {
                    Some(template) => Deed::Inject { template },
                    None => Deed::Nothing,
                }
            }
            "track_schema_lookup" => Deed::TrackSchema,
            "track_discovery_step" => Deed::TrackDiscovery,
            "detect_plan_mode_from_context" => Deed::DetectPlanMode,
            "end_workflow" => Deed::EndWorkflow,
            "capture_baseline_dirty_files" => Deed::CaptureBaseline,
            other => {
                let feature = OTHER_ACTIONS.iter().find(|(name, _)| *name == other).map(|(_, feature)| *feature);
                match feature {
                    Some(feature) => self.without(node.line, format!("action `{other}` ({feature})")),
                    None => self.without(node.line, format!("action `{other}`, which is unknown")),
                }
                Deed::Nothing
            }
        }
    }

    fn variable(&mut self, node: &Node, rule: &str) -> Option<String> {
        let name = self.text(node, "name", rule).filter(|name| !name.is_empty());
        name.or_else(|| self.text(node, "variable", rule))
    }

    fn nameless(&mut self, name: &str, node: &Node, rule: &str, row: &mut RuleReport) -> Deed {
        self.error(node.line, Some(rule), format!("`{name}` names no variable"));
        row.off(RuleStatus::Wrong, "it names no variable");
        Deed::Nothing
    }

    /// A rule of `block_tools`, of `tool_rules`, or one with a name.
    pub(super) fn block_rule(&mut self, node: &Node, rule: &str, is_enabled: bool) -> Option<BlockRule> {
        let mut row = self.row(rule, node.line, Some("block"));
        row.acts.push("block".to_owned());
        if !is_enabled {
            row.off(RuleStatus::Disabled, "its workflow is not enabled");
        }
        let mut when = Gate::Always;
        match self.gate(node, "when", rule) {
            Gated::Gate(gate) => {
                with_gate(&mut row, &gate);
                when = gate;
            }
            Gated::Inactive(why) => row.off(RuleStatus::Inactive, why),
        }
        let selector = self.selector(node, rule);
        if let Err(why) = &selector {
            row.off(RuleStatus::Wrong, &**why);
        }
        if row.status == RuleStatus::Inactive {
            let why = row.why.clone().unwrap_or_default();
            self.inactive(node.line, rule, why);
        }
        let reason = self.template(node, "reason", rule);
        let has_tools = node.get("tools").is_some();
        let stays = row.status != RuleStatus::Inactive;
        self.add(row);
        let selector = selector.ok().filter(|_| stays)?;
        Some(BlockRule { rule: rule.to_owned(), selector, has_tools, when, reason })
    }
}
