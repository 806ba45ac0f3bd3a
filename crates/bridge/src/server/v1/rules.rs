//! `GET /v1/rules`: the rules in force, and what is wrong with their file.

use askbridge_core::limits;
use askbridge_policy::Problem;
use askbridge_workflows::{FindingKind, Report};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use crate::auth::Caller;
use crate::clock::Rfc3339;
use crate::runtime::Right;
use crate::server::app::App;
use crate::server::body::json;
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::workflows::{FolderState, Loaded};

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
    /// gobby's rule files, by which sessions are driven; `null` if none are in force.
    gobby: Option<GobbyJson>,
}

/// gobby's rule files.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GobbyRules")]
struct GobbyJson {
    /// The folder that `gobby_rules` names; `null` if it names none.
    folder: Option<String>,
    /// When it was read.
    since: Option<Rfc3339>,
    /// It has rules that allow or change calls, and no person has agreed to them yet: a paired device shows a tap.
    waits_for_tap: bool,
    /// Why the folder as it is now is not in force, or not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<GobbyFilesJson>,
    /// The rules of projects that were read lately, below `.gobby`.
    projects: Vec<GobbyProjectJson>,
}

/// What is in gobby's rule files, and what of it acts here.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GobbyFiles")]
struct GobbyFilesJson {
    files: usize,
    /// Rules, triggers and steps that can act.
    active: usize,
    /// Those that need gobby's daemon.
    inactive: usize,
    /// Those that are switched off in their file.
    disabled: usize,
    /// Those with nothing in them that acts here.
    without_effect: usize,
    /// Those that are wrong.
    wrong: usize,
    /// What is wrong, inactive or without effect.
    findings: Vec<GobbyFindingJson>,
    /// Findings that are left out.
    #[serde(skip_serializing_if = "is_zero")]
    more_findings: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The rules of one project.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GobbyProject")]
struct GobbyProjectJson {
    /// The folder that `.gobby` is in.
    folder: String,
    /// The operator trusts the folder, so that its rules may allow and change calls.
    trusted: bool,
    #[serde(flatten)]
    rules: GobbyFilesJson,
}

/// A remark about a file of gobby's rules.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GobbyFinding")]
struct GobbyFindingJson {
    /// `error`, `inactive` or `without_effect`.
    kind: &'static str,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    what: String,
}

impl GobbyFilesJson {
    fn of(loaded: &Loaded, is_agreed: bool) -> Self {
        let Report { findings, totals, .. } = &loaded.report;
        let left_out = if is_agreed { Vec::new() } else { loaded.loosening_findings().collect() };
        let all = findings.len() + left_out.len();
        let shown = findings.iter().chain(&left_out).take(limits::GOBBY_FINDINGS_MAX).map(|finding| GobbyFindingJson {
            kind: match finding.kind {
                FindingKind::Error => "error",
                FindingKind::Inactive => "inactive",
                FindingKind::WithoutEffect => "without_effect",
            },
            file: finding.file.clone(),
            line: finding.line,
            rule: finding.rule.clone(),
            what: finding.what.clone(),
        });
        let findings: Vec<_> = shown.collect();
        Self {
            files: totals.files,
            active: totals.active,
            inactive: totals.inactive,
            disabled: totals.disabled,
            without_effect: totals.without_effect,
            wrong: totals.wrong,
            more_findings: all - findings.len(),
            findings,
        }
    }
}

fn gobby(app: &App) -> Option<GobbyJson> {
    let workflows = &app.handle.workflows;
    let (state, operator) = (workflows.state(), workflows.operator());
    let in_force = app.handle.rules.now();
    let projects = workflows.projects.all();
    let projects = projects.iter().map(|project| {
        let folder = project.folder.display().to_string();
        let trusted = in_force.trusts(&folder);
        GobbyProjectJson { rules: GobbyFilesJson::of(&project.loaded, trusted), folder, trusted }
    });
    let projects: Vec<_> = projects.collect();
    let rules = operator.map(|rules| GobbyFilesJson::of(&rules.loaded, rules.is_agreed()));
    let FolderState { folder, since, waits_for_tap, problem } = state;
    let is_any = folder.is_some() || !projects.is_empty();
    is_any.then_some(GobbyJson { folder, since: since.map(Rfc3339), waits_for_tap, problem, rules, projects })
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
    app.handle.check(&caller, Right::ShowRules)?;
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
        gobby: gobby(&app),
    };
    Ok(json(StatusCode::OK, &rules))
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("showRules", "Server", "Says which rules are in force, and what is wrong with their file.")
        .text("*Operators, this machine.* A file that cannot be read leaves the last good version in force.")
        .returns::<RulesJson>(200, "As they are.")
        .refuses(&["forbidden"]);
}
