//! npm packages, pinned with all their dependencies by a lock file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::size;
use crate::run::{exists, program, root};

/// What to do with packages that others need only optionally.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Optional {
    Install,
    Omit,
}

/// Installs what a folder of the tests pins, unless it is installed. Returns the folder with its modules.
pub(super) fn run(what: &str, pinned: &str, place: PathBuf) -> Result<PathBuf> {
    install(what, pinned, place, Optional::Install)
}

pub(super) fn install(what: &str, pinned: &str, place: PathBuf, optional: Optional) -> Result<PathBuf> {
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
    let folder = path(&place);
    let mut args = vec!["ci", "--silent", "--no-audit", "--no-fund", "--prefix", &folder];
    if optional == Optional::Omit {
        args.push("--omit=optional");
    }
    program("npm", &args)?;
    fs::write(stamp, wanted)?;
    eprintln!("installed {} ({})", place.display(), size(&place));
    Ok(place)
}

fn path(place: &Path) -> String {
    place.to_string_lossy().into_owned()
}
