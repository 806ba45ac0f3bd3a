//! Checks the rule file: what the server would refuse at its next start, or has refused to take over.

use super::super::finding::Finding;
use super::super::patient::Patient;

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    match patient.settings.rule_source().read() {
        Ok(read) => match read.file {
            Some(file) => vec![Finding::good(format!("{} rules from {}", read.set.len(), file.display()))],
            None => vec![Finding::skipped("there is no rule file")],
        },
        Err(problems) => {
            let first = problems.first().map(ToString::to_string).unwrap_or_default();
            let file = problems.first().map(|problem| problem.file.clone()).unwrap_or_default();
            let what = format!("the rules cannot be read, so a running server keeps the last good ones: {first}");
            vec![Finding::bad(what, format!("see `askbridge policy check {file}`"))]
        }
    }
}
