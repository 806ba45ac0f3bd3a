//! `cargo xtask agents`: real agents of others as MCP clients. Large, and one is slow to start, so not a part of `test`.

use anyhow::Result;

use crate::install;
use crate::run::{cargo_with, root};

pub(crate) fn run() -> Result<()> {
    let installed = install::run()?;
    let tools = root().join(".tools");
    let codex = install::agents::run(&tools, &install::agents::CODEX)?;
    let opencode = install::agents::run(&tools, &install::agents::OPENCODE)?;
    let mut env = installed.env().to_vec();
    env.push(("ASKBRIDGE_TEST_CODEX", codex.as_os_str()));
    env.push(("ASKBRIDGE_TEST_OPENCODE", opencode.as_os_str()));
    let agents = ["--package", "askbridge", "--features", "real-agents", "--test", "agents"];
    let lints = [&["clippy"], &agents[..], &["--", "--deny", "warnings"]].concat();
    cargo_with(&lints, &env)?;
    cargo_with(&[&["test"], &agents[..]].concat(), &env)
}
