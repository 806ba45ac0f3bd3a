//! A Python package with all its dependencies, pinned by hash, in its own venv.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::size;
use crate::run::{exists, program, root};

/// The package for a venv.
pub(super) struct Package {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// The size of the download.
    pub(super) megabytes: u32,
    /// A file of this repository with the hashes of the package and all its dependencies.
    pub(super) requirements: &'static str,
}

/// Makes the venv, unless it is there with exactly this content. `then` finishes it. Returns its Python.
pub(super) fn venv(tools: &Path, package: &Package, then: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let Package { name, version, megabytes, requirements } = package;
    let venv = tools.join(name).join(version);
    let python = venv.join("bin/python");
    let stamp = venv.join("requirements.txt");
    let wanted = fs::read(root().join(requirements))?;
    if python.exists() && fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    if !exists("python3") {
        bail!("the tests need Python 3 with venv\n\nhint: apt-get install python3 python3-venv");
    }
    eprintln!("installing {name} {version} (PyPI, {megabytes} MB to fetch) into {}", venv.display());
    program("python3", &["-m", "venv", "--clear", &venv.to_string_lossy()])?;
    let pip = ["-m", "pip", "install", "--quiet", "--require-hashes", "--only-binary=:all:", "-r", requirements];
    program(&python, &pip)?;
    then(&venv)?;
    fs::write(stamp, wanted)?;
    eprintln!("installed {} ({})", venv.display(), size(&venv));
    Ok(python)
}
