//! Runs one scene of a client in Node.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::house::House;

/// Plays a scene to its end. The test fails with the client's complaint.
#[track_caller]
pub(crate) fn play(house: &House, client: &str, scene: &str) {
    play_with(house, client, scene, &[]);
}

/// The same, with extra variables for the client.
#[track_caller]
pub(crate) fn play_with(house: &House, client: &str, scene: &str, more: &[(&str, &str)]) {
    let file = format!("{}/tests/dialects/clients/{client}.mjs", env!("CARGO_MANIFEST_DIR"));
    let mut node = Command::new("node");
    // Node 20 has the browsers' WebSocket behind this flag; later ones have it without.
    node.args(["--experimental-websocket", "--no-warnings", &file, scene]);
    node.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
    node.env("GOBBY_UI", gobby_ui());
    node.env("SCRATCH", house.scratch.home());
    // Pages in a browser save screenshots there, for people to look at.
    node.envs(pictures().map(|folder| ("PICTURES", folder)));
    node.env("SERVER", &house.address).env("TOKEN", &house.ada);
    node.envs(more.iter().copied());
    let played = node.output().expect("node can be run");
    let (out, err) = (String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    assert!(played.status.success(), "{client} {scene}:\n{out}\n{err}\n--- the server:\n{}", house.log());
}

#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
fn pictures() -> Option<PathBuf> {
    std::env::var_os("ASKBRIDGE_TEST_PICTURES").map(PathBuf::from)
}

/// The built page: `ASKBRIDGE_TEST_GOBBY_UI`, or the one in `.tools`.
#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
fn gobby_ui() -> PathBuf {
    let named = std::env::var_os("ASKBRIDGE_TEST_GOBBY_UI").map(PathBuf::from);
    named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/gobby-ui/0.4.6/dist"))
}
