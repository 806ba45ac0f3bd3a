//! Libraries of seline's front end: Vercel's AI SDK, whose own parser reads what the dialect writes, and assistant-ui,
//! which tracks calls as they stream and as they are loaded again.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::npm;

const SDK: &str = "crates/askbridge/tests/dialects/clients/ai";
const ASSISTANT_UI: &str = "crates/askbridge/tests/dialects/clients/assistant-ui";
/// An early version, which throws when the arguments of a call change, and the one that seline pins.
const VERSIONS: [&str; 2] = ["0.12.5", "0.12.15"];

/// Returns the folder with the SDK's modules.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    npm::run("Vercel's AI SDK (npm package ai)", SDK, tools.join("ai"))
}

/// Returns the folder with one folder per version.
pub(crate) fn assistant_ui(tools: &Path) -> Result<PathBuf> {
    let place = tools.join("assistant-ui");
    for version in VERSIONS {
        npm::run(&format!("assistant-ui {version}"), &format!("{ASSISTANT_UI}/{version}"), place.join(version))?;
    }
    Ok(place)
}
