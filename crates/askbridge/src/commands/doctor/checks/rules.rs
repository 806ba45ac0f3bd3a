//! Checks the rule file: what the server would refuse at its next start, or has refused to take over.

use super::super::finding::Finding;
use super::super::patient::Patient;
use crate::commands::init::{CallMethod, Door, Program, doors};
use crate::settings::Surroundings;

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    let mut findings = ours(patient);
    findings.extend(gobbys(patient));
    findings
}

/// gobby's rules, if the settings name their folder.
fn gobbys(patient: &Patient) -> Option<Finding> {
    let source = patient.settings.gobby_source();
    let folder = source.folder.as_ref()?.display().to_string();
    let see = || format!("see `askbridge policy check --gobby {folder}`");
    Some(match source.read() {
        Ok(read) => {
            let totals = read?.report.totals;
            let what = format!("{} of gobby's rules act, from {folder}", totals.active);
            match totals.wrong {
                0 => Finding::good(what),
                wrong => Finding::bad(format!("{what}; {wrong} are wrong"), see()),
            }
        }
        Err(error) => Finding::bad(format!("gobby's rules cannot be read from {folder}: {error}"), see()),
    })
}

fn ours(patient: &Patient) -> Vec<Finding> {
    match patient.settings.rule_source().read() {
        Ok(read) => match read.file {
            Some(file) => {
                let good = Finding::good(format!("{} rules from {}", read.set.len(), file.display()));
                let looks = read.set.looks_at_every_call();
                let unreported = Surroundings::look().ok().filter(|_| looks);
                let unreported = unreported.and_then(|around| unreported_calls(patient, &around));
                [good].into_iter().chain(unreported).collect()
            }
            None => vec![Finding::skipped("there is no rule file")],
        },
        Err(problems) => {
            let first = problems.first().map(ToString::to_string).unwrap_or_default();
            let file = problems.first().map(|problem| problem.file.clone()).unwrap_or_default();
            let what = format!("the rules cannot be read, so a running server keeps the last good ones: {first}");
            vec![Finding::bad(what, format!("see `askbridge policy check {file}`"))]
        }
    }
}

/// Rules look at every call, and hooks report only those that ask a person.
fn unreported_calls(patient: &Patient, around: &Surroundings) -> Option<Finding> {
    let is_short = |door: &Door| match &door.method {
        CallMethod::Hook { command, .. } => door.program == Program::Claude && !command.ends_with(" --rules"),
        _ => false,
    };
    let short = doors(&patient.settings, around).into_iter().flatten().find(is_short)?;
    let what = format!(
        "rules look at every call, and the hooks in `{}` report only those that ask a person",
        short.file.display()
    );
    Some(Finding::warning(what, "type `askbridge init claude --rules`, if these rules are for your terminals, too"))
}
