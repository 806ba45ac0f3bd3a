//! One event of a session: evaluated by the operator's rules, then by the project's, stored, and only then told.

use std::path::Path;
use std::sync::Arc;

use askbridge_core::event::{Event as Happened, Level};
use askbridge_core::ids::{Epoch, SessionId};
use askbridge_core::limits;
use askbridge_journal::journal::Journal;
use askbridge_peers::doors::claude;
use askbridge_peers::wish::Rejection;
use askbridge_workflows::{Did, DirtyFiles, Event, Hook, Outcome, SessionFacts, SessionState, Workflows};
use serde_json::{Map, Value};
use tracing::{info, warn};

use super::advised::{Advised, Trust};
use super::in_force::OperatorRules;
use super::loaded::Loaded;
use super::own_hooks::Sources;
use super::projects::{Place, ProjectRules};
use super::state::StoredState;
use crate::hosts::Launch;
use crate::runtime::Handle;

/// Something that happens in an agent's session, in the words of gobby's rules.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Happening {
    /// The agent's own name of this moment: the same if it is heard again after a restart.
    pub(crate) id: Option<String>,
    pub(crate) session: SessionId,
    /// As the door says it, for a session that does not exist yet.
    pub(crate) door: &'static str,
    pub(crate) agent: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) folder: Option<String>,
    pub(crate) hook: Hook,
    /// Further members of the hook's input that rules may read.
    pub(crate) extra: Map<String, Value>,
}

/// What a door says of a session.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) door: &'static str,
    pub(super) agent: Option<String>,
    pub(super) title: Option<String>,
    pub(super) folder: Option<String>,
}

/// What is known of a session, and which rules hold in it.
pub(super) struct Known {
    pub(super) exists: bool,
    pub(super) continues: Option<SessionId>,
    source: String,
    facts: SessionFacts,
    /// The step workflow that it was started with.
    starts_with: Option<String>,
    pub(super) place: Place,
    pub(super) operator: Option<OperatorRules>,
    pub(super) project: Option<(Arc<ProjectRules>, Trust)>,
}

impl Known {
    /// Do no rules hold in it?
    pub(super) fn is_free(&self) -> bool {
        self.place.has_own_hooks || (self.operator.is_none() && self.project.is_none())
    }

    /// The rules that know a step workflow: the operator's before the project's.
    fn begin(&self, state: &mut StoredState) {
        let Some(workflow) = &self.starts_with else { return };
        let begun = super::steps::activate(self, state, workflow, &Map::new());
        if let Err(why) = begun {
            warn!(workflow, %why, "The step workflow that a session was to start with could not be started");
        }
    }

    /// The state of a session that has none yet.
    pub(super) fn fresh(&self) -> StoredState {
        let mut state = StoredState::default();
        self.begin(&mut state);
        state
    }
}

impl Handle {
    /// Returns what gobby's rules say about an event. What they remember of it is stored before this returns.
    pub(crate) async fn advised_by_workflows(&self, happening: Happening) -> Advised {
        if !self.workflows.is_on() {
            return Advised::default();
        }
        let session = happening.session;
        match self.advised(happening).await {
            Ok(advised) => advised,
            Err(error) => {
                warn!(session.id = %session, %error, "gobby's rules could not be asked; they have no opinion");
                Advised::default()
            }
        }
    }

    /// Do gobby's rules hold for agents in this folder?
    pub(crate) async fn workflows_look_at(&self, folder: Option<&str>) -> bool {
        if !self.workflows.is_on() {
            return false;
        }
        let place = self.workflows.projects.place(folder, Sources::ALL, self.clock.now()).await;
        let operators = self.workflows.operator().is_some_and(|rules| rules.loaded.has_rules());
        operators || place.rules.is_some_and(|rules| rules.loaded.has_rules())
    }

