//! Checks that the journal opens and is consistent.

use askbridge_journal::verify;

use super::super::finding::Finding;
use super::super::patient::Patient;
use crate::output::counted;

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    if *patient.settings.top.journal != "sqlite" {
        return vec![Finding::skipped("the journal is on NATS; `askbridge journal verify` reads all of it")];
    }
    let folder = patient.settings.data.clone();
    if !folder.join("askbridge.db").exists() {
        return vec![Finding::skipped("there is no journal yet; `askbridge` makes it")];
    }
    // Reads one snapshot; a running server is not disturbed.
    let checked = tokio::task::spawn_blocking(move || verify(&folder)).await;
    let save = "save what can be read with `askbridge journal export > journal.jsonl`, and put back a copy";
    match checked {
        Ok(Ok(report)) if report.is_good() => {
            let entries = counted(report.entries, "entry", "entries");
            let open = counted(report.open_asks, "open ask", "open asks");
            vec![Finding::good(format!("the journal holds together: {entries}, {open}"))]
        }
        Ok(Ok(report)) => {
            let problems = report.problems.len() as u64 + report.more_problems;
            let first = report.problems.first().map(ToString::to_string).unwrap_or_default();
            vec![Finding::bad(format!("the journal has {problems} problems: {first}"), save)]
        }
        Ok(Err(error)) => vec![Finding::bad(format!("the journal cannot be read: {error}"), save)],
        Err(_) => vec![Finding::bad("the journal could not be looked at to its end", "see `askbridge journal verify`")],
    }
}
