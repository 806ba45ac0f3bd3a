//! Installs into `.tools` what the tests need and the machine may not have. Prints what it installs, with its size.

pub(crate) mod agents;
mod ai;
mod bolt;
mod caddy;
mod chromium;
pub(crate) mod claude;
mod debian;
mod gobby;
mod golang;
mod mcp;
mod nats;
mod nginx;
mod npm;
mod pebble;
mod peers;
mod receivers;
mod schemathesis;
mod sdk;
mod systemd;
mod telegram;
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
    gobby_page: PathBuf,
    gobby_rules: PathBuf,
    gobby_python: PathBuf,
    ai: PathBuf,
    assistant_ui: PathBuf,
    mcp: PathBuf,
    telegram: PathBuf,
    chromium: PathBuf,
    nginx: PathBuf,
    pebble: PathBuf,
    receivers: PathBuf,
    caddy: PathBuf,
    golang: PathBuf,
}

impl Installed {
    /// The variables by which the tests find the tools.
    pub(crate) fn env(&self) -> Vec<(&str, &OsStr)> {
        vec![
            ("ASKBRIDGE_NATS_SERVER", self.nats.as_os_str()),
            ("ASKBRIDGE_TEST_CLAUDE", self.claude.as_os_str()),
            ("ASKBRIDGE_TEST_SDK", self.sdk.as_os_str()),
            ("ASKBRIDGE_TEST_GOBBY_UI", self.gobby_page.as_os_str()),
            ("ASKBRIDGE_TEST_GOBBY", self.gobby_rules.as_os_str()),
            ("ASKBRIDGE_TEST_GOBBY_PYTHON", self.gobby_python.as_os_str()),
            ("ASKBRIDGE_TEST_AI", self.ai.as_os_str()),
            ("ASKBRIDGE_TEST_ASSISTANT_UI", self.assistant_ui.as_os_str()),
            ("ASKBRIDGE_TEST_MCP", self.mcp.as_os_str()),
            ("ASKBRIDGE_TEST_TELEGRAM", self.telegram.as_os_str()),
            ("CHROMIUM", self.chromium.as_os_str()),
            ("ASKBRIDGE_TEST_NGINX", self.nginx.as_os_str()),
            ("ASKBRIDGE_TEST_PEBBLE", self.pebble.as_os_str()),
            ("ASKBRIDGE_TEST_RECEIVERS", self.receivers.as_os_str()),
            ("ASKBRIDGE_TEST_CADDY", self.caddy.as_os_str()),
            ("ASKBRIDGE_TEST_GO", self.golang.as_os_str()),
        ]
    }
}

/// Installs what is missing.
pub(crate) fn run() -> Result<Installed> {
    let tools = root().join(".tools");
    fs::create_dir_all(&tools)?;
    systemd::run()?;
    Ok(Installed {
        nats: nats::run(&tools)?,
        claude: claude::run(&tools, claude::PINNED)?,
        sdk: sdk::run(&tools)?,
        gobby_page: gobby::page(&tools)?,
        gobby_rules: gobby::rules(&tools)?,
        gobby_python: gobby::python(&tools)?,
        ai: ai::run(&tools)?,
        assistant_ui: ai::assistant_ui(&tools)?,
        mcp: mcp::run(&tools)?,
        telegram: telegram::run(&tools)?,
        chromium: chromium::run()?,
        nginx: nginx::run(&tools)?,
        pebble: pebble::run(&tools)?,
        receivers: receivers::run(&tools)?,
        caddy: caddy::run(&tools)?,
        golang: golang::run(&tools)?,
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

/// Installs a Debian package; if that fails, once more with a fresh list of packages.
fn apt(package: &str) -> Result<()> {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    let run = |arguments: &[&str]| {
        let mut command = if root { Command::new("apt-get") } else { Command::new("sudo") };
        if !root {
            command.arg("apt-get");
        }
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        go(command, &format!("apt-get {}", arguments.join(" ")))
    };
    let install = ["install", "--yes", "--no-install-recommends", package];
    run(&install).or_else(|_| run(&["update"]).and_then(|()| run(&install)))
}
