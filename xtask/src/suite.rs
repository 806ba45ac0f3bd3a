//! Runs tests to the end, and repeats those that failed.
//!
//! Hundreds of tests race real processes on a few noisy cores. One that failed among the others is run again alone: a
//! bug shows again, a hiccup of the machine does not. Tests that passed only then are named at the very end, because
//! they deserve a look.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::run::{cargo_command, root};

/// More failures than this at once are not a hiccup.
const HICCUPS_MAX: usize = 5;

/// Every Rust test.
pub(crate) const EVERYTHING: [&str; 3] = ["test", "--workspace", "--no-fail-fast"];

/// Variables for the tests.
pub(crate) type Env<'a> = Vec<(&'a str, &'a OsStr)>;

/// Runs tests, and returns those that passed only when they were run again alone.
pub(crate) fn run(args: &[&str], env: &[(&str, &OsStr)]) -> Result<Vec<String>> {
    let all = said(args, env)?;
    if all.succeeded {
        return Ok(Vec::new());
    }
    let (names, targets) = (failed_tests(&all.out), failed_targets(&all.err));
    ensure!(!names.is_empty() && !targets.is_empty(), "`cargo test` failed");
    ensure!(names.len() <= HICCUPS_MAX, "{} tests failed: {}", names.len(), names.join(", "));
    let mut again = 0;
    // With the whole workspace: one package's features would rebuild its dependencies.
    let kinds: BTreeSet<_> = targets.iter().map(|target| target.split(' ').skip(2).collect::<Vec<_>>()).collect();
    for kind in kinds {
        let mut args = vec!["test", "--workspace"];
        args.extend(&kind);
        args.extend(["--", "--exact"]);
        args.extend(names.iter().map(String::as_str));
        let said = said(&args, env)?;
        let ran = tests_run(&said.out);
        ensure!(
            said.succeeded && ran > 0,
            "tests fail, also by themselves, of {}: {}",
            kind.join(" "),
            names.join(", ")
        );
        again += ran;
    }
    // Otherwise something other than a test failed, or a test was not found again.
    ensure!(again >= names.len(), "{} tests failed, and {again} of them were run again", names.len());
    Ok(names)
}

/// Prints the tests that deserve a look.
pub(crate) fn tell(hiccups: &[String]) {
    for name in hiccups {
        eprintln!("\nfailed among the others and passed by itself, so look at it: {name}");
    }
}

pub(crate) struct CommandOutput {
    pub(crate) succeeded: bool,
    pub(crate) out: String,
    err: String,
}

/// Runs cargo, and both shows and returns its output.
pub(crate) fn said(args: &[&str], env: &[(&str, &OsStr)]) -> Result<CommandOutput> {
    eprintln!("\n$ cargo {}", args.join(" "));
    let mut command: Command = cargo_command(args, env);
    command.current_dir(root()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("could not run `cargo`")?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (Some(out), Some(err)) = (out, err) else { bail!("a child has both streams") };
    let out = thread::spawn(move || copy(out, std::io::stdout()));
    let err = thread::spawn(move || copy(err, std::io::stderr()));
    let whole = |copying: thread::JoinHandle<String>| copying.join().unwrap_or_default();
    let (out, err) = (whole(out), whole(err));
    Ok(CommandOutput { succeeded: child.wait()?.success(), out, err })
}

fn copy(from: impl Read, mut to: impl Write) -> String {
    let (mut from, mut kept) = (BufReader::new(from), String::new());
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let _ = to.write_all(&line);
        kept.push_str(&String::from_utf8_lossy(&line));
        line.clear();
    }
    kept
}

/// Returns the names in the last list of failures that each binary prints.
fn failed_tests(out: &str) -> Vec<String> {
    let (mut names, mut listed) = (Vec::new(), Vec::new());
    let mut is_list = false;
    for line in out.lines() {
        match line {
            "failures:" => (is_list, listed) = (true, Vec::new()),
            line if line.starts_with("test result:") => {
                is_list = false;
                names.append(&mut listed);
            }
            line if is_list => listed.extend(line.strip_prefix("    ").map(str::to_owned)),
            _ => {}
        }
    }
    names
}

/// Returns the arguments that cargo suggests for running the failed targets again.
fn failed_targets(err: &str) -> Vec<String> {
    let after = err.lines().skip_while(|line| !(line.starts_with("error: ") && line.contains("failed:"))).skip(1);
    let target = |line: &str| Some(line.trim().strip_prefix('`')?.strip_suffix('`')?.to_owned());
    after.map_while(target).collect()
}

fn tests_run(out: &str) -> usize {
    let ran = |line: &str| line.strip_prefix("running ")?.split(' ').next()?.parse::<usize>().ok();
    out.lines().filter_map(ran).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_read_from_what_cargo_and_the_tests_say() {
        let out = "running 3 tests\ntest a::b ... ok\ntest c ... FAILED\n\nfailures:\n\n---- c stdout ----\n    left: 1\n\n\n\
                   failures:\n    c\n    d::e\n\ntest result: FAILED. 1 passed; 2 failed\n\nrunning 1 test\ntest f ... ok\n\n\
                   test result: ok. 1 passed\n";
        assert_eq!(failed_tests(out), ["c", "d::e"]);
        assert_eq!(tests_run(out), 4);
        let err = "     Running tests/it/main.rs\nerror: test failed, to rerun pass `-p x --test it`\nerror: 2 targets failed:\n    \
                   `-p x --test it`\n    `-p y --lib`\n";
        assert_eq!(failed_targets(err), ["-p x --test it", "-p y --lib"]);
    }
}
