//! What rule files define.

use crate::condition::Condition;
use crate::pattern::Pattern;
use crate::value::{Dict, Value};

/// Decides whether a rule applies.
#[derive(Clone, Debug)]
pub(crate) enum Gate {
    Always,
    When(Condition),
    /// The condition was not understood: it fails whenever it is asked.
    Broken(String),
}

/// A rule of the second generation: one event, some effects.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) event: String,
    pub(crate) priority: i128,
    pub(crate) when: Gate,
    /// Only for these tools, if any are named.
    pub(crate) tools: Vec<String>,
    pub(crate) audience: Option<String>,
    pub(crate) agent_scope: Option<Vec<String>>,
    pub(crate) group: Option<String>,
    pub(crate) tags: Vec<String>,
    /// Only for sessions of these sources, if any are named.
    pub(crate) sources: Option<Vec<String>>,
    pub(crate) effects: Vec<Effect>,
}

#[derive(Debug)]
pub(crate) struct Effect {
    pub(crate) when: Gate,
    pub(crate) selector: Selector,
    pub(crate) kind: EffectKind,
}

#[derive(Debug)]
pub(crate) enum EffectKind {
    Block {
        reason: String,
    },
    Set {
        variable: String,
        value: Assigned,
    },
    Inject {
        template: String,
    },
    Observe {
        category: String,
        message: String,
    },
    Rewrite {
        updates: Value,
        auto_approve: bool,
    },
    Permission {
        allow: Option<bool>,
        updates: Option<Value>,
        permissions: Option<Value>,
    },
    /// Notes which files are changed: the one call of gobby's own tools that needs no daemon.
    CaptureBaseline,
    /// Belongs to a feature that we do not have.
    Nothing,
}

/// The tools and commands that an effect or a blocking rule is for. Empty: for all.
#[derive(Debug, Default)]
pub(crate) struct Selector {
    pub(crate) tools: Vec<String>,
    /// `server:tool`, or `server:*`.
    pub(crate) mcp_tools: Vec<String>,
    pub(crate) command: Option<Pattern>,
    pub(crate) not_command: Option<Pattern>,
}

/// The value that a variable gets.
#[derive(Clone, Debug)]
pub(crate) enum Assigned {
    Literal(Value),
    Expression(Gate),
    Template(String),
}

/// Which generation of gobby a workflow was written for. They differ in order and words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// 0.2: lifecycle workflows and step workflows.
    First,
    /// 0.3 and later: steps inside an agent's definition.
    Second,
}

/// A workflow: triggers that always run, or steps that run once it is activated.
#[derive(Debug)]
pub(crate) struct Workflow {
    pub(crate) name: String,
    pub(crate) generation: Generation,
    pub(crate) is_enabled: bool,
    pub(crate) priority: i128,
    pub(crate) sources: Option<Vec<String>>,
    pub(crate) variables: Dict,
    pub(crate) session_variables: Dict,
    pub(crate) observers: Vec<Observer>,
    pub(crate) triggers: Vec<(String, Vec<Action>)>,
    /// It initializes a session at its first message by itself, guarded by `session_initialized`.
    pub(crate) initializes: bool,
    pub(crate) tool_rules: Vec<BlockRule>,
    pub(crate) steps: Vec<Step>,
    pub(crate) exit: Option<Gate>,
    pub(crate) premature: Option<Premature>,
    /// Rules by name, for `check_rules`; those of imported files are found by `imports`.
    pub(crate) named_rules: Vec<(String, BlockRule)>,
    pub(crate) imports: Vec<String>,
}

impl Workflow {
    pub(crate) fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.name == name)
    }

    pub(crate) fn triggers(&self, names: &[&str]) -> &[Action] {
        let found = |name: &&str| self.triggers.iter().find(|(own, actions)| own == name && !actions.is_empty());
        names.iter().find_map(found).map_or(&[], |(_, actions)| actions)
    }
}

