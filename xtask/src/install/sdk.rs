//! The official `claude-agent-sdk` for Python: the host that ours is compared with.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::venv::{Package, venv};

/// The version that brings Claude Code 2.1.325.
const SDK: Package = Package {
    name: "claude-agent-sdk",
    version: "0.2.182",
    megabytes: 170,
    requirements: "crates/scripted/python/requirements.txt",
};

/// Returns a Python with the SDK.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    venv(tools, &SDK, remove_bundled_cli)
}

/// The SDK includes a copy of the pinned CLI. Tests name the CLI to use, so the copy would only fill the disk.
pub(super) fn remove_bundled_cli(venv: &Path) -> Result<()> {
    for entry in fs::read_dir(venv.join("lib"))?.flatten() {
        let bundled = entry.path().join("site-packages/claude_agent_sdk/_bundled/claude");
        if bundled.exists() {
            fs::remove_file(bundled)?;
        }
    }
    Ok(())
}
