//! Caddy, which a guide puts in front of askbridge: the installed one, or Debian's package, unpacked into `.tools`.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::debian::{Packaged, unpack};

const PACKAGED: &str = "/usr/bin/caddy";

/// Returns the program.
pub(super) fn run(tools: &Path) -> Result<PathBuf> {
    let unpacked = tools.join("caddy/usr/bin/caddy");
    let mut known = [PathBuf::from(PACKAGED), unpacked.clone()].into_iter();
    if let Some(program) = known.find(|path| path.is_file()) {
        return Ok(program);
    }
    unpack(tools, &Packaged { name: "caddy", package: "caddy", along: None, megabytes: "9" })?;
    ensure!(unpacked.is_file(), "the package has no `{}`", unpacked.display());
    Ok(unpacked)
}
