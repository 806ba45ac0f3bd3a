//! Go, for the example of its guide: the installed one, or Debian's package, unpacked into `.tools`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::debian::{Packaged, unpack};

const PACKAGED: &str = "/usr/bin/go";

/// Returns the program.
pub(super) fn run(tools: &Path) -> Result<PathBuf> {
    if Path::new(PACKAGED).exists() {
        return Ok(PathBuf::from(PACKAGED));
    }
    if let Some(program) = unpacked(tools) {
        return Ok(program);
    }
    // The package `golang-go` is empty; the compiler and the standard library are in those that it needs.
    let along = Some(r"golang-[0-9.]+-(go|src)");
    unpack(tools, &Packaged { name: "golang", package: "golang-go", along, megabytes: "81" })?;
    unpacked(tools).context("the package has no `usr/lib/go-…/bin/go`")
}

/// Its folder has the version in its name.
fn unpacked(tools: &Path) -> Option<PathBuf> {
    let versions = fs::read_dir(tools.join("golang/usr/lib")).ok()?;
    versions.flatten().map(|version| version.path().join("bin/go")).find(|program| program.is_file())
}