/// Watches events and sets variables.
#[derive(Debug)]
pub(crate) struct Observer {
    pub(crate) event: String,
    pub(crate) tool: Option<String>,
    pub(crate) mcp_server: Option<String>,
    pub(crate) mcp_tool: Option<String>,
    pub(crate) set: Vec<(String, String)>,
}

/// An action of a trigger or of a step.
#[derive(Debug)]
pub(crate) struct Action {
    /// For reasons and traces: workflow, trigger, number.
    pub(crate) rule: String,
    pub(crate) when: Gate,
    pub(crate) deed: Deed,
}

#[derive(Debug)]
pub(crate) enum Deed {
    Set {
        variable: String,
        value: Value,
    },
    Increment {
        variable: String,
        amount: Value,
    },
    BlockStop {
        reason: String,
    },
    BlockTools(Vec<BlockRule>),
    Inject {
        template: String,
    },
    TrackSchema,
    TrackDiscovery,
    DetectPlanMode,
    CaptureBaseline,
    EndWorkflow,
    /// Belongs to a feature that we do not have, or needs what only gobby knows.
    Nothing,
}

/// A rule of `block_tools`, or one with a name for `check_rules`.
#[derive(Debug)]
pub(crate) struct BlockRule {
    pub(crate) rule: String,
    pub(crate) selector: Selector,
    /// `tools` was written, perhaps empty: then `mcp_tools` is not looked at.
    pub(crate) has_tools: bool,
    pub(crate) when: Gate,
    pub(crate) reason: Option<String>,
}

#[derive(Debug)]
pub(crate) enum Toolset {
    All,
    These(Vec<String>),
}

/// A step of a workflow.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) status_message: Option<String>,
    pub(crate) on_enter: Vec<Action>,
    pub(crate) on_exit: Vec<Action>,
    pub(crate) allowed_tools: Toolset,
    pub(crate) blocked_tools: Vec<String>,
    pub(crate) allowed_mcp_tools: Toolset,
    pub(crate) blocked_mcp_tools: Vec<String>,
    pub(crate) rules: Vec<InlineRule>,
    pub(crate) check_rules: Vec<String>,
    pub(crate) transitions: Vec<Transition>,
    /// Approvals that a person has to give: their ids and prompts.
    pub(crate) approvals: Vec<(String, String)>,
    pub(crate) before_mcp: Vec<Handler>,
    pub(crate) after_mcp: Vec<Handler>,
    pub(crate) after_mcp_error: Vec<Handler>,
}

/// A rule inside a step. Only those that block act.
#[derive(Debug)]
pub(crate) struct InlineRule {
    pub(crate) when: Gate,
    pub(crate) message: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Transition {
    pub(crate) to: String,
    pub(crate) when: Gate,
    pub(crate) actions: Vec<Action>,
}

/// What a step does at a call of one MCP tool.
#[derive(Debug)]
pub(crate) struct Handler {
    pub(crate) server: String,
    /// All tools of the server, if none is named.
    pub(crate) tool: Option<String>,
    pub(crate) when: Gate,
    pub(crate) deed: HandlerDeed,
}

#[derive(Debug)]
pub(crate) enum HandlerDeed {
    Set { variable: String, value: Value },
    Block { reason: Option<String> },
}

/// What happens when the agent stops before the workflow's exit condition holds.
#[derive(Debug)]
pub(crate) struct Premature {
    pub(crate) action: PrematureAction,
    pub(crate) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PrematureAction {
    Guide,
    Block,
    Warn,
}

/// An agent's definition of the second generation.
#[derive(Debug, Default)]
pub(crate) struct Agent {
    pub(crate) name: String,
    pub(crate) blocked_tools: Vec<String>,
    pub(crate) blocked_mcp_tools: Vec<String>,
    pub(crate) rules: Vec<String>,
    /// What to include and what to exclude, if the agent selects rules.
    pub(crate) selectors: Option<(Vec<String>, Vec<String>)>,
    pub(crate) variables: Dict,
}
