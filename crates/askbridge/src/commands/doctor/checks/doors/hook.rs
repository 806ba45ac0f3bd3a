//! Checks hooks in the settings of Claude Code and Codex.

use askbridge_bridge::chance::Chance;
use askbridge_bridge::hosts::find_claude;
use serde_json::{Value, json};

use super::examiner::{Examiner, Seen};
use super::http;
use super::stand_in::{CommandOutput, run, start};
use crate::commands::doctor::finding::Finding;
use crate::commands::doctor::patient::Patient;
use crate::commands::init::{CallMethod, Door, Program, Scope, Unrun, doors};
use crate::failure::Failure;
use crate::settings::Surroundings;

/// The oldest Claude Code with which our hooks were tested in a terminal.
const TRIED: (u32, u32, u32) = (2, 1, 325);

pub(in crate::commands::doctor) async fn look(patient: &Patient) -> Vec<Finding> {
    let Ok(around) = Surroundings::look() else { return vec![Finding::skipped("HOME is not set")] };
    let mut findings = Vec::new();
    let mut hooks = Vec::new();
    for door in doors(&patient.settings, &around) {
        match door {
            Ok(door) if matches!(door.method, CallMethod::Hook { .. } | CallMethod::HttpHook { .. }) => {
                hooks.push(door)
            }
            Ok(_) => {}
            Err((program, error)) => findings.push(unreadable(program, error)),
        }
    }
    if hooks.is_empty() {
        findings.push(Finding::skipped("no program's hooks call askbridge; `askbridge init claude` sees to that"));
        return findings;
    }
    if hooks.iter().any(|door| door.program == Program::Claude) {
        findings.extend(version(patient).await);
    }
    let examiner = match Examiner::meet(patient).await {
        Ok(examiner) => examiner,
        Err(failure) => {
            findings
                .push(Finding::bad(format!("hooks could not be tried: {}", failure.what()), "see what is bad above"));
            return findings;
        }
    };
    for door in &hooks {
        if let Some(finding) = skipped(door) {
            findings.push(finding);
            continue;
        }
        if let Some((name, stands)) = door.off {
            let what = format!("{}: `{name}` is {stands}, so no hook is run", place(door));
            findings.push(Finding::warning(what, format!("take `{name}` out of `{}`", door.file.display())));
            continue;
        }
        findings.extend([Unrun::Untrusted, Unrun::Off].into_iter().filter_map(|why| unrun(door, why)));
        findings.push(match &door.method {
            CallMethod::Hook { command, .. } => try_hook(&examiner, door, command).await,
            CallMethod::HttpHook { url, bearer } => http::try_hook(&examiner, door, url, bearer).await,
            CallMethod::Mcp { .. } | CallMethod::HttpMcp { .. } => continue,
        });
    }
    examiner.leave().await;
    findings
}

/// Reports a file that its program skips: its hooks work only when we run them.
pub(super) fn skipped(door: &Door) -> Option<Finding> {
    let beyond = door.skipped?;
    let what = format!(
        "{}: line {} has {}, and {} reads plain JSON only: it skips this file, and everything in it is without effect",
        place(door),
        beyond.line,
        beyond.what,
        door.program.name()
    );
    let hint = "take it out of the file; or `askbridge uninstall claude`, with `--project` or `--local` if it is there, and \
                `askbridge init claude` into a file without it: `--local` is your own settings for the project in this folder";
    Some(Finding::bad(what, hint))
}

/// Codex silently runs no hook before the person has trusted it: it would look as if nothing was asked.
fn unrun(door: &Door, why: Unrun) -> Option<Finding> {
    let events: Vec<_> =
        door.unrun.iter().filter(|(_, known)| *known == why).map(|(event, _)| event.as_str()).collect();
    if events.is_empty() {
        return None;
    }
    let (place, events) = (place(door), events.join(", "));
    Some(match why {
        Unrun::Untrusted => Finding::warning(
            format!("{place}: you have not trusted these hooks yet, so Codex does not run them: {events}"),
            "start `codex`, look at the hooks that it shows, and trust them there",
        ),
        Unrun::Off => Finding::warning(
            format!("{place}: these hooks are turned off in Codex: {events}"),
            "start `codex`, type `/hooks`, and turn them on",
        ),
    })
}

/// Reports settings that cannot be parsed: their program ignores them as well.
fn unreadable(program: Program, error: askbridge_edits::Error) -> Finding {
    let what =
        format!("settings of {} cannot be read: {}", program.name(), Failure::from(anyhow::Error::from(error)).what());
    Finding::warning(what, "correct the file; until then its program does not read it either")
}

