//! Vercel's AI SDK, pinned with all it needs by a lock file: its own reader reads what the seline dialect writes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::size;
use crate::run::{exists, program, root};

const PINNED: &str = "crates/askbridge/tests/dialects/clients/ai";

/// Returns the folder with its modules.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    let (place, pinned) = (tools.join("ai"), root().join(PINNED));
    let (modules, stamp) = (place.join("node_modules"), place.join("installed.json"));
    let wanted = fs::read(pinned.join("package-lock.json"))?;
    if modules.is_dir() && fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(place);
    }
    if !exists("npm") {
        bail!("the tests need npm, to fetch the package `ai`\n\nhint: apt-get install npm");
    }
    eprintln!("installing Vercel's AI SDK (npm package ai) into {}", place.display());
    fs::create_dir_all(&place)?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(pinned.join(name), place.join(name))?;
    }
    program("npm", &["ci", "--silent", "--no-audit", "--no-fund", "--prefix", &place.to_string_lossy()])?;
    fs::write(stamp, wanted)?;
    eprintln!("installed {} ({})", place.display(), size(&place));
    Ok(place)
}
