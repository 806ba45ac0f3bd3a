//! Checks that no other user can read the token, the journal and the socket's folder.

use std::fs;
use std::os::unix::fs::MetadataExt;

use super::super::finding::Finding;
use super::super::patient::Patient;

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    let data = &patient.settings.data;
    let run = data.join("run");
    let connection = data.join("connection");
    let files =
        [(patient.settings.token_file(), 0o600), (connection, 0o600), (data.join("askbridge.db"), 0o600), (run, 0o700)];
    let there: Vec<_> = files.iter().filter_map(|(path, mode)| Some((path, mode, fs::metadata(path).ok()?))).collect();
    let open = there.iter().filter(|(.., meta)| meta.mode() & 0o077 != 0);
    let mut findings: Vec<_> = open
        .map(|(path, mode, meta)| {
            let what = format!("`{}` is open to other users (mode {:o})", path.display(), meta.mode() & 0o777);
            Finding::bad(what, format!("type `chmod {mode:o} '{}'`", path.display()))
        })
        .collect();
    if patient.is_served() && !patient.settings.token_file().exists() {
        let what = format!("there is no token file `{}`", patient.settings.token_file().display());
        findings.push(Finding::warning(what, "the server makes it when it starts: stop it and start it again"));
    }
    match (findings.is_empty(), there.len()) {
        (true, 0) => vec![Finding::skipped("there is no token file yet; `askbridge` makes it")],
        (true, _) => vec![Finding::good("nobody else can read the token file or the journal")],
        (false, _) => findings,
    }
}
