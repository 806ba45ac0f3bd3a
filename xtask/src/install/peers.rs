//! What the bench compares whole turns with: the official SDKs for Python and Node, behind the servers that people put
//! in front of them. One that cannot be installed is left out of the bench.

use std::path::PathBuf;

use super::npm::{self, Optional};
use super::sdk::remove_bundled_cli;
use super::venv::{Package, venv};
use crate::run::root;

/// The SDK of the version that the tests use, with FastAPI and uvicorn.
const PYTHON: Package = Package {
    name: "bench-python",
    version: "0.2.182",
    megabytes: 180,
    requirements: "crates/bench/peers/python/requirements.txt",
};
const NODE: &str = "crates/bench/peers/node";

/// Installs what is missing. Returns the variables by which the bench finds the peers.
pub(crate) fn peers() -> Vec<(&'static str, PathBuf)> {
    let tools = root().join(".tools");
    let what = "the official Node SDK and ws (npm packages @anthropic-ai/claude-agent-sdk and ws)";
    let python = venv(&tools, &PYTHON, remove_bundled_cli);
    // The SDK's optional packages are copies of the CLI, 366 MB each; the bench names its own.
    let node = npm::install(what, NODE, tools.join("bench-node"), Optional::Omit);
    let installed = [("ASKBRIDGE_BENCH_PYTHON", PYTHON.name, python), ("ASKBRIDGE_BENCH_NODE", "bench-node", node)];
    let mut found = Vec::new();
    for (variable, name, path) in installed {
        match path {
            Ok(path) => found.push((variable, path)),
            Err(why) => eprintln!("could not install {name}, so the bench goes on without it: {why:#}"),
        }
    }
    found
}
