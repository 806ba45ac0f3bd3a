//! Installs into `.tools` what the tests need and the machine may not have. Prints what it installs, with its size.

pub(crate) mod agents;
mod ai;
mod bolt;
mod chromium;
pub(crate) mod claude;
mod gobby;
mod mcp;
mod nats;
mod nginx;
mod npm;
mod peers;
mod schemathesis;
mod sdk;
mod typos;
mod venv;
mod wheel;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::run::{go, root};

pub(crate) use bolt::{Bolt, bolt, profdata};
pub(crate) use peers::peers;
pub(crate) use schemathesis::schemathesis;
pub(crate) use typos::typos;

/// Paths of everything that is installed.
pub(crate) struct Installed {
    nats: PathBuf,
    claude: PathBuf,
    sdk: PathBuf,
    gobby: PathBuf,
    ai: PathBuf,
    assistant_ui: PathBuf,
    mcp: PathBuf,
    chromium: PathBuf,
    nginx: PathBuf,
}

impl Installed {
    /// The variables by which the tests find the tools.
    pub(crate) fn env(&self) -> [(&str, &OsStr); 9] {
        [
            ("ASKBRIDGE_NATS_SERVER", self.nats.as_os_str()),
            ("ASKBRIDGE_TEST_CLAUDE", self.claude.as_os_str()),
            ("ASKBRIDGE_TEST_SDK", self.sdk.as_os_str()),
            ("ASKBRIDGE_TEST_GOBBY_UI", self.gobby.as_os_str()),
            ("ASKBRIDGE_TEST_AI", self.ai.as_os_str()),
            ("ASKBRIDGE_TEST_ASSISTANT_UI", self.assistant_ui.as_os_str()),
            ("ASKBRIDGE_TEST_MCP", self.mcp.as_os_str()),
            ("CHROMIUM", self.chromium.as_os_str()),
            ("ASKBRIDGE_TEST_NGINX", self.nginx.as_os_str()),
        ]
    }
}

/// Installs what is missing.
pub(crate) fn run() -> Result<Installed> {
    let tools = root().join(".tools");
    fs::create_dir_all(&tools)?;
    Ok(Installed {
        nats: nats::run(&tools)?,
        claude: claude::run(&tools, claude::PINNED)?,
        sdk: sdk::run(&tools)?,
        gobby: gobby::run(&tools)?,
        ai: ai::run(&tools)?,
        assistant_ui: ai::assistant_ui(&tools)?,
        mcp: mcp::run(&tools)?,
        chromium: chromium::run()?,
        nginx: nginx::run(&tools)?,
    })
}

/// Returns the size of a file or folder, for people.
fn size(path: &Path) -> String {
    format!("{} MB", bytes(path) / 1_000_000)
}

fn bytes(path: &Path) -> u64 {
    let Ok(meta) = fs::symlink_metadata(path) else { return 0 };
    if !meta.is_dir() {
        return meta.len();
    }
    fs::read_dir(path).map_or(0, |entries| entries.flatten().map(|entry| bytes(&entry.path())).sum())
}

/// Installs a Debian package.
fn apt(package: &str) -> Result<()> {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    let mut command = if root { Command::new("apt-get") } else { Command::new("sudo") };
    if !root {
        command.arg("apt-get");
    }
    command.args(["install", "--yes", "--no-install-recommends", package]).env("DEBIAN_FRONTEND", "noninteractive");
    go(command, &format!("apt-get install {package}"))
}
