//! Checks the local socket, which this machine's own commands use.

use super::super::finding::Finding;
use super::super::patient::{Patient, Running};

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    let path = patient.settings.socket();
    let shown = path.display();
    vec![match &patient.server {
        Running::Yes { .. } => Finding::good(format!("askbridge answers on `{shown}`")),
        Running::No if path.exists() => Finding::warning(
            format!("nothing answers on `{shown}`: a server was killed"),
            "start it again with `askbridge`",
        ),
        Running::No => Finding::skipped("askbridge is not running; start it with `askbridge`"),
        Running::Strange(why) => Finding::bad(
            format!("the program that listens on `{shown}` does not answer as askbridge does: {why}"),
            format!("stop it, remove the file with `rm '{shown}'`, and start `askbridge`"),
        ),
    }]
}
