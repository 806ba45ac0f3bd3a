//! What `expose` did last, so that it can be changed and undone: a file beside the certificates.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::plan::{Plan, full_name};
use crate::failure::Failure;
use crate::settings::Settings;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// `acme`, `tailscale`, `lan` or `proxy`.
    pub(crate) way: String,
    /// Where people open it.
    pub(crate) url: String,
    /// The settings file.
    pub(super) file: PathBuf,
    /// What was written into it, by full name.
    pub(super) values: Vec<(String, Value)>,
    /// Commands that undo what was done elsewhere.
    pub(super) undo: Vec<Vec<String>>,
    /// Terms of service that the person accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accepted: Option<String>,
}

impl Record {
    pub(super) fn of(plan: &Plan, file: PathBuf) -> Self {
        let values = plan.values.iter().map(|(section, name, value)| (full_name(section, name), value.clone()));
        let (way, url, undo) = (plan.way.to_owned(), plan.url.clone(), plan.undo.clone());
        Self { way, url, file, values: values.collect(), undo, accepted: plan.accepted.clone() }
    }

    /// `None`: this server was not exposed.
    pub(crate) fn read(settings: &Settings) -> Option<Self> {
        serde_json::from_slice(&fs::read(path(settings)).ok()?).ok()
    }

    pub(super) fn write(&self, settings: &Settings) -> Result<(), Failure> {
        let path = path(settings);
        private_folder(&settings.tls_folder())?;
        let text = serde_json::to_string_pretty(self).map_err(anyhow::Error::from)?;
        let beside = path.with_extension("new");
        fs::write(&beside, text)?;
        Ok(fs::rename(&beside, &path)?)
    }

    pub(super) fn forget(settings: &Settings) {
        let _ = fs::remove_file(path(settings));
        // Succeeds only if it is empty.
        let _ = fs::remove_dir(settings.tls_folder());
    }

    /// Did we write this value?
    pub(super) fn wrote(&self, name: &str, value: &Value) -> bool {
        self.values.iter().any(|(known, written)| known == name && written == value)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.values.iter().any(|(known, _)| known == name)
    }
}

/// Makes a folder that only its owner can enter: keys lie beside the record.
pub(super) fn private_folder(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn path(settings: &Settings) -> PathBuf {
    settings.tls_folder().join("exposed.json")
}
