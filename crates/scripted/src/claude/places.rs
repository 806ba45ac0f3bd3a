//! Finds the programs that tests need. A missing one fails the test and says what to run; nothing is skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const TOOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools");

/// The version that `cargo xtask install` pins.
pub const CLAUDE_VERSION: &str = "2.1.325";
const SDK_VERSION: &str = "0.2.182";

/// The real CLI: `ASKBRIDGE_TEST_CLAUDE`, or the one in `.tools`.
#[track_caller]
pub fn claude() -> PathBuf {
    installed("ASKBRIDGE_TEST_CLAUDE", &format!("claude/{CLAUDE_VERSION}/claude"), "Claude Code")
}

/// A Python that has `claude-agent-sdk`: `ASKBRIDGE_TEST_SDK`, or the one in `.tools`.
#[track_caller]
pub fn sdk_python() -> PathBuf {
    installed("ASKBRIDGE_TEST_SDK", &format!("claude-agent-sdk/{SDK_VERSION}/bin/python"), "claude-agent-sdk")
}

/// A folder with Vercel's AI SDK for Node: `ASKBRIDGE_TEST_AI`, or the one in `.tools`.
#[track_caller]
pub fn ai_sdk() -> PathBuf {
    let place = var("ASKBRIDGE_TEST_AI").unwrap_or_else(|| Path::new(TOOLS).join("ai"));
    let entry = place.join("node_modules/ai/dist/index.mjs");
    assert!(entry.is_file(), "there is no AI SDK at {}; run `cargo xtask install`", entry.display());
    entry
}

/// A folder with one version of assistant-ui, which Seline's front end is made of: in `ASKBRIDGE_TEST_ASSISTANT_UI`, or in `.tools`.
#[track_caller]
pub fn assistant_ui(version: &str) -> PathBuf {
    let places = var("ASKBRIDGE_TEST_ASSISTANT_UI").unwrap_or_else(|| Path::new(TOOLS).join("assistant-ui"));
    let place = places.join(version);
    assert!(
        place.join("node_modules").is_dir(),
        "there is no assistant-ui at {}; run `cargo xtask install`",
        place.display()
    );
    place
}

/// Our double of the CLI, built on first use: cargo builds it for this package's own tests only.
#[track_caller]
pub fn fake_claude() -> PathBuf {
    built("fake-claude")
}

/// The scripted model as a program.
#[track_caller]
pub fn fake_model() -> PathBuf {
    built("fake-model")
}

#[track_caller]
fn installed(variable: &str, place: &str, what: &str) -> PathBuf {
    let path = var(variable).unwrap_or_else(|| Path::new(TOOLS).join(place));
    assert!(path.is_file(), "there is no {what} at {}; run `cargo xtask install`", path.display());
    path
}

#[track_caller]
fn built(name: &str) -> PathBuf {
    static BUILT: OnceLock<Result<(), String>> = OnceLock::new();
    // Test binaries are in target/<profile>/deps, programs in the folder above.
    let test = std::env::current_exe().expect("a test knows where it is");
    let folder = test.ancestors().skip(1).find(|folder| !folder.ends_with("deps"));
    let folder = folder.expect("a test lies in a folder").to_owned();
    if let Err(error) = BUILT.get_or_init(|| build(&folder)) {
        panic!("could not build `{name}`: {error}");
    }
    folder.join(name)
}

fn build(folder: &Path) -> Result<(), String> {
    let profile = folder.file_name().and_then(|name| name.to_str()).unwrap_or("debug");
    let profile = if profile == "debug" { "dev" } else { profile };
    let cargo = var("CARGO").unwrap_or_else(|| PathBuf::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", "askbridge-scripted", "--bins", "--profile", profile]);
    command.arg("--target-dir").arg(folder.parent().unwrap_or(folder));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    let out = command.output().map_err(|error| error.to_string())?;
    if out.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&out.stderr).into_owned()) }
}

#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
fn var(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}
