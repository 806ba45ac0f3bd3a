//! One event: what is known, what was set, and what comes out.

use std::sync::Arc;

use super::data::event_data;
use super::workflows::Workflows;
use crate::condition::Scope;
use crate::dirty::{BASELINE, EDITED, Repository};
use crate::event::{Event, Hook};
use crate::file::{Gate, Generation};
use crate::functions::{CALL_TOOL, Known};
use crate::limits::{TRACE_MAX, VARIABLE_BYTES_MAX, VARIABLES_MAX};
use crate::outcome::{Block, Did, Outcome, Trace};
use crate::state::{ActiveWorkflow, SessionState};
use crate::value::{Dict, Value, ValueError};

pub(super) struct Run<'a> {
    pub(super) all: &'a Workflows,
    pub(super) event: &'a Event,
    /// `event.data`.
    pub(super) data: Arc<Dict>,
    /// The session's variables.
    pub(super) variables: Arc<Dict>,
    pub(super) active: Option<ActiveWorkflow>,
    pub(super) outcome: Outcome,
    /// The first message stands in for a start that the client does not report.
    pub(super) stands_in: bool,
    pub(super) repository: Repository,
    event_value: Value,
}

impl<'a> Run<'a> {
    pub(super) fn new(all: &'a Workflows, state: &SessionState, event: &'a Event) -> Self {
        let data = Arc::new(event_data(event));
        let held = state.variables.iter().map(|(name, value)| (name.clone(), Value::from(value)));
        let variables: Dict = held.collect();
        let event_value = event_value(event, &data);
        Self {
            all,
            event,
            data,
            variables: Arc::new(variables),
            active: state.active.clone(),
            outcome: Outcome::default(),
            stands_in: false,
            repository: Repository::new(event.session.dirty_files.as_ref()),
            event_value,
        }
    }

    pub(super) fn evaluate(&mut self) {
        self.defaults();
        self.observe();
        self.count_stops();
        self.lifecycle();
        if !self.outcome.is_blocked() {
            self.steps();
        }
        if !self.outcome.is_blocked() {
            self.rules();
        }
    }

    /// Writes the variables back. Returns what came out.
    pub(super) fn finish(mut self, state: &mut SessionState) -> Outcome {
        if self.repository.is_first_look() {
            self.capture_baseline("baseline_dirty_files");
        }
        self.outcome.wants_dirty_files = self.repository.is_wanted();
        let named =
            self.variables.iter().filter_map(|(name, value)| Some((name.as_str()?.to_owned(), value.to_json())));
        state.variables = named.collect();
        state.active = self.active;
        self.outcome
    }

    /// Gives variables that are not set the value that the files name.
    fn defaults(&mut self) {
        let all = self.all;
        let source = &self.event.source;
        let workflows = all.workflows.iter().filter(|it| it.is_enabled && applies(it.sources.as_deref(), source));
        let agent = self.agent().map(|agent| &agent.variables);
        let sets = workflows.flat_map(|it| [&it.variables, &it.session_variables]).chain([&all.variables]).chain(agent);
        for (name, value) in sets.flat_map(Dict::iter) {
            let Some(name) = name.as_str() else { continue };
            if self.variables.get(name).is_none() {
                Arc::make_mut(&mut self.variables).set(name, value.clone());
            }
        }
    }

    /// The second generation counts attempts to stop by itself; the first has actions for it.
    fn count_stops(&mut self) {
        if self.all.rules.is_empty() {
            return;
        }
        if matches!(self.event.hook, Hook::UserPromptSubmit { .. }) {
            self.set("stop_attempts", "stop_attempts", Value::Int(0));
        } else if self.event.hook.is_turn_end() && !self.lifecycle_counts_stops() {
            let attempts = match self.variables.get("stop_attempts") {
                Some(Value::Int(it)) => *it,
                _ => 0,
            };
            self.set("stop_attempts", "stop_attempts", Value::Int(attempts.saturating_add(1)));
        }
    }

    /// Notes which files are changed before the session changes any.
    pub(super) fn capture_baseline(&mut self, rule: &str) {
        let Some(files) = self.repository.all() else { return };
        self.set(rule, BASELINE, Value::list(files.into_iter().map(Value::text).collect()));
        self.set(rule, EDITED, Value::list(Vec::new()));
    }

    pub(super) fn variable(&self, name: &str) -> Value {
        self.variables.get(name).cloned().unwrap_or(Value::None)
    }

    /// Sets a variable, within limits.
    pub(super) fn set(&mut self, rule: &str, name: &str, value: Value) {
        let is_new = self.variables.get(name).is_none();
        let fits = serde_json::to_string(&value.to_json()).is_ok_and(|text| text.len() <= VARIABLE_BYTES_MAX);
        if !fits || (is_new && self.variables.len() >= VARIABLES_MAX) {
            self.trace(rule, Did::NotSet, Some(name.to_owned()));
            return;
        }
        Arc::make_mut(&mut self.variables).set(name, value);
        self.trace(rule, Did::Set, Some(name.to_owned()));
    }

    pub(super) fn trace(&mut self, rule: &str, did: Did, detail: Option<String>) {
        if self.outcome.trace.len() < TRACE_MAX {
            self.outcome.trace.push(Trace { rule: rule.to_owned(), did, detail });
        }
    }

