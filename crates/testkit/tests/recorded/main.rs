//! Recorded output of each release of Claude Code, and what our machine makes of it.
//!
//! A recording is what the real program wrote while our own machine talked to it. It is played to the machine again,
//! and the result is compared with what was stored beside it. The same conversations are held with the installed
//! program (`real`), so that a release that behaves differently is noticed before it is in use; `cargo xtask drift
//! --cli PATH` holds them with any other. `BLESS=1` records again, for the version that runs, and rewrites the results
//! for every recording.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

mod person;
mod run;
mod scenes;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use askbridge_scripted::claude::Subject;

use crate::scenes::{SCENES, Scene};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/claude");
/// The release that the others are compared with.
const NEWEST: &str = "2.1.325";

#[test]
fn every_recording_means_what_was_written_down() {
    let versions: Vec<_> = folders(Path::new(FOLDER));
    assert!(versions.iter().any(|version| version == NEWEST) && versions.len() >= 2, "{versions:?}");
    for version in versions {
        for scene in SCENES {
            let lines = fs::read_to_string(file(&version, scene, "jsonl")).unwrap();
            let meaning = run::replay(scene, &version, lines.lines());
            if askbridge_testkit::transcript::blesses() {
                fs::write(file(&version, scene, "txt"), &meaning).unwrap();
            }
            let written = fs::read_to_string(file(&version, scene, "txt")).unwrap();
            assert_eq!(meaning, written, "{version} {}", scene.name);
        }
    }
}

#[test]
fn releases_differ_only_where_it_is_written_down() {
    for version in folders(Path::new(FOLDER)) {
        for scene in SCENES {
            let meaning = |version: &str| fs::read_to_string(file(version, scene, "txt")).unwrap();
            let differs = sorted(&meaning(&version)) != sorted(&meaning(NEWEST));
            let known = scenes::DIFFERENCES.iter().any(|(of, name, _)| *of == version && *name == scene.name);
            assert_eq!(differs, known, "{version} {}", scene.name);
        }
    }
}

mod real {
    use super::*;

    #[test]
    fn the_program_that_is_installed_still_means_what_was_recorded() {
        let version = version();
        let known = Path::new(FOLDER).join(&version).is_dir();
        let (mut drifted, bless) = (BTreeMap::new(), askbridge_testkit::transcript::blesses());
        for scene in SCENES {
            let (lines, meaning) = run::live(scene, &version);
            if bless {
                fs::create_dir_all(Path::new(FOLDER).join(&version)).unwrap();
                fs::write(file(&version, scene, "jsonl"), lines.join("\n") + "\n").unwrap();
                fs::write(file(&version, scene, "txt"), &meaning).unwrap();
                continue;
            }
            let compared = if known { version.as_str() } else { NEWEST };
            let written = fs::read_to_string(file(compared, scene, "txt")).unwrap();
            if sorted(&meaning) != sorted(&written) {
                drifted.insert(scene.name, difference(&written, &meaning));
            }
        }
        let all: String = drifted.iter().map(|(name, difference)| format!("{name}:\n{difference}\n")).collect();
        assert!(drifted.is_empty(), "Claude Code {version} means something else than what was recorded\n{all}");
    }
}

fn version() -> String {
    let said = Command::new(Subject::Real.path()).arg("--version").env_clear().output().unwrap();
    String::from_utf8(said.stdout).unwrap().split_whitespace().next().unwrap().to_owned()
}

fn file(version: &str, scene: &Scene, end: &str) -> PathBuf {
    Path::new(FOLDER).join(version).join(format!("{}.{end}", scene.name))
}

fn folders(of: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(of).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Simultaneous events may arrive in any order.
fn sorted(meaning: &str) -> Vec<&str> {
    let mut lines: Vec<_> = meaning.lines().collect();
    lines.sort_unstable();
    lines
}

/// Lines that only one of the two has.
fn difference(written: &str, now: &str) -> String {
    let only = |these: &str, those: &str, mark: char| {
        let lines = these.lines().filter(|line| !those.lines().any(|other| other == *line));
        lines.map(|line| format!("  {mark} {line}\n")).collect::<String>()
    };
    only(written, now, '-') + &only(now, written, '+')
}
