//! A small crowd, for every change: nothing is lost.

use std::process::Command;

#[test]
fn a_small_crowd_loses_nothing() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ran = Command::new(env!("CARGO_BIN_EXE_askbridge-bench")).args(["crowd", "--quick"]).current_dir(root).output();
    let ran = ran.expect("the crowd can be called");
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}{errors}");
    assert!(said.trim_end().ends_with("| 0 |"), "{said}{errors}");
}
