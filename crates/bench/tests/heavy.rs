//! A few large asks, for every change: every client is told of all of them, and the server's memory stays small.

use std::process::Command;

#[test]
fn large_asks_cut_nobody_off_and_stay_within_the_memory_that_they_may_take() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ran = Command::new(env!("CARGO_BIN_EXE_askbridge-bench")).args(["heavy", "--quick"]).current_dir(root).output();
    let ran = ran.expect("the crowd can be called");
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}{errors}");
    assert!(said.contains("| 60 | 80 | 60 | 0 | 20 |"), "{said}");
}
