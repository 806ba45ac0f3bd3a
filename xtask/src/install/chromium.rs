//! A browser for the journeys of the web app: Debian's own package, never one that is downloaded from elsewhere.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::run::{exists, go};

const PACKAGED: &str = "/usr/bin/chromium";

/// Returns where it is, after installing it where that is possible.
pub(crate) fn chromium() -> Result<PathBuf> {
    let path = Path::new(PACKAGED);
    if path.is_file() {
        return Ok(path.to_owned());
    }
    if !exists("apt-get") {
        bail!("there is no {PACKAGED}\n\nhint: install the package `chromium` of your system");
    }
    eprintln!("installing chromium (the Debian package, about 350 MB with what it needs)");
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    let mut command = if root { Command::new("apt-get") } else { Command::new("sudo") };
    if !root {
        command.arg("apt-get");
    }
    command.args(["install", "--yes", "--no-install-recommends", "chromium"]).env("DEBIAN_FRONTEND", "noninteractive");
    go(command, "apt-get install chromium")?;
    Ok(path.to_owned())
}
