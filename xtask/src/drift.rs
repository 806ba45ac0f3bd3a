//! `cargo xtask drift`: checks that another release of Claude Code behaves as recorded.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::install;
use crate::run::{cargo_with, program, root};

/// Runs the scenarios of the real CLI against another release: 2.1.197, or the one at `--cli`.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    let cli = match args {
        [] => install::claude::run(&root().join(".tools"), install::claude::OLDER)?,
        ["--cli", path] => PathBuf::from(path).canonicalize()?,
        other => bail!("drift takes `--cli PATH` and nothing else, not {other:?}"),
    };
    program(&cli, &["--version"])?;
    let env = [("ASKBRIDGE_TEST_CLAUDE", cli.as_os_str())];
    // What our machine makes of it, compared with the recordings; then the CLI alone; then the known traps, through the
    // whole bridge. All three, even if the first differs.
    let meaning = ["test", "--package", "askbridge-testkit", "--test", "recorded", "--", "real"];
    let meaning = cargo_with(&meaning, &env);
    let scenarios = ["test", "--package", "askbridge-scripted", "--test", "it", "--no-fail-fast", "--", "real"];
    let scenarios = cargo_with(&scenarios, &env);
    let traps = ["test", "--package", "askbridge", "--test", "claude", "--no-fail-fast", "--", "gotcha"];
    cargo_with(&traps, &env).and(scenarios).and(meaning)
}
