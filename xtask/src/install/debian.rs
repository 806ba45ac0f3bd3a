//! Programs from Debian's packages, unpacked into `.tools`.
//!
//! They are unpacked and not installed: installing needs root, and starts the servers that some packages bring.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::size;
use crate::run::{exists, go};

/// A program, and the package that has it.
pub(super) struct Packaged<'a> {
    pub(super) name: &'a str,
    /// The package, and with it those of its dependencies whose names match this pattern of `grep --extended-regexp`.
    pub(super) package: &'a str,
    pub(super) along: Option<&'a str>,
    /// What is downloaded, in words.
    pub(super) megabytes: &'a str,
}

/// Downloads and unpacks it. Returns the folder.
pub(super) fn unpack(tools: &Path, packaged: &Packaged<'_>) -> Result<PathBuf> {
    let Packaged { name, package, along, megabytes } = packaged;
    let folder = tools.join(name);
    if !exists("apt-get") || !exists("dpkg-deb") {
        bail!("there is no {name} here\n\nhint: install the package `{package}` of your system");
    }
    eprintln!("fetching {name} (the Debian package {package}, {megabytes} MB) into {}", folder.display());
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let script = r#"
        cd "$0"
        wanted() {
            echo "$1"
            [ -z "$2" ] || apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
                --no-replaces --no-enhances "$1" | grep --extended-regexp --line-regexp "$2" | sort --unique
        }
        download() { apt-get download $(wanted "$1" "$2"); }
        download "$1" "$2" || { apt-get update && download "$1" "$2"; }
        for one in ./*.deb; do dpkg-deb --extract "$one" .; done
        rm ./*.deb"#;
    let mut fetch = Command::new("bash");
    fetch.args(["-e", "-c", script]).arg(&folder).arg(package).arg(along.unwrap_or_default());
    go(fetch, &format!("apt-get download {package}, and dpkg-deb --extract"))?;
    eprintln!("fetched {} ({})", folder.display(), size(&folder));
    Ok(folder)
}
