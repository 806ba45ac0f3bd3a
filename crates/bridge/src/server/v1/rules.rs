//! `GET /v1/rules`: the rules in force, and what is wrong with their file.

use askbridge_policy::Problem;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use crate::auth::{Action, Caller};
use crate::clock::Rfc3339;
use crate::server::app::App;
use crate::server::body::json;
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

/// The rules in force.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rules")]
pub(crate) struct RulesJson {
    /// The rule file; `null` if there is none.
    file: Option<String>,
    /// How many rules are in force, those of the settings included.
    rules: usize,
    /// When the file was read; `null` if rules were never read.
    since: Option<Rfc3339>,
    /// The file has rules that allow or answer, and no person has agreed to them yet: a paired device shows a tap.
    waits_for_tap: bool,
    /// What is wrong with the file as it is now. If there is something, the rules in force are those that it had before.
    problems: Vec<RuleProblemJson>,
    /// The rule files of projects that were read for an ask lately.
    projects: Vec<ProjectRulesJson>,
}

/// The rules of one project, `.askbridge/rules.toml`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProjectRules")]
struct ProjectRulesJson {
    file: String,
    /// How many of its rules are in force.
    rules: usize,
    /// The operator trusts the folder, so that its rules may allow and answer.
    trusted: bool,
    /// What is wrong with the file as it is now: what cannot be read, where the last good version stays in force; or
    /// rules that loosen, which are left out.
    problems: Vec<RuleProblemJson>,
}

/// Something that is wrong with a rule file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RuleProblem")]
struct RuleProblemJson {
    line: usize,
    column: usize,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl RuleProblemJson {
    fn of(Problem { line, column, what, hint, .. }: Problem) -> Self {
        Self { line, column, what, hint }
    }
}

pub(crate) async fn show(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    caller.may(Action::Inspect, None)?;
    let state = app.handle.rules.state();
    let in_force = app.handle.rules.now();
    let projects = app.handle.rules.projects.files();
    let projects = projects.iter().map(|project| ProjectRulesJson {
        file: project.file.clone(),
        rules: project.rules(&in_force).set().len(),
        trusted: in_force.trusts(&project.folder),
        problems: project.problems(&in_force).cloned().map(RuleProblemJson::of).collect(),
    });
    let rules = RulesJson {
        file: state.file,
        rules: in_force.len(),
        since: state.since.map(Rfc3339),
        waits_for_tap: state.waits_for_tap,
        problems: state.problems.into_iter().map(RuleProblemJson::of).collect(),
        projects: projects.collect(),
    };
    Ok(json(StatusCode::OK, &rules))
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("showRules", "Server", "Says which rules are in force, and what is wrong with their file.")
        .text("*Operators, this machine.* A file that cannot be read leaves the last good version in force.")
        .returns::<RulesJson>(200, "As they are.")
        .refuses(&["forbidden"]);
}
