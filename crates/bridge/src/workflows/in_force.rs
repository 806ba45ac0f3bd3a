//! The rules that are in force: the operator's, those of projects, and the states of sessions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use askbridge_core::ids::{SessionId, Timestamp};
use parking_lot::{Mutex, RwLock};

use super::advised::Trust;
use super::dirty::Repositories;
use super::loaded::Loaded;
use super::projects::{GobbyProjects, ProjectRules};
use super::state::SessionStates;

/// gobby's rules, as far as sessions are driven by them here.
#[derive(Debug, Default)]
pub(crate) struct WorkflowsInForce {
    operator: RwLock<Option<OperatorRules>>,
    state: Mutex<FolderState>,
    pub(super) home: Mutex<Option<PathBuf>>,
    pub(crate) projects: GobbyProjects,
    pub(super) sessions: SessionStates,
    pub(super) repositories: Repositories,
}

/// The operator's rules.
#[derive(Debug, Clone)]
pub(crate) struct OperatorRules {
    pub(crate) loaded: Arc<Loaded>,
    pub(super) trust: Trust,
}

/// Where the operator's rules come from, and what is wrong with the folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct FolderState {
    /// The folder that the settings name.
    pub(crate) folder: Option<String>,
    /// When it was read.
    pub(crate) since: Option<Timestamp>,
    /// Does it have rules that allow or change calls, to which a person has yet to agree?
    pub(crate) waits_for_tap: bool,
    /// Why the folder as it is now is not in force, or not all of it.
    pub(crate) problem: Option<String>,
}

impl WorkflowsInForce {
    pub(crate) fn operator(&self) -> Option<OperatorRules> {
        self.operator.read().clone()
    }

    pub(super) fn put(&self, loaded: Arc<Loaded>, trust: Trust) {
        *self.operator.write() = Some(OperatorRules { loaded, trust });
    }

    pub(crate) fn state(&self) -> FolderState {
        self.state.lock().clone()
    }

    pub(super) fn set_state(&self, change: impl FnOnce(&mut FolderState)) {
        change(&mut self.state.lock());
    }

    /// Is there anything to ask? If not, no event is looked at.
    pub(crate) fn is_on(&self) -> bool {
        self.projects.is_on() || self.operator.read().as_ref().is_some_and(|rules| rules.loaded.has_rules())
    }

    /// May a rule answer when a permission is asked for? Of projects, as far as they were read: an event of the session came before.
    pub(super) fn answer_permissions(&self, folder: Option<&str>) -> bool {
        let operators = self.operator.read().as_ref().is_some_and(|rules| rules.loaded.answers_permissions());
        let is_within = |rules: &ProjectRules| folder.is_none_or(|folder| Path::new(folder).starts_with(&rules.folder));
        let mut projects = self.projects.all().into_iter();
        operators || projects.any(|rules| is_within(&rules) && rules.loaded.answers_permissions())
    }

    /// Forgets what memory holds of sessions that are gone.
    pub(crate) fn forget(&self, gone: impl Fn(SessionId) -> bool) {
        self.sessions.forget(gone);
    }
}

impl OperatorRules {
    /// Do all of its effects count?
    pub(crate) fn is_agreed(&self) -> bool {
        self.trust == Trust::Whole
    }
}
