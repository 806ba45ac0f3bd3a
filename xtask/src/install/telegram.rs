//! The `python-telegram-bot` package: an independent reader and writer of what goes between a bot and Telegram.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::venv::{Package, venv};

const TELEGRAM: Package = Package {
    name: "python-telegram-bot",
    version: "22.8",
    megabytes: 2,
    requirements: "crates/ringing/tests/telegram/requirements.txt",
};

/// Returns a Python with the package.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    venv(tools, &TELEGRAM, |_| Ok(()))
}
