//! The step workflow that is active: common parts of both generations.

use std::sync::Arc;

use serde_json::Value as Json;

use super::lifecycle::Place;
use super::run::Run;
use crate::condition::Scope;
use crate::event::Hook;
use crate::file::{Generation, Step, Workflow};
use crate::outcome::Did;
use crate::value::{Dict, Value};

impl<'a> Run<'a> {
    pub(super) fn steps(&mut self) {
        self.observe_activation();
        let Some((workflow, _)) = self.current() else { return };
        match workflow.generation {
            Generation::First => self.step_first(),
            Generation::Second => self.step_second(),
        }
    }

    /// The active workflow and its step.
    pub(super) fn current(&self) -> Option<(&'a Workflow, &'a Step)> {
        let active = self.active.as_ref().filter(|active| !active.is_ended)?;
        let workflow = self.all.workflow(&active.workflow)?;
        Some((workflow, workflow.step(&active.step)?))
    }

    /// The variables of the session, hidden by those of the workflow.
    pub(super) fn merged_variables(&self) -> Dict {
        let mut merged = (*self.variables).clone();
        for (name, value) in self.active.iter().flat_map(|active| &active.variables) {
            merged.set(name, Value::from(value));
        }
        merged
    }

    /// Sets a variable of the workflow and of the session, as gobby's handlers do.
    pub(super) fn set_in_step(&mut self, rule: &str, name: &str, value: Value) {
        let own = self.current().is_some_and(|(workflow, _)| workflow.generation == Generation::Second);
        if let Some(active) = self.active.as_mut().filter(|_| own) {
            active.variables.insert(name.to_owned(), value.to_json());
        }
        self.set(rule, name, value);
    }

    /// Goes to a step of the workflow.
    pub(super) fn go(&mut self, workflow: &'a Workflow, to: &str) {
        let Some(active) = &mut self.active else { return };
        let from = std::mem::replace(&mut active.step, to.to_owned());
        active.actions_in_step = 0;
        active.is_entered = false;
        let detail = format!("{from} -> {to}");
        self.trace(&workflow.name, Did::Transition, Some(detail));
    }

    /// Does the actions of entering the step, once.
    pub(super) fn enter(&mut self) {
        let Some((_, step)) = self.current() else { return };
        let Some(active) = self.active.as_mut().filter(|active| !active.is_entered) else { return };
        active.is_entered = true;
        for action in &step.on_enter {
            self.action(action, Place::Step);
        }
        if let Some(message) = &step.status_message {
            let variables = Arc::clone(&self.variables);
            let scope = Scope::new(self.trigger_names(), Some(&variables));
            let message = self.all.templates.render(message, &scope);
            self.outcome.messages.push(message);
        }
    }

    /// Calls that start and end workflows, if they succeeded.
    fn observe_activation(&mut self) {
        if !matches!(self.event.hook, Hook::PostToolUse { .. }) || self.is_failure() {
            return;
        }
        let Some(("gobby-workflows", tool)) = self.mcp() else { return };
        let input = self.inner_input();
        let Some(arguments) = input.as_dict() else { return };
        match tool {
            "activate_workflow" => {
                let name = arguments.get("name").or_else(|| arguments.get("workflow_name")).and_then(Value::as_str);
                let Some(name) = name.map(str::to_owned) else { return };
                let given = match arguments.get("variables").map(Value::to_json) {
                    Some(Json::Object(given)) => given,
                    _ => serde_json::Map::new(),
                };
                self.activate(&name, &given);
            }
            "end_workflow" | "deactivate_workflow" => self.active = None,
            _ => {}
        }
    }

    fn activate(&mut self, name: &str, given: &serde_json::Map<String, Json>) {
        let mut state = crate::state::SessionState { active: self.active.clone(), ..Default::default() };
        match self.all.activate(&mut state, name, given) {
            Ok(()) => {
                for (name, value) in &state.variables {
                    Arc::make_mut(&mut self.variables).set(name, Value::from(value));
                }
                self.active = state.active;
                self.trace(name, Did::Activate, None);
            }
            Err(why) => self.trace(name, Did::NotApply, Some(why.to_string())),
        }
    }
}
