//! A small crowd of all dialects, for every change: each client sees its ask, answers it, and the answer counts.

use std::process::Command;

#[test]
fn a_hundred_clients_of_all_dialects_are_asked_and_answer() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ran = Command::new(env!("CARGO_BIN_EXE_askbridge-bench")).args(["mixed", "100"]).current_dir(root).output();
    let ran = ran.expect("the crowd can be called");
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}{errors}");
    assert!(said.contains("| 100 | ccc 28, gobby 1, prime 40, seline 20, whimmy 11 |"), "{said}{errors}");
}
