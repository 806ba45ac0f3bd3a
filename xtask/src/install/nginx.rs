//! nginx, which the guides put in front of askbridge: the installed one, or Debian's package, unpacked into `.tools`.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::debian::{Packaged, unpack};

/// Not in every user's PATH.
const PACKAGED: &str = "/usr/sbin/nginx";

/// Returns the program.
pub(super) fn run(tools: &Path) -> Result<PathBuf> {
    let unpacked = tools.join("nginx/usr/sbin/nginx");
    let mut known = [PathBuf::from(PACKAGED), unpacked.clone()].into_iter();
    if let Some(program) = known.find(|path| path.is_file()) {
        return Ok(program);
    }
    unpack(tools, &Packaged { name: "nginx", package: "nginx", along: None, megabytes: "0.5" })?;
    ensure!(unpacked.is_file(), "the package has no `{}`", unpacked.display());
    Ok(unpacked)
}
