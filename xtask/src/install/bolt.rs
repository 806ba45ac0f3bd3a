//! Tools for the profile-guided build: the compiler's own `llvm-profdata`, and BOLT from Debian's package.
//!
//! If they cannot be installed, the build continues without them and says so.

use std::fs;
use std::path::{Path, PathBuf};

use super::apt;
use crate::run::{exists, go, output};

/// Where LLVM's packages are installed: one folder per version.
const PACKAGED: &str = "/usr/lib";

pub(crate) struct Bolt {
    pub(crate) bolt: PathBuf,
    pub(crate) merge: PathBuf,
}

/// Returns BOLT, after installing it if possible.
pub(crate) fn bolt() -> Option<Bolt> {
    if find().is_none()
        && exists("apt-get")
        && let Some(package) = newest_package()
    {
        eprintln!("installing BOLT (the Debian package {package}, about 200 MB)");
        if let Err(why) = apt(&package) {
            eprintln!("could not: {why:#}");
        }
    }
    let found = find();
    if found.is_none() {
        eprintln!("going on without BOLT, with a build that takes a seventh more CPU");
        eprintln!("\nhint: install the package `bolt-16` of your system, or a later one");
    }
    found
}

/// Returns the newest installed one.
fn find() -> Option<Bolt> {
    let folders = fs::read_dir(PACKAGED).ok()?.flatten();
    let versions = folders.filter_map(|folder| folder.file_name().to_str()?.strip_prefix("llvm-")?.parse::<u32>().ok());
    let paths = versions.map(|version| (version, PathBuf::from(format!("{PACKAGED}/llvm-{version}/bin/llvm-bolt"))));
    let (_, bolt) = paths.filter(|(_, path)| path.is_file()).max()?;
    Some(Bolt { merge: bolt.with_file_name("merge-fdata"), bolt })
}

fn newest_package() -> Option<String> {
    let found = output("apt-cache", &["search", "--names-only", "^bolt-[0-9]+$"]).ok()?;
    let versions = found.lines().filter_map(|line| line.strip_prefix("bolt-")?.split(' ').next()?.parse::<u32>().ok());
    versions.max().map(|version| format!("bolt-{version}"))
}

/// Returns this compiler's `llvm-profdata`, after installing it if possible.
pub(crate) fn profdata() -> Option<PathBuf> {
    let path = Path::new(output("rustc", &["--print", "target-libdir"]).ok()?.trim()).join("../bin/llvm-profdata");
    if !path.is_file() && exists("rustup") {
        eprintln!("installing llvm-tools (a component of the Rust toolchain, about 30 MB)");
        let mut command = std::process::Command::new("rustup");
        command.args(["component", "add", "llvm-tools"]);
        if let Err(why) = go(command, "rustup component add llvm-tools") {
            eprintln!("could not: {why:#}");
        }
    }
    if !path.is_file() {
        eprintln!("going on without a recorded profile, with a build that takes a twelfth more CPU");
        eprintln!("\nhint: `rustup component add llvm-tools`");
        return None;
    }
    Some(path)
}
