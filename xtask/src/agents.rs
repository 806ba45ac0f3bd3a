//! `cargo xtask agents`, also part of `cargo xtask test`: the real Codex and OpenCode against the real binary.
//!
//! They are packaged for one kind of machine only. Where they cannot be installed, the run says so, loudly, and
//! continues; where they can, their tests have to pass.

use std::path::PathBuf;

use anyhow::Result;

use crate::install::agents::{AGENTS, Agent, Fetched};
use crate::install::{self, Installed};
use crate::run::{cargo_with, root};
use crate::suite::{self, Env};

/// The result of a run.
#[derive(Default)]
pub(crate) struct Report {
    /// Tests that passed only when they were run again alone.
    pub(crate) hiccups: Vec<String>,
    /// Agents that could not be installed, each with the reason.
    pub(crate) absent: Vec<String>,
}

/// `cargo xtask agents`.
pub(crate) fn run() -> Result<()> {
    stage(&install::run()?)?.tell();
    Ok(())
}

pub(crate) fn stage(installed: &Installed) -> Result<Report> {
    let mut report = Report::default();
    let mut present: Vec<(&Agent, PathBuf)> = Vec::new();
    for agent in &AGENTS {
        match install::agents::run(&root().join(".tools"), agent)? {
            Fetched::Here(path) => present.push((agent, path)),
            Fetched::Absent(why) => report.absent.push(format!("{}: {why}", agent.label())),
        }
    }
    let mut env: Env<'_> = installed.env().to_vec();
    env.extend(present.iter().map(|(agent, path)| (agent.variable, path.as_os_str())));
    // With the features of the whole workspace, so that nothing is rebuilt.
    let target = ["--workspace", "--test", "agents"];
    cargo_with(&[&["clippy"], &target[..], &["--", "--deny", "warnings"]].concat(), &env)?;
    let names = present.iter().map(|(agent, _)| agent.name);
    let test: Vec<&str> = ["test", "--no-fail-fast"].into_iter().chain(target).chain(["--"]).chain(names).collect();
    if !present.is_empty() {
        report.hiccups = suite::run(&test, &env)?;
    }
    Ok(report)
}

impl Report {
    pub(crate) fn tell(&self) {
        for agent in &self.absent {
            eprintln!("\nNOT TRIED, because it could not be installed: {agent}");
        }
        suite::tell(&self.hiccups);
    }
}
