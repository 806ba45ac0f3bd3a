//! A browser for our pages and those of other systems: Debian's own package, never a download from elsewhere.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::apt;
use crate::run::exists;

const PACKAGED: &str = "/usr/bin/chromium";
const LETTERS: &str = "fonts-noto-cjk";

/// Returns the browser, after installing it if possible.
pub(super) fn run() -> Result<PathBuf> {
    let path = Path::new(PACKAGED);
    if !path.is_file() {
        if !exists("apt-get") {
            bail!("there is no {PACKAGED}\n\nhint: install the package `chromium` of your system");
        }
        eprintln!("installing chromium (the Debian package, about 350 MB with what it needs)");
        apt("chromium")?;
    }
    letters();
    Ok(path.to_owned())
}

/// Installs a font for the Japanese pages, so that layouts are measured with what people see. The journeys also pass
/// without it, so a machine that cannot install it continues.
fn letters() {
    let found = Command::new("fc-list").args([":lang=ja", "family"]).output();
    if found.is_ok_and(|found| !found.stdout.trim_ascii().is_empty()) || !exists("apt-get") {
        return;
    }
    eprintln!("installing Japanese letters (the Debian package {LETTERS}, about 90 MB)");
    if let Err(why) = apt(LETTERS) {
        eprintln!("going on without: {why:#}");
    }
}
