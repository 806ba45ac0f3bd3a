//! The official `mcp` package for Python, of the older generation. The newer one comes along with `claude-agent-sdk`.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::venv::{Package, venv};

const MCP: Package = Package {
    name: "mcp",
    version: "1.30.0",
    megabytes: 15,
    requirements: "crates/askbridge/tests/mcp/clients/requirements-1.x.txt",
};

/// Returns the Python that has it.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    venv(tools, &MCP, |_| Ok(()))
}
