//! Everything that was loaded, and the two functions that a bridge calls: `load` and `on`.

use std::fmt;

use super::run::Run;
use crate::event::{Event, Hook, StartSource};
use crate::file::{self, Agent, BlockRule, Generation, Read, Rule, Workflow};
use crate::finding::{Finding, FindingKind};
use crate::limits::FILES_MAX;
use crate::outcome::Outcome;
use crate::report::Report;
use crate::state::{ActiveWorkflow, SessionState};
use crate::template::Templates;
use crate::value::Dict;

/// The rules and workflows of a folder.
#[derive(Debug)]
pub struct Workflows {
    pub(super) templates: Templates,
    /// Sorted by priority, then by name.
    pub(super) rules: Vec<Rule>,
    /// Sorted by priority, then by name.
    pub(super) workflows: Vec<Workflow>,
    pub(super) agents: Vec<Agent>,
    pub(super) variables: Dict,
    shared_rules: std::collections::BTreeMap<String, Vec<(String, BlockRule)>>,
    report: Report,
}

/// Why a step workflow was not activated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotActivated {
    Unknown,
    HasNoSteps,
    /// Another one is active, whose name this is.
    AnotherIs(String),
}

impl fmt::Display for NotActivated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("there is no such workflow"),
            Self::HasNoSteps => f.write_str("the workflow has no steps"),
            Self::AnotherIs(name) => write!(f, "the workflow `{name}` is active"),
        }
    }
}

impl Workflows {
    /// Reads files: their paths, for messages, and their texts. What can be used is used; the rest is in the findings.
    pub fn load<P: AsRef<str>, T: AsRef<str>>(files: impl Iterator<Item = (P, T)>) -> (Self, Vec<Finding>) {
        let (templates, mut read) = (Templates::new(), Read::default());
        for (at, (path, text)) in files.enumerate() {
            if at >= FILES_MAX {
                let what = format!("this file and those after it are not read: there are more than {FILES_MAX}");
                let file = path.as_ref().to_owned();
                read.findings.push(Finding { kind: FindingKind::Error, file, line: None, rule: None, what });
                break;
            }
            file::read(&mut read, &templates, path.as_ref(), text.as_ref());
        }
        let Read { mut rules, mut workflows, agents, variables, shared_rules, mut findings, reports, without } = read;
        rules.sort_by(|a, b| (a.priority, &a.name).cmp(&(b.priority, &b.name)));
        workflows.sort_by(|a, b| (a.priority, &a.name).cmp(&(b.priority, &b.name)));
        for (name, first) in without {
            let times = if first.times == 1 { "once".to_owned() } else { format!("{} times, first here", first.times) };
            let what = format!("{name}: without effect ({times})");
            let (file, line) = (first.file, Some(first.line));
            findings.push(Finding { kind: FindingKind::WithoutEffect, file, line, rule: None, what });
        }
        findings.sort_by_key(|finding| finding.kind);
        let report = Report::new(reports, findings.clone());
        (Self { templates, rules, workflows, agents, variables, shared_rules, report }, findings)
    }

    /// Every file with its rules, what acts and what does not.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Evaluates an event, and changes the session's state accordingly.
    pub fn on(&self, state: &mut SessionState, event: &Event) -> Outcome {
        let is_first_message = matches!(event.hook, Hook::UserPromptSubmit { .. }) && !state.is_initialized;
        let mut outcome = Outcome::default();
        if is_first_message {
            // A client without the hook SessionStart: its first message stands in for it.
            let hook = Hook::SessionStart { source: StartSource::Startup };
            let start = Event { hook, ..event.clone() };
            let mut run = Run::new(self, state, &start);
            run.stands_in = true;
            run.evaluate();
            outcome = run.finish(state);
        }
        let mut run = Run::new(self, state, event);
        run.evaluate();
        let later = run.finish(state);
        if matches!(event.hook, Hook::SessionStart { .. } | Hook::UserPromptSubmit { .. }) {
            state.is_initialized = true;
            for name in INITIALIZED {
                state.variables.insert((*name).to_owned(), true.into());
            }
        }
        if !is_first_message {
            return later;
        }
        outcome.context.extend(later.context);
        outcome.messages.extend(later.messages);
        outcome.observed.extend(later.observed);
        outcome.trace.extend(later.trace);
        outcome.wants_dirty_files |= later.wants_dirty_files;
        Outcome { block: outcome.block.or(later.block), ..outcome }
    }

    /// Activates a step workflow, with values for its variables.
    pub fn activate(
        &self,
        state: &mut SessionState,
        workflow: &str,
        variables: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<(), NotActivated> {
        if let Some(active) = state.active.as_ref().filter(|active| !active.is_ended && active.workflow != workflow) {
            return Err(NotActivated::AnotherIs(active.workflow.clone()));
        }
        let found = self.workflow(workflow).ok_or(NotActivated::Unknown)?;
        let first = found.steps.first().ok_or(NotActivated::HasNoSteps)?;
        let mut active =
            ActiveWorkflow { workflow: found.name.clone(), step: first.name.clone(), ..Default::default() };
        let defaults = found.variables.iter().filter_map(|(name, value)| Some((name.as_str()?, value.to_json())));
        // The first generation has one set of variables for the session; the second keeps those of a workflow apart.
        let held = match found.generation {
            Generation::First => &mut state.variables,
            Generation::Second => &mut active.variables,
        };
        held.extend(defaults.map(|(name, value)| (name.to_owned(), value)));
        held.extend(variables.iter().map(|(name, value)| (name.clone(), value.clone())));
        for (name, value) in found.session_variables.iter() {
            let Some(name) = name.as_str() else { continue };
            state.variables.entry(name.to_owned()).or_insert_with(|| value.to_json());
        }
        state.active = Some(active);
        Ok(())
    }

    /// Ends the step workflow that is active, if one is.
    pub fn deactivate(&self, state: &mut SessionState) {
        state.active = None;
    }

    pub(super) fn workflow(&self, name: &str) -> Option<&Workflow> {
        self.workflows.iter().find(|workflow| workflow.name == name)
    }

    /// A named rule: of the workflow itself, of the files that it imports, or of any file.
    pub(super) fn named_rule<'w>(&'w self, workflow: &'w Workflow, name: &str) -> Option<&'w BlockRule> {
        let imported = workflow.imports.iter().filter_map(|file| self.shared_rules.get(file));
        let all = [&workflow.named_rules].into_iter().chain(imported).chain(self.shared_rules.values());
        all.flatten().find(|(own, _)| own == name).map(|(_, rule)| rule)
    }
}

/// The variables that say that a session is initialized: the name in gobby's design, and the one that it shipped.
const INITIALIZED: &[&str] = &["session_initialized", "_session_initialized"];
