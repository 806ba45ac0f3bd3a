//! schemathesis, which tests an API against its own document. Its dependencies are pinned in `schemathesis.txt`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::run::{program, root};

const SCHEMATHESIS_VERSION: &str = "4.32.5";

/// Installs schemathesis into its own virtual environment. Returns the program.
pub(crate) fn schemathesis() -> Result<PathBuf> {
    let folder = root().join(".tools/schemathesis");
    let (tester, stamp) = (folder.join("bin/schemathesis"), folder.join("version"));
    if tester.exists() && fs::read_to_string(&stamp).is_ok_and(|version| version.trim() == SCHEMATHESIS_VERSION) {
        return Ok(tester);
    }
    eprintln!("installing schemathesis {SCHEMATHESIS_VERSION} (PyPI) into {}", folder.display());
    let venv = folder.to_string_lossy();
    let made = program("python3", &["-m", "venv", "--clear", &venv]);
    made.context("the tests need Python 3 with venv, to test the API\n\nhint: apt-get install python3-venv")?;
    let fetch = ["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"];
    let wanted = [&fetch[..], &["--requirement", "xtask/schemathesis.txt"]].concat();
    program(folder.join("bin/python3"), &wanted)?;
    fs::write(stamp, SCHEMATHESIS_VERSION)?;
    Ok(tester)
}
