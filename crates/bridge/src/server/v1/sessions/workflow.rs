//! `/v1/sessions/{id}/workflow`: the step workflow of a session, if gobby's rules hold in it.

use askbridge_peers::json::StepJson;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json as example};

use super::visible;
use crate::auth::Caller;
use crate::runtime::Right;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::workflows::StepNow;

/// The step workflow of a session.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SessionWorkflow")]
struct WorkflowJson {
    session: String,
    /// `null` if none is active.
    workflow: Option<StepJson>,
    /// The variables of gobby's rules in this session, while a workflow is active.
    variables: Map<String, Value>,
}

/// A step workflow to start.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct StartWorkflow {
    /// Its name, as its file gives it; of an agent's definition, the agent's name.
    name: String,
    /// Values for its variables.
    #[serde(default)]
    variables: Map<String, Value>,
}

impl From<&StepNow> for StepJson {
    fn from(now: &StepNow) -> Self {
        Self { name: now.workflow.clone(), step: now.step.clone(), waits_for: now.waits_for.clone() }
    }
}

fn shown(session: &str, step: Option<StepNow>) -> Response {
    let workflow = step.as_ref().map(StepJson::from);
    let variables = step.map(|step| step.variables).unwrap_or_default();
    json(StatusCode::OK, &WorkflowJson { session: session.to_owned(), workflow, variables })
}

pub(crate) async fn show(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    let session = app.handle.newest(session).await?.session;
    Ok(shown(&id, app.handle.workflow_step(session).await?))
}

pub(crate) async fn start(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(wanted): Json<StartWorkflow>,
) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    let session = app.handle.newest(session).await?.session;
    app.handle.check(&caller, Right::DriveWorkflow(session))?;
    Ok(shown(&id, app.handle.start_workflow(session, &wanted.name, &wanted.variables).await?))
}

pub(crate) async fn end(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    let session = app.handle.newest(session).await?.session;
    app.handle.check(&caller, Right::DriveWorkflow(session))?;
    app.handle.end_workflow(session).await?;
    Ok(shown(&id, None))
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("showWorkflow", "Sessions", "Says where a session is in its step workflow.")
        .text("*Callers that may see it.* For sessions that gobby's rules drive.")
        .returns::<WorkflowJson>(200, "As it is.")
        .refuses(&["unknown_session"]);
}

pub(crate) fn start_doc(op: &mut Operation<'_>) {
    op.is("startWorkflow", "Sessions", "Starts a step workflow in a session.")
        .text(
            "*Operators, this machine.* A workflow of the folder that `gobby_rules` names, or of the session's project. Its \
             steps say which tools the agent may use.",
        )
        .body::<StartWorkflow>(example!({"name": "developer", "variables": {"session_task": "#12"}}))
        .returns::<WorkflowJson>(200, "With its first step.")
        .refuses(&["forbidden", "unknown_session"]);
}

pub(crate) fn end_doc(op: &mut Operation<'_>) {
    op.is("endWorkflow", "Sessions", "Ends the step workflow of a session.")
        .text("*Operators, this machine.* Its steps restrict nothing from then on.")
        .returns::<WorkflowJson>(200, "Without one.")
        .refuses(&["forbidden", "unknown_session"]);
}
