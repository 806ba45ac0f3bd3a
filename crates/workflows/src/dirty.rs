//! Which files of the repository the session has changed, as gobby reckons: against a baseline that was taken before.
//!
//! Nothing here runs git. If nobody looked, and a condition asks, that is noted: the caller looks, and asks again.

use std::cell::Cell;
use std::collections::BTreeSet;

use crate::event::DirtyFiles;
use crate::value::{Dict, Value};

/// The variable with the files that were changed before the session began.
pub(crate) const BASELINE: &str = "baseline_dirty_files";
/// The variable with the files that the session itself has changed, where something keeps it.
pub(crate) const EDITED: &str = "session_edited_files";

/// What is known of the repository while an event is evaluated.
#[derive(Debug, Default)]
pub(crate) struct Repository {
    files: Option<DirtyFiles>,
    wanted: Cell<bool>,
    /// A rule of the second generation asked before there was a baseline: what is changed now becomes the baseline.
    first_look: Cell<bool>,
}

impl Repository {
    pub(crate) fn new(files: Option<&DirtyFiles>) -> Self {
        Self { files: files.cloned(), ..Self::default() }
    }

    /// Must the caller look at the repository, and evaluate the event again?
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.get()
    }

    pub(crate) fn is_first_look(&self) -> bool {
        self.first_look.get()
    }

    /// All changed files, in order.
    pub(crate) fn all(&self) -> Option<BTreeSet<&str>> {
        let files = self.looked()?;
        Some(files.tracked.iter().chain(&files.untracked).map(String::as_str).collect())
    }

    /// `session_has_dirty_files` of the first generation: is anything changed that was not before?
    pub(crate) fn is_dirtier(&self, variables: &Dict) -> bool {
        let Some(all) = self.all() else { return false };
        let baseline = texts(variables.get(BASELINE)).unwrap_or_default();
        all.iter().any(|file| !baseline.contains(file))
    }

    /// `has_dirty_files` of the second generation: is a file changed that the session edited? Where nothing keeps those, is a
    /// tracked file changed that was not before?
    pub(crate) fn has_dirtied(&self, variables: &Dict) -> bool {
        let Some(files) = self.looked() else { return false };
        let edited = texts(variables.get(EDITED)).unwrap_or_default();
        if !edited.is_empty() {
            return edited.iter().any(|file| files.tracked.contains(*file) || files.untracked.contains(*file));
        }
        match texts(variables.get(BASELINE)) {
            Some(baseline) => files.tracked.iter().any(|file| !baseline.contains(&file.as_str())),
            None => {
                self.first_look.set(true);
                false
            }
        }
    }

    fn looked(&self) -> Option<&DirtyFiles> {
        if self.files.is_none() {
            self.wanted.set(true);
        }
        self.files.as_ref()
    }
}

fn texts(value: Option<&Value>) -> Option<Vec<&str>> {
    Some(value?.as_items()?.iter().filter_map(Value::as_str).collect())
}
