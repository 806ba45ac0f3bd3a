//! Checks that this binary and the running server are the same release.

use super::super::finding::Finding;
use super::super::patient::{Patient, Running};

const OURS: &str = env!("CARGO_PKG_VERSION");

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    vec![match &patient.server {
        Running::Yes { version } if version == OURS => {
            Finding::good(format!("the server is {version}, and so is this"))
        }
        Running::Yes { version } => Finding::warning(
            format!("the server is {version}, and this is {OURS}"),
            "stop the server and start it again with `askbridge`; nothing is lost by that",
        ),
        Running::No | Running::Strange(_) => Finding::good(format!("this is {OURS}")),
    }]
}
