//! The official `mcp` package for Python, of the older generation, in a venv of its own. The newer one comes along with
//! `claude-agent-sdk`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::size;
use crate::run::{exists, program, root};

/// Its hash, and those of all it needs, are in the requirements.
const VERSION: &str = "1.30.0";
const REQUIREMENTS: &str = "crates/askbridge/tests/mcp/clients/requirements-1.x.txt";

/// Returns the venv's Python.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    let venv = tools.join("mcp").join(VERSION);
    let python = venv.join("bin/python");
    let stamp = venv.join("requirements.txt");
    let wanted = fs::read(root().join(REQUIREMENTS))?;
    if python.exists() && fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    if !exists("python3") {
        bail!("the tests need Python 3 with venv\n\nhint: apt-get install python3 python3-venv");
    }
    eprintln!("installing mcp {VERSION} (PyPI, 15 MB to fetch) into {}", venv.display());
    program("python3", &["-m", "venv", "--clear", &venv.to_string_lossy()])?;
    program(
        &python,
        &["-m", "pip", "install", "--quiet", "--require-hashes", "--only-binary=:all:", "-r", REQUIREMENTS],
    )?;
    fs::write(stamp, wanted)?;
    eprintln!("installed {} ({})", venv.display(), size(&venv));
    Ok(python)
}