    /// Blocks the event: the stop, if it is one.
    pub(super) fn block(&mut self, rule: &str, reason: String) {
        let block = Some(Block { rule: rule.to_owned(), reason });
        if self.event.hook.is_turn_end() {
            self.outcome.block_stop = block;
            self.trace(rule, Did::BlockStop, None);
        } else {
            self.outcome.block = block;
            self.trace(rule, Did::Block, None);
        }
    }

    pub(super) fn known(&self, generation: Generation) -> Known<'_> {
        Known {
            generation,
            variables: &self.variables,
            data: &self.data,
            is_failure: self.is_failure(),
            folder: self.event.session.folder.as_deref(),
            repository: Some(&self.repository),
        }
    }

    pub(super) fn is_failure(&self) -> bool {
        self.data.get("is_error").is_some_and(Value::truth)
    }

    /// Asks a gate. `if_failed` is the answer when it cannot be evaluated.
    pub(super) fn holds(
        &mut self,
        rule: &str,
        gate: &Gate,
        scope: &Scope<'_>,
        of: Generation,
        if_failed: bool,
    ) -> bool {
        match ask(gate, scope, &self.known(of)) {
            Ok(true) => true,
            Ok(false) => {
                self.trace(rule, Did::NotApply, None);
                false
            }
            Err(error) => {
                let did = if if_failed { Did::FailClosed } else { Did::FailOpen };
                self.trace(rule, did, Some(error.0));
                if_failed
            }
        }
    }

    pub(super) fn tool(&self) -> &str {
        self.data.get("tool_name").and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn tool_input(&self) -> Value {
        self.data.get("tool_input").filter(|it| it.truth()).cloned().unwrap_or_else(|| Value::dict(Dict::default()))
    }

    /// The server and the tool of an MCP call.
    pub(super) fn mcp(&self) -> Option<(&str, &str)> {
        let server = self.data.get("mcp_server").and_then(Value::as_str).filter(|it| !it.is_empty())?;
        let tool = self.data.get("mcp_tool").and_then(Value::as_str).filter(|it| !it.is_empty())?;
        Some((server, tool))
    }

    pub(super) fn is_call_tool(&self) -> bool {
        CALL_TOOL.contains(&self.tool())
    }

    /// The input that conditions of the second generation see: the arguments of the tool inside, with its names.
    pub(super) fn inner_input(&self) -> Value {
        let input = self.tool_input();
        let Some(outer) = input.as_dict().filter(|_| self.is_call_tool()) else { return input };
        let Some(Value::Dict(arguments)) = outer.get("arguments") else { return input };
        let mut inner = (**arguments).clone();
        for field in ["server_name", "tool_name"] {
            if let (Some(value), None) = (outer.get(field), inner.get(field)) {
                inner.set(field, value.clone());
            }
        }
        Value::dict(inner)
    }

    pub(super) fn project(&self) -> Value {
        let facts = &self.event.session;
        let text = |it: &Option<String>| Value::text(it.as_deref().unwrap_or_default());
        let fields = [("name", text(&facts.project)), ("id", text(&None)), ("path", text(&facts.folder))];
        Value::dict(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    pub(super) fn session(&self) -> Value {
        let facts = &self.event.session;
        let title = facts.title.as_ref().map_or(Value::None, Value::text);
        let source = Value::text(&self.event.source);
        Value::object("session", vec![("id", Value::text(&facts.id)), ("title", title), ("source", source)])
    }

    pub(super) fn all_variables(&self) -> Value {
        Value::Dict(Arc::clone(&self.variables))
    }

    pub(super) fn event_object(&self) -> Value {
        self.event_value.clone()
    }
}

/// Is a source named, or none?
pub(super) fn applies(sources: Option<&[String]>, source: &str) -> bool {
    sources.is_none_or(|sources| sources.iter().any(|it| it == source))
}

pub(super) fn ask(gate: &Gate, scope: &Scope<'_>, known: &Known<'_>) -> Result<bool, ValueError> {
    match gate {
        Gate::Always => Ok(true),
        Gate::When(condition) => condition.holds(scope, known),
        Gate::Broken(why) => Err(ValueError(why.clone())),
    }
}

fn event_value(event: &Event, data: &Arc<Dict>) -> Value {
    let is_failure = data.get("is_error").is_some_and(Value::truth);
    let mut metadata = Dict::default();
    metadata.set("_platform_session_id", Value::text(&event.session.id));
    if matches!(event.hook, Hook::PostToolUse { .. }) {
        metadata.set("is_failure", Value::Bool(is_failure));
    }
    let value = |kind, text: &str| Value::object(kind, vec![("value", Value::text(text))]);
    let name = event.hook.names().rule.last().copied().unwrap_or_default();
    let folder = event.session.folder.as_ref().map_or(Value::None, Value::text);
    Value::object(
        "event",
        vec![
            ("data", Value::Dict(Arc::clone(data))),
            ("metadata", Value::dict(metadata)),
            ("source", value("source", &event.source)),
            ("event_type", value("event_type", name)),
            ("session_id", Value::text(&event.session.id)),
            ("cwd", folder),
            ("project_id", Value::None),
        ],
    )
}
