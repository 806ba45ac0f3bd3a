//! One version of a folder's rules: read, understood, and reported.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use askbridge_core::answer::RulePlace;
use askbridge_core::limits;
use askbridge_workflows::{FileKind, FileReport, Finding, FindingKind, Report, RuleStatus, Workflows};

use super::folder::{Stamp, stamp, texts};
use crate::auth::{hash, hex};

/// Effects that can let an agent do more than without the rules: they need a person's agreement.
const LOOSENING: &[&str] = &["rewrite_input", "set_permission_response"];
/// Bytes of rules that a tap shows. Beyond: it says how many more there are.
const SHOWN_BYTES_MAX: usize = 32 * 1024;

/// How much of a folder is read.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Of all files together. The ones after that are refused.
    pub bytes_max: usize,
}

impl Bounds {
    pub const OPERATOR: Self = Self { bytes_max: limits::GOBBY_BYTES_MAX };
    pub const PROJECT: Self = Self { bytes_max: limits::GOBBY_PROJECT_BYTES_MAX };
}

/// The rules of a folder.
#[derive(Debug)]
pub struct Loaded {
    /// The folder that the names of the files begin in.
    pub folder: PathBuf,
    pub workflows: Workflows,
    pub report: Report,
    pub(super) stamp: Stamp,
    /// The last text of each file that could be read as YAML.
    good: BTreeMap<String, String>,
    places: HashMap<String, RulePlace>,
    digest: String,
}

/// Reads the rules of a folder: every YAML file below it.
pub fn load(folder: &Path, bounds: Bounds) -> io::Result<Loaded> {
    Loaded::read(folder, &[folder.to_owned()], bounds, None)
}

impl Loaded {
    /// Reads the files below `roots`. A file that cannot be read any more counts as in the version before.
    pub(super) fn read(top: &Path, roots: &[PathBuf], bounds: Bounds, before: Option<&Self>) -> io::Result<Self> {
        let stamp = stamp(roots)?;
        let read = texts(top, &stamp, bounds);
        let mut unread = read.unread;
        let earlier = |file: &str| before.and_then(|before| before.good.get(file)).cloned();
        let mut used = read.texts;
        for finding in &mut unread {
            if let Some(text) = earlier(&finding.file) {
                finding.what = format!("{}; its last good version stays in force", finding.what);
                used.push((finding.file.clone(), text));
            }
        }
        used.sort();
        let (mut workflows, _) = Workflows::load(used.iter().map(|(file, text)| (file, text)));
        let broken = |report: &Report| -> Vec<String> {
            let files = report.files.iter().filter(|file| file.kind == FileKind::Unreadable);
            files.map(|file| file.file.clone()).collect()
        };
        let mut replaced = Vec::new();
        for file in broken(workflows.report()) {
            if let (Some(text), Some((_, now))) = (earlier(&file), used.iter_mut().find(|(name, _)| *name == file)) {
                *now = text;
                replaced.extend(workflows.report().findings.iter().filter(|finding| finding.file == file).cloned());
            }
        }
        if !replaced.is_empty() {
            workflows = Workflows::load(used.iter().map(|(file, text)| (file, text))).0;
            for mut finding in replaced {
                finding.what = format!("{}; its last good version stays in force", finding.what);
                unread.push(finding);
            }
        }
        let report = reported(workflows.report(), unread);
        let broken = broken(workflows.report());
        // Of what counts: a file that breaks changes nothing that a person has agreed to.
        let digest = used.iter().fold(String::new(), |digest, (file, text)| {
            hex(&hash(&format!("{digest}\n{}\n{file}\n{text}", file.len())))
        });
        let good = used.into_iter().filter(|(file, _)| !broken.contains(file)).collect();
        let places = places(top, &report);
        Ok(Self { folder: top.to_owned(), workflows, report, stamp, good, places, digest })
    }

    /// Where a rule is written. Of a step's or a trigger's part, the nearest thing above it that has a place.
    pub(super) fn place(&self, rule: &str) -> Option<RulePlace> {
        let mut name = rule;
        loop {
            if let Some(place) = self.places.get(name) {
                return Some(place.clone());
            }
            name = name.rsplit_once('/')?.0;
        }
    }

