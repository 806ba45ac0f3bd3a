//! A small crowd, for every change: nothing is lost, and the excess is refused.

use std::process::Command;

#[test]
fn a_small_crowd_loses_nothing_and_agents_that_lost_their_way_are_refused() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ran = Command::new(env!("CARGO_BIN_EXE_askbridge-bench")).args(["crowd", "--quick"]).current_dir(root).output();
    let ran = ran.expect("the crowd can be called");
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}{errors}");
    let rows: Vec<&str> = said.lines().filter(|line| line.starts_with("| ") && line.ends_with(" |")).collect();
    let [_, crowd, _, overload] = rows[..] else { panic!("{said}{errors}") };
    assert!(crowd.ends_with("| 0 |"), "nothing is lost: {said}");
    // Sixteen sessions take sixty open asks each.
    assert!(overload.contains(" | 960 | "), "{said}");
}
