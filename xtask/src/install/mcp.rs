//! The official `mcp` package for Python, version 1.x. Version 2.x comes with `claude-agent-sdk`.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::venv::{Package, venv};

const MCP: Package = Package {
    name: "mcp",
    version: "1.30.0",
    megabytes: 15,
    requirements: "crates/askbridge/tests/mcp/clients/requirements-1.x.txt",
};

/// Returns a Python with the package.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    venv(tools, &MCP, |_| Ok(()))
}
