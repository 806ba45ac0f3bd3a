//! Python libraries that read what channels send: `http-ece` decrypts Web Push, `slack_sdk` validates Slack's blocks.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::venv::{Package, venv};
use crate::run::program;

/// Our own number: raise it when `SOURCE` changes.
const RECEIVERS: Package = Package {
    name: "receivers",
    version: "1",
    megabytes: 7,
    requirements: "crates/ringing/tests/python/requirements.txt",
};
/// `http-ece` is published as source only. It is built with the pinned setuptools that the venv has by then.
const SOURCE: &str = "crates/ringing/tests/python/requirements-source.txt";

/// Returns a Python with the libraries.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    venv(tools, &RECEIVERS, |venv| {
        let pip =
            ["-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps", "--no-build-isolation", "-r", SOURCE];
        program(venv.join("bin/python"), &pip)
    })
}
