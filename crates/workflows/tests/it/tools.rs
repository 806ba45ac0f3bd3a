//! Finds gobby's files and a Python. What is missing fails the test and says what to run.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

const TOOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools");
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python");

pub(crate) const FIRST: &str = "0.2.18";
pub(crate) const SECOND: &str = "0.4.6";

#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
fn named(variable: &str, otherwise: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(|| Path::new(TOOLS).join(otherwise), PathBuf::from)
}

/// All YAML files of a version of gobby: their paths and texts.
#[track_caller]
pub(crate) fn files(version: &str) -> Vec<(String, String)> {
    let folder = named("ASKBRIDGE_TEST_GOBBY", "gobby").join(version);
    let mut found = Vec::new();
    collect(&folder, &folder, &mut found);
    assert!(!found.is_empty(), "there is no gobby {version} at {}; run `cargo xtask install`", folder.display());
    found.sort();
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, found);
        } else if path.extension().is_some_and(|end| end == "yaml" || end == "yml") {
            let name = path.strip_prefix(root).expect("it is inside").to_string_lossy().into_owned();
            found.push((name, fs::read_to_string(&path).expect("gobby's files are text")));
        }
    }
}

/// Runs a script of `tests/python` with JSON in and JSON out.
#[track_caller]
pub(crate) fn python(script: &str, input: &Value) -> Vec<Value> {
    let python = named("ASKBRIDGE_TEST_GOBBY_PYTHON", "gobby-python/6.0.3/bin/python");
    assert!(python.exists(), "there is no Python at {}; run `cargo xtask install`", python.display());
    let mut child = Command::new(python)
        .arg(Path::new(SCRIPTS).join(script))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python can be run");
    let mut stdin = child.stdin.take().expect("it is piped");
    let text = input.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()).expect("Python reads its input"));
    let output = child.wait_with_output().expect("Python ends");
    writer.join().expect("the input was written");
    assert!(output.status.success(), "{script} failed");
    match serde_json::from_slice(&output.stdout) {
        Ok(Value::Array(results)) => results,
        other => panic!("{script} printed {other:?}"),
    }
}
