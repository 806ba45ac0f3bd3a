//! `cargo xtask drift`: does another release of Claude Code still do what we build on?

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::install;
use crate::run::{cargo_with, program, root};

/// Runs the scenarios of the real CLI against another one: 2.1.197, or the one at `--cli`.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    let cli = match args {
        [] => install::claude::run(&root().join(".tools"), install::claude::OLDER)?,
        ["--cli", path] => PathBuf::from(path).canonicalize()?,
        other => bail!("drift takes `--cli PATH` and nothing else, not {other:?}"),
    };
    program(&cli, &["--version"])?;
    let args = ["test", "--package", "askbridge-scripted", "--test", "it", "--no-fail-fast", "--", "real"];
    cargo_with(&args, &[("ASKBRIDGE_TEST_CLAUDE", cli.as_os_str())])
}
