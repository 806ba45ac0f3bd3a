//! Whole turns, for every change: each floor, and ours in three dialects, brings every answer to its agent.

use std::process::Command;

#[test]
fn every_subject_plays_whole_turns_and_every_answer_is_the_one_given() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_askbridge-bench"));
    let ran = command.args(["turns", "check", "3"]).current_dir(root).output().expect("the bench can be called");
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}{errors}");
    let subjects =
        ["bare relay", "durable relay", "faithful relay", "askbridge, native", "askbridge, prime", "askbridge, gobby"];
    for subject in subjects {
        let wanted = format!("{subject}: every answer was the one given");
        assert!(said.contains(&wanted), "{said}{errors}");
    }
}
