//! Checks the data folder: it exists, is private, and writable.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;

use askbridge_platform::{files, ourselves};

use super::super::finding::Finding;
use super::super::patient::Patient;

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    let path = &patient.settings.data;
    let shown = path.display();
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return vec![Finding::skipped(format!("`{shown}` does not exist yet; `askbridge` makes it"))];
        }
        Err(error) => return vec![Finding::bad(format!("could not look at `{shown}`: {error}"), elsewhere())],
    };
    if !meta.is_dir() {
        return vec![Finding::bad(format!("`{shown}` is not a folder"), elsewhere())];
    }
    let mut findings = Vec::new();
    if meta.uid() != ourselves::user() {
        findings.push(Finding::bad(format!("`{shown}` belongs to another user"), elsewhere()));
    } else if !files::is_usable_folder(path) {
        findings.push(Finding::bad(format!("`{shown}` cannot be written"), format!("type `chmod u+rwx '{shown}'`")));
    }
    if meta.mode() & 0o077 != 0 {
        let hint = format!("type `chmod 700 '{shown}'`");
        findings.push(Finding::bad(format!("`{shown}` is open to other users (mode {:o})", meta.mode() & 0o777), hint));
    }
    if findings.is_empty() {
        findings.push(Finding::good(format!("`{shown}` is yours alone")));
    }
    findings
}

fn elsewhere() -> String {
    "choose another folder with `--data FOLDER`, $ASKBRIDGE_DATA or `data` in the settings".to_owned()
}
