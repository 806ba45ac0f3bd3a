//! What reading rule files brings to light.

use std::fmt;

use serde::Serialize;

/// One remark about a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub kind: FindingKind,
    pub file: String,
    pub line: Option<usize>,
    /// The rule, the workflow or the step that it is about.
    pub rule: Option<String>,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The file or the rule is wrong.
    Error,
    /// The rule is fine, but needs what only gobby's daemon knows: it never applies here.
    Inactive,
    /// Belongs to another feature of gobby. Listed once for all files.
    WithoutEffect,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        match &self.rule {
            Some(rule) => write!(f, ": {rule}: {}", self.what),
            None => write!(f, ": {}", self.what),
        }
    }
}
