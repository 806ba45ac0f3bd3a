//! Shows the result of a check of the journal, as text and as JSON.

use askbridge_bridge::clock::Rfc3339;
use askbridge_core::ids::Timestamp;
use askbridge_journal::{Forgotten, Report};
use serde_json::json;

use crate::output::{counted, visible};

pub(super) fn as_text(report: &Report) -> String {
    let mut lines = vec![summary(report)];
    if let Some((first, last)) = report.forgotten_between {
        let Forgotten { sessions, entries, .. } = report.forgotten;
        let (first, last) = (day(first), day(last));
        let when = if first == last { format!("on {last}") } else { format!("between {first} and {last}") };
        let (what, of) = (counted(sessions, "session", "sessions"), counted(entries, "entry", "entries"));
        let were = if sessions == 1 { "was" } else { "were" };
        lines.push(format!("{what} with {of} {were} forgotten {when}"));
    }
    lines.extend(report.problems.iter().map(|problem| format!("problem: {}", visible(&problem.to_string()))));
    if report.more_problems > 0 {
        lines.push(format!("problem: and {} more", report.more_problems));
    }
    if report.is_good() {
        lines.push("all is as it should be".to_owned());
    }
    lines.join("\n")
}

/// Summarizes the content in one line.
pub(super) fn summary(report: &Report) -> String {
    format!(
        "{}: {}, {}, {}",
        report.path.display(),
        counted(report.entries, "entry", "entries"),
        counted(report.sessions, "session", "sessions"),
        counted(report.open_asks, "open ask", "open asks")
    )
}

pub(super) fn as_json(report: &Report) -> String {
    let problems: Vec<_> = report.problems.iter().map(ToString::to_string).collect();
    let shown = json!({
        "path": report.path.display().to_string(),
        "format": report.format,
        "entries": report.entries,
        "sessions": report.sessions,
        "open_asks": report.open_asks,
        "forgotten": {
            "sessions": report.forgotten.sessions,
            "entries": report.forgotten.entries,
            "bytes": report.forgotten.bytes,
            "first_at": report.forgotten_between.map(|(first, _)| Rfc3339(first)),
            "last_at": report.forgotten_between.map(|(_, last)| Rfc3339(last)),
        },
        "good": report.is_good(),
        "problems": problems,
        "more_problems": report.more_problems,
    });
    shown.to_string()
}

/// Returns the date, in UTC.
fn day(at: Timestamp) -> String {
    Rfc3339(at).to_string().chars().take(10).collect()
}
