//! The report of a check: every file with its rules, what acts and what does not.

use serde::Serialize;

use crate::finding::Finding;

/// What `policy check` prints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    pub files: Vec<FileReport>,
    pub findings: Vec<Finding>,
    pub totals: Totals,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    pub files: usize,
    /// Rules, triggers and steps that can act.
    pub active: usize,
    /// Those that need gobby's daemon.
    pub inactive: usize,
    /// Those that are switched off in their file.
    pub disabled: usize,
    /// Those with nothing in them that acts here.
    pub without_effect: usize,
    /// Those that are wrong.
    pub wrong: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileReport {
    pub file: String,
    pub kind: FileKind,
    pub rules: Vec<RuleReport>,
}

/// What a file is, by what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Rules of the second generation.
    Rules,
    /// Named rules of the first generation.
    NamedRules,
    /// A workflow with triggers, of the first generation.
    Lifecycle,
    /// A workflow with steps, of the first generation.
    Steps,
    /// An agent's definition.
    Agent,
    Variables,
    Pipeline,
    /// Belongs to gobby's own set-up, or to another program.
    Other,
    /// It could not be read.
    Unreadable,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleReport {
    pub name: String,
    pub line: usize,
    pub event: Option<String>,
    pub status: RuleStatus,
    /// Why it does not act.
    pub why: Option<String>,
    pub acts: Vec<String>,
    pub without_effect: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleStatus {
    Active,
    Inactive,
    Disabled,
    WithoutEffect,
    Wrong,
}

impl FileReport {
    pub(crate) fn new(file: &str, kind: FileKind) -> Self {
        Self { file: file.to_owned(), kind, rules: Vec::new() }
    }
}

impl RuleReport {
    pub(crate) fn new(name: &str, line: usize, event: Option<&str>) -> Self {
        let event = event.map(str::to_owned);
        let (acts, without_effect) = (Vec::new(), Vec::new());
        Self { name: name.to_owned(), line, event, status: RuleStatus::Active, why: None, acts, without_effect }
    }

    pub(crate) fn off(&mut self, status: RuleStatus, why: impl Into<String>) {
        if self.status == RuleStatus::Active {
            self.status = status;
            self.why = Some(why.into());
        }
    }
}

impl Report {
    pub(crate) fn new(files: Vec<FileReport>, findings: Vec<Finding>) -> Self {
        let mut totals = Totals { files: files.len(), ..Totals::default() };
        for rule in files.iter().flat_map(|file| &file.rules) {
            *match rule.status {
                RuleStatus::Active => &mut totals.active,
                RuleStatus::Inactive => &mut totals.inactive,
                RuleStatus::Disabled => &mut totals.disabled,
                RuleStatus::WithoutEffect => &mut totals.without_effect,
                RuleStatus::Wrong => &mut totals.wrong,
            } += 1;
        }
        Self { files, findings, totals }
    }

    /// Is there no error in any file?
    pub fn is_good(&self) -> bool {
        !self.findings.iter().any(|finding| finding.kind == crate::FindingKind::Error)
    }
}