/// Older versions have fewer events, and ask at other moments.
async fn version(patient: &Patient) -> Option<Finding> {
    let cli = find_claude(&patient.settings.host_options()).await.ok()?;
    let text = cli.version.to_string();
    let mut numbers = text.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
    let mut next = || numbers.next().unwrap_or_default();
    let found = (next(), next(), next());
    (found < TRIED).then(|| {
        let (major, minor, patch) = TRIED;
        Finding::warning(
            format!("hooks were tried with Claude Code {major}.{minor}.{patch}, and this is {text}: its own dialog may not close"),
            "run `claude update`",
        )
    })
}

async fn try_hook(examiner: &Examiner, door: &Door, command: &str) -> Finding {
    let place = place(door);
    let own = again(door);
    if examiner.folder().is_some() && command.contains("--data") {
        return Finding::skipped(format!(
            "{place}: askbridge is not running; start it with `askbridge`, then this can be tried"
        ));
    }
    let question = format!(
        "This is a test by `askbridge doctor`, through a hook of {}; it answers this itself. Works?",
        door.program.name()
    );
    let child = match start(command, examiner.folder()) {
        Ok(child) => child,
        Err(error) => return Finding::bad(format!("{place}: could not run a shell: {error}"), own),
    };
    let input = event(&question).to_string();
    let seen = examiner.attend(&question, run(child, &input)).await;
    match seen {
        Ok(Seen::Answered(Some(Ok(ended)))) => match answer(&ended, &question).as_deref() {
            Some("Yes") => Finding::good(format!("{place}: a test was asked, answered and heard")),
            _ => Finding::bad(format!("{place}: a test was asked and answered, and the hook did not say so"), own),
        },
        Ok(Seen::Answered(_)) => {
            Finding::bad(format!("{place}: a test was asked and answered, and the hook never ended"), own)
        }
        Ok(Seen::Withdrawn(why)) => {
            Finding::good(format!("{place}: a test was asked, seen and withdrawn; not answered, since {why}"))
        }
        Ok(Seen::NotAsked(Ok(ended))) => not_asked(&place, command, &ended, own),
        Ok(Seen::NotAsked(Err(error))) => Finding::bad(format!("{place}: `{command}` could not be run: {error}"), own),
        Ok(Seen::Silence) => Finding::bad(format!("{place}: `{command}` runs, and asks nothing"), own),
        Err(failure) => Finding::bad(format!("{place}: {}", failure.what()), own),
    }
}

fn not_asked(place: &str, command: &str, ended: &CommandOutput, hint: String) -> Finding {
    match ended.why("hook") {
        Some(why) => Finding::bad(format!("{place}: `{command}` does not work: {why}"), hint),
        // A hook that does not find a server prints nothing, so that the agent can continue.
        None => Finding::bad(format!("{place}: `{command}` did not find the server that runs here"), hint),
    }
}

/// The event that Claude Code sends to a hook for a question.
pub(super) fn event(question: &str) -> Value {
    let options = json!([{"label": "Yes", "description": "It works."}, {"label": "No", "description": "It does not."}]);
    let questions = json!([{"question": question, "header": "Test", "multiSelect": false, "options": options}]);
    json!({
        "session_id": format!("askbridge-doctor-{:016x}", Chance::System.u64()),
        "transcript_path": "",
        "cwd": std::env::current_dir().unwrap_or_default(),
        "permission_mode": "default",
        "hook_event_name": "PermissionRequest",
        "tool_name": "AskUserQuestion",
        "tool_input": {"questions": questions},
    })
}

fn answer(ended: &CommandOutput, question: &str) -> Option<String> {
    answer_in(&serde_json::from_str(&ended.stdout).ok()?, question)
}

/// Extracts the answer from a hook's output.
pub(super) fn answer_in(output: &Value, question: &str) -> Option<String> {
    let decision = &output["hookSpecificOutput"]["decision"];
    let answer = &decision["updatedInput"]["answers"][question];
    (decision["behavior"] == "allow").then(|| answer.as_str().map(str::to_owned)).flatten()
}

pub(super) fn place(door: &Door) -> String {
    format!("{} (`{}`)", door.program.name(), door.file.display())
}

/// The command that writes it again.
pub(super) fn again(door: &Door) -> String {
    let scope = match door.scope {
        Scope::Person => "",
        Scope::Project => " --project",
        Scope::Local => " --local",
    };
    let http = if matches!(door.method, CallMethod::HttpHook { .. }) { " --http" } else { "" };
    let more = match (&door.method, door.program) {
        (CallMethod::Hook { .. }, Program::Codex) => " --hooks",
        (CallMethod::Hook { command, .. }, _) if command.ends_with(" --rules") => " --rules",
        (CallMethod::Mcp { .. } | CallMethod::HttpMcp { .. }, Program::Claude) => " --mcp",
        _ => "",
    };
    format!("type `askbridge init {}{scope}{http}{more}` to write it anew", door.program.word())
}