    async fn advised(&self, happening: Happening) -> Result<Advised, Rejection> {
        let session = happening.session;
        let Happening { door, agent, title, folder, .. } = happening.clone();
        let said = Said { door, agent, title, folder };
        let known = self.workflows_known(session, said).await?;
        if known.is_free() {
            return Ok(Advised::default());
        }
        let cell = self.workflows.sessions.cell(session);
        let mut held = Arc::clone(&cell).lock_owned().await;
        let before = self.state_of(&known, session, held.take()).await?;
        if let Some(told) = happening.id.as_deref().and_then(|id| before.had(id)) {
            *held = Some(before);
            return Ok(told.unwrap_or_default());
        }
        let id = happening.id.clone();
        let known = Arc::new(known);
        let (mut after, mut outcomes) = evaluated(&known, &happening, None, before.clone()).await;
        if outcomes.iter().any(|(outcome, _)| outcome.wants_dirty_files) {
            let dirty = self.workflows.repositories.dirty(known.facts.folder.as_deref()).await;
            (after, outcomes) = evaluated(&known, &happening, Some(dirty), before.clone()).await;
        }
        let mut advised = Advised::default();
        outcomes.iter().for_each(|(_, said)| advised.take(said.clone()));
        // A project's variables leave room for those of the operator's rules.
        let bytes = serde_json::to_vec(&after.project).map_or(usize::MAX, |it| it.len());
        if bytes > limits::WORKFLOW_STATE_BYTES_MAX / 4 {
            after.project = before.project.clone();
        }
        if let Some(id) = &id {
            after.has_had(id, &advised);
        }
        if after.differs(&before) {
            match self.store_workflows(session, known.exists, &after).await {
                Ok(true) => {}
                Ok(false) => {
                    warn!(session.id = %session, "What gobby's rules remember of a session is too large; this event changes nothing");
                    *held = Some(before);
                    return Ok(advised);
                }
                // A denial holds all the same: it promises nothing that has to survive.
                Err(_) if advised.deny.is_some() => return Ok(advised),
                Err(error) => return Err(error),
            }
        }
        *held = Some(after);
        drop(held);
        if known.exists {
            for notice in outcomes.iter().flat_map(|(outcome, _)| notices(outcome)) {
                self.notice_workflows(session, notice).await?;
            }
        }
        Ok(advised)
    }

    pub(super) async fn notice_workflows(&self, session: SessionId, text: String) -> Result<(), Rejection> {
        let notice = Happened::Notice { level: Level::Info, text };
        self.record(session, None, Epoch(0), notice).await.map_err(crate::runtime::down)
    }

    /// The state of a session: as it is in memory, or on the shelf, or a fresh one.
    pub(super) async fn state_of(
        &self,
        known: &Known,
        session: SessionId,
        held: Option<StoredState>,
    ) -> Result<StoredState, Rejection> {
        // Another node may have had the session in between.
        if let Some(held) = held.filter(|_| self.store.exclusive()) {
            return Ok(held);
        }
        let stored = self.stored_workflows(session, known.continues).await?;
        Ok(stored.unwrap_or_else(|| known.fresh()))
    }

    /// What is known of a session, and of one that does not exist yet, what is said of it.
    pub(super) async fn workflows_known(&self, session: SessionId, said: Said) -> Result<Known, Rejection> {
        let (started, settings) =
            self.look(session, |state| (state.session.started.clone(), state.session.settings.clone())).await?;
        let launch = Launch::of(&settings);
        let door = started.as_ref().map_or(said.door, |started| started.door.as_str()).to_owned();
        let agent = started.as_ref().map(|started| started.agent.clone()).or(said.agent).unwrap_or_default();
        let folder = said.folder.or_else(|| settings.folder.clone());
        let is_hosted = door == claude::NAME;
        let sources = match is_hosted {
            true => Sources::named(launch.setting_sources.as_deref()),
            false => Sources::ALL,
        };
        let place = self.workflows.projects.place(folder.as_deref(), sources, self.clock.now()).await;
        let project = place.rules.clone().filter(|rules| rules.loaded.has_rules()).map(|rules| {
            let is_trusted = rules.folder.to_str().is_some_and(|folder| self.rules.now().trusts(folder));
            (rules, if is_trusted { Trust::Whole } else { Trust::Tightens })
        });
        let source = match (is_hosted, launch.page.as_deref()) {
            (true, Some("gobby")) => "claude_sdk_web_chat".to_owned(),
            (true, _) => "claude_sdk".to_owned(),
            (false, _) => agent,
        };
        let facts = SessionFacts {
            id: session.to_string(),
            title: said.title.or_else(|| settings.title.clone()),
            project: place.name.clone().or_else(|| name_of(folder.as_deref())),
            folder,
            ..SessionFacts::default()
        };
        Ok(Known {
            exists: started.is_some(),
            continues: started.as_ref().and_then(|started| started.continues),
            source,
            facts,
            starts_with: launch.workflow.clone().filter(|_| is_hosted),
            place,
            operator: self.workflows.operator().filter(|rules| rules.loaded.has_rules()),
            project,
        })
    }
}

