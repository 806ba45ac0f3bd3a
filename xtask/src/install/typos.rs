//! typos, a spell checker for code, as a package: building it from source would take minutes.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use super::wheel::Wheel;
use crate::run::root;

/// Returns the program.
pub(crate) fn typos() -> Result<PathBuf> {
    let tools = root().join(".tools");
    fs::create_dir_all(&tools)?;
    let speller = Wheel {
        name: "typos",
        package: "typos",
        version: "1.51.1",
        sha256: "6fc63fbfd84bede3db35a5699c80b0a65846ac7768b9bc2e4f8e858f1d6b0da1",
    };
    speller.install(&tools)
}
