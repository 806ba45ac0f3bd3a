//! Runs other programs, and prints their command lines.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

pub(crate) fn cargo(args: &[&str]) -> Result<()> {
    cargo_with(args, &[])
}

/// Builds our programs into `target/debug` as the tests do: one package's features would rebuild its dependencies.
pub(crate) fn binaries() -> Result<()> {
    cargo(&["test", "--workspace", "--no-run", "--quiet"])
}

pub(crate) fn cargo_with(args: &[&str], env: &[(&str, &OsStr)]) -> Result<()> {
    go(cargo_command(args, env), &format!("cargo {}", args.join(" ")))
}

pub(crate) fn cargo_command(args: &[&str], env: &[(&str, &OsStr)]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(args).envs(env.iter().copied());
    // Cargo sets these for xtask; they would make every crate that reads them rebuild.
    command.env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_PKG_NAME").env_remove("CARGO_PKG_VERSION");
    for part in ["MAJOR", "MINOR", "PATCH", "PRE"] {
        command.env_remove(format!("CARGO_PKG_VERSION_{part}"));
    }
    command
}

pub(crate) fn program(path: impl AsRef<Path>, args: &[&str]) -> Result<()> {
    let mut command = Command::new(path.as_ref());
    command.args(args);
    go(command, &format!("{} {}", path.as_ref().display(), args.join(" ")))
}

/// Runs a command; `line` is printed for it.
pub(crate) fn go(mut command: Command, line: &str) -> Result<()> {
    eprintln!("\n$ {line}");
    let status = command.current_dir(root()).status().with_context(|| format!("could not run `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed");
    }
    Ok(())
}

/// Returns the output of a program.
pub(crate) fn output(name: &str, args: &[&str]) -> Result<String> {
    let out = Command::new(name).args(args).output().with_context(|| format!("could not run `{name}`"))?;
    if !out.status.success() {
        bail!("`{name}` failed: {}", String::from_utf8_lossy(&out.stderr));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Is there a program with this name?
pub(crate) fn exists(name: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {name}")]).output();
    found.is_ok_and(|found| found.status.success())
}
