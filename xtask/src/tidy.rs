//! `cargo xtask tidy`: checks the dependencies between crates, forbidden names, door plates, and files over 500 lines.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::run::root;

/// The crates that each crate may depend on, and no others.
const ARROWS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("platform", &[]),
    ("journal", &["core", "platform"]),
    ("peers", &["core"]),
    ("policy", &["core"]),
    ("ringing", &["core"]),
    ("workflows", &[]),
    ("scripted", &[]),
    ("testkit", &["core", "journal", "peers", "scripted"]),
    ("bridge", &["core", "journal", "peers", "platform", "policy", "ringing", "workflows"]),
    ("config", &["core", "peers"]),
    ("edits", &["platform"]),
    ("askbridge", &["bridge", "config", "core", "edits", "journal", "platform", "policy", "workflows"]),
    ("simulation", &["bridge", "core", "journal", "peers", "policy", "testkit"]),
    ("fuzz", &["bridge", "config", "core", "edits", "journal", "peers", "policy", "testkit", "workflows"]),
    ("bench", &[]),
];
/// Names that the rules must not use: serialization, time, chance, I/O.
const NOT_IN_CORE: &[&str] =
    &["serde", "tokio", "rand", "getrandom", "chrono", "SystemTime", "Instant::now", "std::fs", "std::net", "std::env"];
/// Rule files are texts, and nothing in them is run.
const NOT_IN_POLICY: &[&str] =
    &["tokio", "std::fs", "std::net", "std::env", "std::process", "SystemTime", "Instant::now"];
/// The bridge sends what channels write.
const NOT_IN_RINGING: &[&str] = &["tokio", "std::fs", "std::net", "std::env", "SystemTime", "Instant::now"];
/// Protocol machines do no I/O.
const NOT_IN_PEERS: &[&str] = &["tokio", "std::fs", "std::net", "std::env", "SystemTime", "Instant::now"];
/// Interfaces of one operating system, for `platform` alone. Tests and separate tools may use them.
const ONLY_IN_PLATFORM: &[&str] = &["rustix", "/proc", "std::os::linux"];
const ASKS_PLATFORM: &[&str] =
    &["core", "journal", "peers", "policy", "ringing", "workflows", "bridge", "config", "edits", "askbridge"];
const LINES_MAX: usize = 500;
/// Files that are longer for a reason, which is given.
const LONG_FOR_A_REASON: &[(&str, &str)] = &[];

pub(crate) fn run() -> Result<()> {
    let mut complaints = Vec::new();
    for (name, may_know) in ARROWS {
        arrows(name, may_know, &mut complaints)?;
    }
    absent("core", NOT_IN_CORE, &mut complaints)?;
    absent("peers", NOT_IN_PEERS, &mut complaints)?;
    absent("policy", NOT_IN_POLICY, &mut complaints)?;
    absent("ringing", NOT_IN_RINGING, &mut complaints)?;
    absent("workflows", NOT_IN_POLICY, &mut complaints)?;
    for name in ASKS_PLATFORM {
        absent(name, ONLY_IN_PLATFORM, &mut complaints)?;
    }
    for file in sources(&root().join("crates"))?.into_iter().chain(sources(&root().join("xtask"))?) {
        size(&file, &mut complaints)?;
        door_plate(&file, &mut complaints)?;
    }
    promised(&mut complaints)?;
    if complaints.is_empty() {
        eprintln!("tidy");
        return Ok(());
    }
    bail!("not tidy:\n  {}", complaints.join("\n  "));
}

/// Checks the `[dependencies]` of a crate, not those of its tests.
fn arrows(name: &str, may_know: &[&str], complaints: &mut Vec<String>) -> Result<()> {
    let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml"))?;
    let section = manifest.split("\n[").find(|section| section.starts_with("dependencies]")).unwrap_or_default();
    for line in section.lines() {
        let Some(known) = line.strip_prefix("askbridge-") else { continue };
        let known = known.split(['.', ' ', '=']).next().unwrap_or_default();
        if !may_know.contains(&known) {
            complaints.push(format!("crates/{name} must not know crates/{known}"));
        }
    }
    Ok(())
}

fn absent(name: &str, words: &[&str], complaints: &mut Vec<String>) -> Result<()> {
    for file in sources(&root().join("crates").join(name).join("src"))? {
        let text = fs::read_to_string(&file)?;
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for word in code.flat_map(|line| words.iter().filter(move |word| names(line, word))) {
            complaints.push(format!("{} names `{word}`, which crates/{name} must not know", shown(&file)));
        }
    }
    Ok(())
}

/// Does a line use `word` as a whole name? `serde_json` in peers is not `serde` in core.
pub(crate) fn names(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !part(before) && !part(after)
    })
}

fn size(file: &Path, complaints: &mut Vec<String>) -> Result<()> {
    let lines = fs::read_to_string(file)?.lines().count();
    let excused = LONG_FOR_A_REASON.iter().any(|(path, _)| file.ends_with(path));
    if lines > LINES_MAX && !excused {
        complaints.push(format!("{} has {lines} lines; could it be two rooms?", shown(file)));
    }
    Ok(())
}

/// Checks that each test named on the page about other programs' bugs exists.
fn promised(complaints: &mut Vec<String>) -> Result<()> {
    let page = fs::read_to_string(root().join("docs/design/others-bugs.md"))?;
    let code: String = sources(&root().join("crates"))?.iter().map(fs::read_to_string).collect::<Result<_, _>>()?;
    let rows = page.lines().filter(|line| line.starts_with('|'));
    let quoted = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    // Names of tests are sentences; paths and names of doors are not.
    let tests = quoted.filter(|word| word.matches('_').count() > 3 && !word.contains(['/', '.', ' ']));
    let (mut known, mut missing) = (0, Vec::new());
    for test in tests {
        match code.contains(&format!("fn {test}()")) {
            true => known += 1,
            false => missing.push(test),
        }
    }
    if known == 0 || !missing.is_empty() {
        complaints.push(format!("docs/design/others-bugs.md names no test, or one that there is not: {missing:?}"));
    }
    Ok(())
}

/// Checks that a `mod.rs` or `lib.rs` begins with a door plate.
fn door_plate(file: &Path, complaints: &mut Vec<String>) -> Result<()> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !matches!(name, "mod.rs" | "lib.rs") || file.components().any(|part| part.as_os_str() == "tests") {
        return Ok(());
    }
    let text = fs::read_to_string(file)?;
    if !text.starts_with("//!") {
        complaints.push(format!("{} has no door plate", shown(file)));
    }
    Ok(())
}

pub(crate) fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn shown(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string()
}
