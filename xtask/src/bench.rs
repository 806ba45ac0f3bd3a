//! `cargo xtask bench`: the published build, measured beside its floors and beside what a user would pick instead.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::run::{cargo, go, root};
use crate::{dist, install};

pub(crate) fn run(args: &[&str]) -> Result<()> {
    let bench = dist::run()?.join("askbridge-bench");
    let mut env: Vec<(&str, PathBuf)> = Vec::new();
    // Only whole turns are compared with these; the other parts of the bench need no download.
    if matches!(args, [] | ["--quick"] | ["turns", ..]) {
        env = install::peers();
        // One of the goals is about the build that everybody makes.
        cargo(&["build", "--release", "--locked", "--package", "askbridge"])?;
        env.push(("ASKBRIDGE_BENCH_RELEASE", root().join("target/release/askbridge")));
    }
    let mut command = Command::new(&bench);
    command.args(args).envs(env.iter().map(|(name, path)| (*name, OsStr::new(path))));
    go(command, &format!("{} {}", bench.display(), args.join(" ")))
}