    pub(super) fn has_rules(&self) -> bool {
        self.report.totals.active > 0
    }

    /// Does a rule look at permissions that are asked for?
    pub(super) fn answers_permissions(&self) -> bool {
        let mut rules =
            self.report.files.iter().flat_map(|file| &file.rules).filter(|it| it.status == RuleStatus::Active);
        rules.any(|rule| {
            rule.event.as_deref() == Some("permission_request") || rule.name.contains("/on_permission_request/")
        })
    }

    /// Tells the texts of one version from those of the next.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// The rules with effects that can let an agent do more, as they stand in their files.
    pub(super) fn loosening(&self) -> Vec<String> {
        let (mut shown, mut bytes, mut left_out) = (Vec::new(), 0, 0);
        for file in &self.report.files {
            let Some(text) = self.good.get(&file.file) else { continue };
            let lines: Vec<_> = text.lines().collect();
            for rule in file.rules.iter().filter(|rule| loosens(rule)) {
                let from = rule.line.saturating_sub(1);
                let next =
                    file.rules.iter().map(|other| other.line.saturating_sub(1)).filter(|line| *line > from).min();
                let to = next.unwrap_or(lines.len()).min(lines.len());
                let text = lines.get(from..to).unwrap_or_default().join("\n");
                let text = format!("# {}:{}\n{}", file.file, rule.line, text.trim_end());
                bytes += text.len();
                match bytes <= SHOWN_BYTES_MAX {
                    true => shown.push(text),
                    false => left_out += 1,
                }
            }
        }
        if left_out > 0 {
            shown.push(format!("And {left_out} more, which do not fit here: read the files before you allow it."));
        }
        shown
    }

    /// The names of those rules.
    pub(crate) fn loosening_findings(&self) -> impl Iterator<Item = Finding> {
        let rules = self.report.files.iter().flat_map(|file| file.rules.iter().map(move |rule| (file, rule)));
        rules.filter(|(_, rule)| loosens(rule)).map(|(file, rule)| {
            let effects = rule.acts.iter().filter(|act| LOOSENING.contains(&act.as_str()));
            let effects = effects.map(String::as_str).collect::<Vec<_>>().join(", ");
            let what = format!("its effect does not count, because it can let an agent do more: {effects}");
            let (file, line) = (file.file.clone(), Some(rule.line));
            Finding { kind: FindingKind::Inactive, file, line, rule: Some(rule.name.clone()), what }
        })
    }
}

fn loosens(rule: &askbridge_workflows::RuleReport) -> bool {
    rule.status == RuleStatus::Active && rule.acts.iter().any(|act| LOOSENING.contains(&act.as_str()))
}

/// The report, with the files that could not be read.
fn reported(report: &Report, unread: Vec<Finding>) -> Report {
    let mut report = report.clone();
    for finding in unread.into_iter().rev() {
        if !report.files.iter().any(|file| file.file == finding.file) {
            let (file, rules) = (finding.file.clone(), Vec::new());
            report.files.push(FileReport { file, kind: FileKind::Unreadable, rules });
            report.totals.files += 1;
        }
        report.findings.insert(0, finding);
    }
    report
}

fn places(top: &Path, report: &Report) -> HashMap<String, RulePlace> {
    let mut places = HashMap::new();
    for file in &report.files {
        let path = top.join(&file.file).display().to_string();
        for rule in &file.rules {
            let place = RulePlace { file: path.clone(), line: u32::try_from(rule.line).unwrap_or(u32::MAX) };
            places.entry(rule.name.clone()).or_insert_with(|| place.clone());
            // A workflow, an agent or a step has the place of its first part.
            let mut name = rule.name.as_str();
            while let Some((above, _)) = name.rsplit_once('/') {
                places.entry(above.to_owned()).or_insert_with(|| RulePlace { line: 1, ..place.clone() });
                name = above;
            }
        }
    }
    places
}

#[cfg(test)]
mod tests;
