//! Reports what a folder of gobby's rule files would do here, and what it would not.

use std::fs;
use std::path::{Path, PathBuf};

use askbridge_workflows::limits::{FILE_BYTES_MAX, FILES_MAX};
use askbridge_workflows::{FileKind, FileReport, Finding, FindingKind, Report, RuleStatus, Workflows};
use serde_json::json;

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{counted, print, visible};

/// Levels of folders that are searched.
const DEPTH_MAX: usize = 16;

pub(super) fn check_gobby(folder: &Path, json: bool) -> Result<Exit, Failure> {
    let mut paths = Vec::new();
    collect(folder, 0, &mut paths)
        .map_err(|error| Failure::new(format!("could not read the folder {}: {error}", folder.display())))?;
    if paths.is_empty() {
        return Err(Failure::new(format!("there are no YAML files in {}", folder.display()))
            .hint("name the folder that gobby reads its rules from, such as .gobby/workflows"));
    }
    paths.sort();
    let (mut texts, mut unread) = (Vec::new(), Vec::new());
    for path in paths.iter().take(FILES_MAX + 1) {
        let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
        match read(path) {
            Ok(text) => texts.push((name, text)),
            Err(what) => unread.push(Finding { kind: FindingKind::Error, file: name, line: None, rule: None, what }),
        }
    }
    let (workflows, _) = Workflows::load(texts.into_iter());
    let mut report = workflows.report().clone();
    for finding in unread.into_iter().rev() {
        report.files.push(FileReport { file: finding.file.clone(), kind: FileKind::Unreadable, rules: Vec::new() });
        report.totals.files += 1;
        report.findings.insert(0, finding);
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

/// The YAML files of a folder and those below it. Links are not followed.
fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && depth < DEPTH_MAX {
            collect(&path, depth + 1, paths)?;
        } else if kind.is_file() && path.extension().is_some_and(|end| end == "yaml" || end == "yml") {
            paths.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > FILE_BYTES_MAX as u64 {
        return Err(format!("the file has {size} bytes; at most {FILE_BYTES_MAX} are read"));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
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
