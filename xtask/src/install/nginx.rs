//! nginx, which the guides put in front of askbridge: the installed one, or Debian's package, unpacked into `.tools`.
//!
//! It is unpacked and not installed: installing would need root, and would start a server on port 80 of this machine.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::size;
use crate::run::{exists, go};

const PACKAGE: &str = "nginx";
/// Not in every user's PATH.
const PACKAGED: &str = "/usr/sbin/nginx";

/// Returns the program.
pub(super) fn run(tools: &Path) -> Result<PathBuf> {
    let installed = Path::new(PACKAGED);
    if installed.is_file() {
        return Ok(installed.to_owned());
    }
    let folder = tools.join("nginx");
    let program = folder.join("usr/sbin/nginx");
    if program.is_file() {
        return Ok(program);
    }
    if !exists("apt-get") || !exists("dpkg-deb") {
        bail!("there is no {PACKAGED}\n\nhint: install the package `nginx` of your system");
    }
    eprintln!("fetching nginx (the Debian package, 0.5 MB) into {}", folder.display());
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let mut fetch = std::process::Command::new("sh");
    let script = r#"cd "$0" && { apt-get download "$1" || { apt-get update && apt-get download "$1"; }; } && dpkg-deb --extract "$1"_*.deb . && rm "$1"_*.deb"#;
    fetch.args(["-c", script]).arg(&folder).arg(PACKAGE);
    go(fetch, &format!("apt-get download {PACKAGE}, and dpkg-deb --extract"))?;
    let found = fs::metadata(&program).with_context(|| format!("the package has no `{}`", program.display()))?;
    eprintln!("fetched {} ({} bytes; {} with the rest)", program.display(), found.len(), size(&folder));
    Ok(program)
}
