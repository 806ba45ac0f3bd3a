//! The official `claude-agent-sdk` for Python in a venv of its own: the host that ours is compared with.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::size;
use crate::run::{exists, program, root};

/// The version that brings Claude Code 2.1.325. Its hash, and those of all it needs, are in the requirements.
const VERSION: &str = "0.2.182";
const REQUIREMENTS: &str = "crates/scripted/python/requirements.txt";

/// Returns the venv's Python.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    let venv = tools.join("claude-agent-sdk").join(VERSION);
    let python = venv.join("bin/python");
    let stamp = venv.join("requirements.txt");
    let wanted = fs::read(root().join(REQUIREMENTS))?;
    if python.exists() && fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    if !exists("python3") {
        bail!("the tests need Python 3 with venv\n\nhint: apt-get install python3 python3-venv");
    }
    eprintln!("installing claude-agent-sdk {VERSION} (PyPI, 170 MB to fetch) into {}", venv.display());
    program("python3", &["-m", "venv", "--clear", &venv.to_string_lossy()])?;
    program(
        &python,
        &["-m", "pip", "install", "--quiet", "--require-hashes", "--only-binary=:all:", "-r", REQUIREMENTS],
    )?;
    // The SDK brings a CLI of its own, which is the pinned one again. Tests name the CLI, so it would only fill the disk.
    for entry in fs::read_dir(venv.join("lib"))?.flatten() {
        let bundled = entry.path().join("site-packages/claude_agent_sdk/_bundled/claude");
        if bundled.exists() {
            fs::remove_file(bundled)?;
        }
    }
    fs::write(stamp, wanted)?;
    eprintln!("installed {} ({})", venv.display(), size(&venv));
    Ok(python)
}
