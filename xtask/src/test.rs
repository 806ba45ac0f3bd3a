//! `cargo xtask test`: every check before a merge, quickest first.

use std::ffi::OsStr;
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::run::{cargo, cargo_with, program};
use crate::{agents, api, api_diff, book, deny, install, links, suite, tidy, web};

pub(crate) fn run() -> Result<()> {
    let began = Instant::now();
    let installed = install::run()?;
    cargo(&["fmt", "--all", "--check"])?;
    tidy::run()?;
    deny::run()?;
    program(install::typos()?, &[])?;
    links::run()?;
    book::run()?;
    api_diff::run()?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"])?;
    let deny_warnings = [("RUSTDOCFLAGS", OsStr::new("--deny warnings"))];
    cargo_with(&["doc", "--workspace", "--no-deps", "--document-private-items"], &deny_warnings)?;
    // If this fails, the rest still runs, so that one run shows all that is wrong.
    let tests = suite::run(&suite::EVERYTHING, &installed.env());
    let (agents, api, web) = (agents::stage(&installed), api::run(), web::run(&installed));
    let parts = [tests.as_ref().err(), agents.as_ref().err(), api.as_ref().err(), web.as_ref().err()];
    let failed: Vec<_> = parts.iter().flatten().collect();
    for error in &failed {
        eprintln!("\nfailed: {error:#}");
    }
    let (count, all) = (failed.len(), parts.len());
    ensure!(count == 0, "{count} of {all} parts failed, after {} s", began.elapsed().as_secs());
    suite::tell(&tests?);
    agents?.tell();
    eprintln!("\neverything holds, after {} s", began.elapsed().as_secs());
    Ok(())
}
