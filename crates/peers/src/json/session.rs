//! One session as the API shows it.

use askbridge_core::session::End;
use askbridge_core::view::SessionView;
use schemars::JsonSchema;
use serde::Serialize;

use super::host::HostJson;
use super::schema::SessionState;
use super::time::Rfc3339;

/// A conversation with an agent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Session")]
pub struct SessionJson {
    pub id: String,
    /// `active`, `closed` or `continued`.
    pub state: SessionState,
    pub agent: String,
    pub door: String,
    pub title: Option<String>,
    pub folder: Option<String>,
    pub branch: Option<String>,
    /// `running`, `parked`, `asleep` or `none`.
    pub process: &'static str,
    /// The node that runs it. Left out unless several share the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostJson>,
    /// Its place in the line for a free process, if it waits for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for_process: Option<usize>,
    /// Where it is in its step workflow, if gobby's rules hold in it and one is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<StepJson>,
    pub model: Option<String>,
    pub permission_mode: Option<String>,
    pub waiting_for_person: bool,
    pub open_ask_ids: Vec<String>,
    pub queued_messages: Vec<QueuedJson>,
    pub started_at: Rfc3339,
    pub last_activity: Rfc3339,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continued_as: Option<String>,
    /// Where to follow from, to miss nothing that this view does not show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A step workflow of gobby's, and where a session is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WorkflowStep")]
pub struct StepJson {
    pub name: String,
    pub step: String,
    /// What the step asks a person, who writes yes or no. Until then every tool is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
}

/// A message that waits for the agent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "QueuedMessage")]
pub struct QueuedJson {
    pub id: String,
    pub text: String,
}

impl SessionJson {
    pub fn of(view: &SessionView, cursor: Option<String>) -> Self {
        Self {
            id: view.id.to_string(),
            state: match view.end {
                None => SessionState::Active,
                Some(End::Closed { .. }) => SessionState::Closed,
                Some(End::Continued { .. }) => SessionState::Continued,
            },
            agent: view.started.agent.clone(),
            door: view.started.door.clone(),
            title: view.settings.title.clone(),
            folder: view.settings.folder.clone(),
            branch: view.settings.branch.clone(),
            process: view.process.name(),
            host: view.host.as_deref().map(HostJson::from),
            waits_for_process: None,
            workflow: None,
            model: view.settings.model.clone(),
            permission_mode: view.settings.mode.clone(),
            waiting_for_person: !view.open.is_empty(),
            open_ask_ids: view.open.iter().map(ToString::to_string).collect(),
            queued_messages: view
                .queued
                .iter()
                .map(|(id, text)| QueuedJson { id: id.to_string(), text: text.clone() })
                .collect(),
            started_at: Rfc3339(view.started.at),
            last_activity: Rfc3339(view.last_activity),
            continued_as: match &view.end {
                Some(End::Continued { to, .. }) => Some(to.to_string()),
                _ => None,
            },
            cursor,
        }
    }
}
