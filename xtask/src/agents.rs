//! Real agents of others against the real binary: Codex and OpenCode. A part of `cargo xtask test`, and a command of its own.
//!
//! They are there for one kind of machine only. Where they cannot be had that is said, loudly, and the rest goes on; where
//! they can be had, their tests have to pass.

use std::path::PathBuf;

use anyhow::Result;

use crate::install::agents::{AGENTS, Agent, Fetched};
use crate::install::{self, Installed};
use crate::run::{cargo_with, root};
use crate::suite::{self, Env};

/// What came of it.
#[derive(Default)]
pub(crate) struct Report {
    /// Tests that passed only when they were run by themselves.
    pub(crate) hiccups: Vec<String>,
    /// Agents that could not be had, each with the reason.
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
    // With the features of the whole workspace, as everything else was built.
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
