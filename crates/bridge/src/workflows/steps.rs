//! Step workflows of a session: started, shown and ended by people.

use std::fmt;
use std::sync::Arc;

use askbridge_core::ids::SessionId;
use askbridge_core::refusal::Refusal;
use askbridge_peers::doors::claude;
use askbridge_peers::wish::Rejection;
use askbridge_workflows::NotActivated;
use serde_json::{Map, Value};

use super::advise::{Known, Said, sets};
use super::state::StoredState;
use crate::runtime::Handle;

/// Where a session is in its step workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StepNow {
    pub(crate) workflow: String,
    pub(crate) step: String,
    /// The step waits for a person's yes or no, and this is what it asks.
    pub(crate) waits_for: Option<String>,
    /// Variables of all rules.
    pub(crate) variables: Map<String, Value>,
}

/// Why a step workflow was not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WorkflowError {
    /// No rules hold in the session.
    NoRules,
    /// gobby's own hooks run in the session.
    OwnHooks,
    NotActivated(String, NotActivated),
}

impl fmt::Display for WorkflowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRules => f.write_str(
                "no rules of gobby's hold in this session; name their folder with ASKBRIDGE_GOBBY_RULES, or keep them in the \
                 project's .gobby/workflows",
            ),
            Self::OwnHooks => f.write_str("gobby's own hooks are installed for this session, so its daemon keeps the workflows"),
            Self::NotActivated(name, why) => write!(f, "`{name}` cannot be started: {why}"),
        }
    }
}

/// Activates a workflow: the operator's of that name, or else the project's.
pub(super) fn activate(
    known: &Known,
    state: &mut StoredState,
    workflow: &str,
    variables: &Map<String, Value>,
) -> Result<(), WorkflowError> {
    let failed = |why| Err(WorkflowError::NotActivated(workflow.to_owned(), why));
    let active = [&state.operator, &state.project].into_iter().filter_map(|state| state.active.as_ref());
    if let Some(other) = active.filter(|active| !active.is_ended).find(|active| active.workflow != workflow) {
        return failed(NotActivated::AnotherIs(other.workflow.clone()));
    }
    let mut why = NotActivated::Unknown;
    for (workflows, state) in sets(known, state) {
        match workflows.activate(state, workflow, variables) {
            Ok(()) => return Ok(()),
            Err(NotActivated::Unknown) => {}
            Err(other) => why = other,
        }
    }
    failed(why)
}

impl StoredState {
    /// The step workflow that is active.
    pub(super) fn step(&self) -> Option<StepNow> {
        let both = [&self.operator, &self.project];
        let (state, active) = both
            .into_iter()
            .find_map(|state| Some((state, state.active.as_ref().filter(|active| !active.is_ended)?)))?;
        let own = active.variables.iter().map(|(name, value)| (name.clone(), value.clone()));
        let variables = state.variables.iter().map(|(name, value)| (name.clone(), value.clone())).chain(own).collect();
        let waits_for = active.approval.as_ref().map(|approval| approval.prompt.clone());
        Some(StepNow { workflow: active.workflow.clone(), step: active.step.clone(), waits_for, variables })
    }
}

impl Handle {
    /// The step workflow of a session. `None`: none is active.
    pub(crate) async fn workflow_step(&self, session: SessionId) -> Result<Option<StepNow>, Rejection> {
        if !self.workflows.is_on() {
            return Ok(None);
        }
        let known = self.workflows_known(session, Said::default()).await?;
        if known.is_free() {
            return Ok(None);
        }
        let cell = self.workflows.sessions.cell(session);
        let held = cell.lock().await.clone();
        Ok(self.state_of(&known, session, held).await?.step())
    }

    /// Starts a step workflow in a session.
    pub(crate) async fn start_workflow(
        &self,
        session: SessionId,
        workflow: &str,
        variables: &Map<String, Value>,
    ) -> Result<Option<StepNow>, Rejection> {
        let known = self.workflows_known(session, Said::default()).await?;
        may_have(&known).map_err(refused)?;
        let begun = |state: &mut StoredState| activate(&known, state, workflow, variables).map_err(refused);
        let step = self.change_workflows(&known, session, begun).await?;
        if let Some(step) = &step {
            let text = format!("Workflow {} has begun, with the step {}", step.workflow, step.step);
            self.notice_workflows(session, text).await?;
        }
        Ok(step)
    }

    /// Ends the step workflow of a session. `false`: none is active.
    pub(crate) async fn end_workflow(&self, session: SessionId) -> Result<bool, Rejection> {
        let known = self.workflows_known(session, Said::default()).await?;
        let mut ended = None;
        let end = |state: &mut StoredState| {
            ended = state.step();
            (state.operator.active, state.project.active) = (None, None);
            Ok(())
        };
        self.change_workflows(&known, session, end).await?;
        let Some(ended) = ended else { return Ok(false) };
        let text = format!("Workflow {} was ended in the step {}", ended.workflow, ended.step);
        self.notice_workflows(session, text).await?;
        Ok(true)
    }

    /// May a session in this folder be started with this step workflow?
    pub(crate) async fn check_workflow(&self, folder: Option<&str>, workflow: &str) -> Result<(), Rejection> {
        let folder = folder.map(str::to_owned);
        let said = Said { door: claude::NAME, folder, ..Said::default() };
        // A session that does not exist, in this folder.
        let known = self.workflows_known(SessionId(0), said).await?;
        may_have(&known).map_err(refused)?;
        activate(&known, &mut StoredState::default(), workflow, &Map::new()).map_err(refused)
    }

    async fn change_workflows(
        &self,
        known: &Known,
        session: SessionId,
        change: impl FnOnce(&mut StoredState) -> Result<(), Rejection>,
    ) -> Result<Option<StepNow>, Rejection> {
        let cell = self.workflows.sessions.cell(session);
        let mut held = Arc::clone(&cell).lock_owned().await;
        let mut state = self.state_of(known, session, held.take()).await?;
        change(&mut state)?;
        if !self.store_workflows(session, known.exists, &state).await? {
            return Err(Rejection::TooLarge("these variables are too large".to_owned()));
        }
        let step = state.step();
        *held = Some(state);
        Ok(step)
    }
}

fn may_have(known: &Known) -> Result<(), WorkflowError> {
    match (known.place.has_own_hooks, known.is_free()) {
        (true, _) => Err(WorkflowError::OwnHooks),
        (false, true) => Err(WorkflowError::NoRules),
        (false, false) => Ok(()),
    }
}

fn refused(error: WorkflowError) -> Rejection {
    Rejection::Refused(Refusal::BadRequest(error.to_string()))
}
