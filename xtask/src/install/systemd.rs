//! `systemd-analyze`, which checks the units in `packaging/`: Debian's own package.

use anyhow::{Result, bail};

use super::apt;
use crate::run::exists;

/// Installs it if there is none. It is linked to a library of its own version, so it cannot be unpacked elsewhere.
pub(super) fn run() -> Result<()> {
    if exists("systemd-analyze") {
        return Ok(());
    }
    if !exists("apt-get") {
        bail!("there is no systemd-analyze\n\nhint: install the package `systemd` of your system");
    }
    eprintln!("installing systemd-analyze (the Debian package systemd, about 10 MB; nothing of it is started)");
    apt("systemd")
}
