//! Reports what a folder of gobby's rule files would do here, and what it would not.

use std::path::Path;

use askbridge_bridge::workflows::{Bounds, load};
use askbridge_workflows::{Finding, FindingKind, Report, RuleStatus};
use serde_json::json;

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{counted, print, visible};

pub(super) fn check_gobby(folder: &Path, json: bool) -> Result<Exit, Failure> {
    let loaded = load(folder, Bounds::OPERATOR)
        .map_err(|error| Failure::new(format!("could not read the folder {}: {error}", folder.display())))?;
    let report = loaded.report;
    if report.files.is_empty() {
        return Err(Failure::new(format!("there are no YAML files in {}", folder.display()))
            .hint("name the folder that gobby reads its rules from, such as .gobby/workflows"));
    }
    if json {
        let (good, folder) = (report.is_good(), folder.display().to_string());
        let Report { files, findings, totals } = &report;
        let whole = json!({"folder": folder, "good": good, "totals": totals, "files": files, "findings": findings});
        print(&whole.to_string())?;
    } else {
        show(folder, &report)?;
    }
    let errors = report.findings.iter().filter(|finding| finding.kind == FindingKind::Error).count();
    match errors {
        0 => Ok(Exit::Good),
        errors => {
            Err(Failure::new(format!("{} wrong with the rules", counted(errors as u64, "thing is", "things are"))))
        }
    }
}

fn show(folder: &Path, report: &Report) -> std::io::Result<()> {
    for file in &report.files {
        for rule in file.rules.iter().filter(|rule| rule.status == RuleStatus::Active) {
            let event = rule.event.as_deref().map(|event| format!(" ({event})")).unwrap_or_default();
            let acts = rule.acts.join(", ");
            print(&visible(&format!("{}:{}: {}{event}: {acts}", file.file, rule.line, rule.name)))?;
        }
    }
    for (kind, title) in [
        (FindingKind::WithoutEffect, "Without effect here:"),
        (FindingKind::Inactive, "Inactive:"),
        (FindingKind::Error, "Wrong:"),
    ] {
        let findings: Vec<&Finding> = report.findings.iter().filter(|finding| finding.kind == kind).collect();
        if !findings.is_empty() {
            print(&format!("\n{title}"))?;
        }
        for finding in findings {
            print(&visible(&finding.to_string()))?;
        }
    }
    let totals = report.totals;
    let files = counted(totals.files as u64, "file", "files");
    let active = counted(totals.active as u64, "rule acts", "rules act");
    print(&visible(&format!(
        "\n{}: {files}, {active}, {} inactive, {} disabled, {} without effect, {} wrong",
        folder.display(),
        totals.inactive,
        totals.disabled,
        totals.without_effect,
        totals.wrong
    )))
}
