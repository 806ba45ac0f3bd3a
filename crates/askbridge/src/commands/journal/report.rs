//! What was found in a journal, as text and as JSON.

use askbridge_journal::Report;
use serde_json::json;

use crate::output::visible;

pub(super) fn as_text(report: &Report) -> String {
    let mut lines = vec![format!(
        "{}: {} entries, {} sessions, {} open asks",
        report.path.display(),
        report.entries,
        report.sessions,
        report.open_asks
    )];
    lines.extend(report.problems.iter().map(|problem| format!("problem: {}", visible(&problem.to_string()))));
    if report.more_problems > 0 {
        lines.push(format!("problem: and {} more", report.more_problems));
    }
    if report.is_good() {
        lines.push("all is as it should be".to_owned());
    }
    lines.join("\n")
}

pub(super) fn as_json(report: &Report) -> String {
    let problems: Vec<_> = report.problems.iter().map(ToString::to_string).collect();
    let shown = json!({
        "path": report.path.display().to_string(),
        "format": report.format,
        "entries": report.entries,
        "sessions": report.sessions,
        "open_asks": report.open_asks,
        "good": report.is_good(),
        "problems": problems,
        "more_problems": report.more_problems,
    });
    shown.to_string()
}
