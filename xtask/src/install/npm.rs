//! npm packages, pinned with all their dependencies by a lock file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::size;
use crate::run::{exists, program, root};

/// Installs what a folder of the tests pins, unless it is installed. Returns the folder with its modules.
pub(super) fn run(what: &str, pinned: &str, place: PathBuf) -> Result<PathBuf> {
    let pinned = root().join(pinned);
    let (modules, stamp) = (place.join("node_modules"), place.join("installed.json"));
    let wanted = fs::read(pinned.join("package-lock.json"))?;
    if modules.is_dir() && fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(place);
    }
    if !exists("npm") {
        bail!("the tests need npm, to fetch {what}\n\nhint: apt-get install npm");
    }
    eprintln!("installing {what} into {}", place.display());
    fs::create_dir_all(&place)?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(pinned.join(name), place.join(name))?;
    }
    program("npm", &["ci", "--silent", "--no-audit", "--no-fund", "--prefix", &path(&place)])?;
    fs::write(stamp, wanted)?;
    eprintln!("installed {} ({})", place.display(), size(&place));
    Ok(place)
}

fn path(place: &Path) -> String {
    place.to_string_lossy().into_owned()
}