fn name_of(folder: Option<&str>) -> Option<String> {
    Some(Path::new(folder?).file_name()?.to_str()?.to_owned())
}

type Outcomes = Vec<(Outcome, Advised)>;

/// Evaluates an event, on a thread of its own: a condition may take a while within its limits.
async fn evaluated(
    known: &Arc<Known>,
    happening: &Happening,
    dirty: Option<DirtyFiles>,
    before: StoredState,
) -> (StoredState, Outcomes) {
    let known = Arc::clone(known);
    let facts = SessionFacts { dirty_files: dirty, ..known.facts.clone() };
    let mut event = Event::new(happening.hook.clone(), known.source.clone(), facts);
    event.extra = happening.extra.clone();
    let unchanged = before.clone();
    let evaluated = tokio::task::spawn_blocking(move || evaluate(&known, &event, before));
    // It fails only if the server stops: then nothing is told either.
    evaluated.await.unwrap_or_else(|_| (unchanged, Vec::new()))
}

fn evaluate(known: &Known, event: &Event, mut state: StoredState) -> (StoredState, Outcomes) {
    let mut outcomes = Vec::new();
    let operator = known.operator.as_ref().map(|rules| (&*rules.loaded, rules.trust));
    let project = known.project.as_ref().map(|(rules, trust)| (&rules.loaded, *trust));
    let both = [(operator, &mut state.operator), (project, &mut state.project)];
    for (rules, state) in both {
        let Some((loaded, trust)) = rules else { continue };
        let (outcome, advised) = one(loaded, trust, event, state);
        let is_blocked = advised.deny.is_some();
        outcomes.push((outcome, advised));
        // As among gobby's own: the first block ends it.
        if is_blocked {
            break;
        }
    }
    (state, outcomes)
}

fn one(loaded: &Loaded, trust: Trust, event: &Event, state: &mut SessionState) -> (Outcome, Advised) {
    let outcome = loaded.workflows.on(state, event);
    let advised = Advised::of(&outcome, &event.hook, loaded, trust);
    for observed in &outcome.observed {
        info!(
            session.id = event.session.id,
            rule = observed.rule,
            category = observed.category,
            "A rule observed something"
        );
    }
    (outcome, advised)
}

/// What people are shown of an event: what a step says of itself, and that there is another one.
fn notices(outcome: &Outcome) -> impl Iterator<Item = String> {
    let moved = outcome.trace.iter().filter(|line| line.did == Did::Transition);
    let moved = moved.filter_map(|line| Some(format!("Workflow {}: {}", line.rule, line.detail.as_deref()?)));
    let begun = outcome.trace.iter().filter(|line| line.did == Did::Activate);
    let begun = begun.map(|line| format!("Workflow {} has begun", line.rule));
    begun.chain(moved).chain(outcome.messages.iter().filter(|text| !text.trim().is_empty()).cloned())
}

/// The rules of one kind, for starting and ending a workflow.
pub(super) fn sets<'a>(known: &'a Known, state: &'a mut StoredState) -> Vec<(&'a Workflows, &'a mut SessionState)> {
    let operator = known.operator.as_ref().map(|rules| (&rules.loaded.workflows, &mut state.operator));
    let project = known.project.as_ref().map(|(rules, _)| (&rules.loaded.workflows, &mut state.project));
    operator.into_iter().chain(project).collect()
}
