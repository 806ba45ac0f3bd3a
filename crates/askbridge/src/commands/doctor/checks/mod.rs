//! The checks, in the order in which one depends on the other. A new one is a file and a row.

mod agents;
mod asks;
mod channels;
mod claude;
mod clock;
mod doors;
mod files;
mod folder;
mod growth;
mod home;
mod https;
mod nodes;
mod port;
mod rules;
mod socket;
mod space;
mod store;
mod tokens;
mod versions;

use std::future::Future;
use std::pin::Pin;

use super::finding::Finding;
use super::patient::Patient;

pub(super) struct Check {
    /// At most eight letters.
    pub(super) name: &'static str,
    pub(super) look: for<'a> fn(&'a Patient) -> Looking<'a>,
}

pub(super) type Looking<'a> = Pin<Box<dyn Future<Output = Vec<Finding>> + Send + 'a>>;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "clock", look: |patient| Box::pin(clock::look(patient)) },
    Check { name: "folder", look: |patient| Box::pin(folder::look(patient)) },
    Check { name: "space", look: |patient| Box::pin(space::look(patient)) },
    Check { name: "store", look: |patient| Box::pin(store::look(patient)) },
    Check { name: "growth", look: |patient| Box::pin(growth::look(patient)) },
    Check { name: "tokens", look: |patient| Box::pin(tokens::look(patient)) },
    Check { name: "socket", look: |patient| Box::pin(socket::look(patient)) },
    Check { name: "port", look: |patient| Box::pin(port::look(patient)) },
    Check { name: "https", look: |patient| Box::pin(https::look(patient)) },
    Check { name: "versions", look: |patient| Box::pin(versions::look(patient)) },
    Check { name: "nodes", look: |patient| Box::pin(nodes::look(patient)) },
    Check { name: "home", look: |patient| Box::pin(home::look(patient)) },
    Check { name: "rules", look: |patient| Box::pin(rules::look(patient)) },
    Check { name: "files", look: |patient| Box::pin(files::look(patient)) },
    Check { name: "claude", look: |patient| Box::pin(claude::look(patient)) },
    Check { name: "agents", look: |patient| Box::pin(agents::look(patient)) },
    Check { name: "asks", look: |patient| Box::pin(asks::look(patient)) },
    Check { name: "channels", look: |patient| Box::pin(channels::look(patient)) },
    Check { name: "hooks", look: |patient| Box::pin(doors::hooks(patient)) },
    Check { name: "mcp", look: |patient| Box::pin(doors::servers(patient)) },
];
