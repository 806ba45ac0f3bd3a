//! pebble, the ACME server that Let's Encrypt has for tests: the installed one, or Debian's package, unpacked into
//! `.tools`.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::debian::{Packaged, unpack};

const PACKAGED: &str = "/usr/bin/pebble";

/// Returns the program.
pub(super) fn run(tools: &Path) -> Result<PathBuf> {
    let unpacked = tools.join("pebble/usr/bin/pebble");
    let mut known = [PathBuf::from(PACKAGED), unpacked.clone()].into_iter();
    if let Some(program) = known.find(|path| path.is_file()) {
        return Ok(program);
    }
    unpack(tools, &Packaged { name: "pebble", package: "pebble", along: None, megabytes: "3" })?;
    ensure!(unpacked.is_file(), "the package has no `{}`", unpacked.display());
    Ok(unpacked)
}
