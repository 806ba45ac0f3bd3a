//! Runs all parts one after the other, even if one finds a fault, and writes the page.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::page::{Past, Run, page};
use crate::run::{cargo, output, program, root};
use crate::{install, suite};

const PAGE: &str = "docs/soak.md";
/// The minimum for the simulation and the fuzzer, however long the storms took.
const MINUTES_MIN: f64 = 0.5;
/// The sources: while these are unchanged, runs add up.
const SOURCES: &str = "crates";

/// The storms that are tests: cargo's arguments for each.
const STORMS: [&[&str]; 2] = [
    &["test", "--workspace", "--test", "storm", "--", "--nocapture", "--test-threads=1"],
    &["test", "--workspace", "--test", "claude", "--", "--nocapture", "storm::"],
];

/// The storms that are programs: the name of the load, and its description.
const LOADS: [(&str, &str); 3] = [
    ("crowd", "a crowd of 10,000 connections"),
    ("heavy", "500 large asks of one token"),
    ("mixed", "10,000 clients of all dialects"),
];

/// How long the simulation and the fuzzer run.
enum Length {
    /// The total, including the storms.
    Hours(f64),
    /// Until this many seeds and inputs have passed, however long that takes.
    Counts { seeds: u64, inputs: u64 },
}

impl Length {
    fn read(args: &[&str]) -> Result<Self> {
        Ok(match args {
            [] => Self::Hours(1.0),
            ["--hours", hours] => {
                Self::Hours(hours.parse().with_context(|| format!("`{hours}` is not a number of hours"))?)
            }
            ["--seeds", seeds, "--inputs", inputs] => Self::Counts {
                seeds: seeds.parse().with_context(|| format!("`{seeds}` is not a number of seeds"))?,
                inputs: inputs.parse().with_context(|| format!("`{inputs}` is not a number of inputs"))?,
            },
            other => bail!("unknown arguments {other:?}; try --hours H, or --seeds N --inputs N"),
        })
    }

    /// Returns the arguments that limit the simulation and the fuzzer.
    fn ends(&self, began: Instant) -> ([String; 2], [String; 2]) {
        match self {
            Self::Hours(hours) => {
                let left = Duration::from_secs_f64(hours * 3600.0).saturating_sub(began.elapsed());
                let minutes = (left.as_secs_f64() / 120.0).max(MINUTES_MIN).to_string();
                (["--minutes".to_owned(), minutes.clone()], ["--minutes".to_owned(), minutes])
            }
            Self::Counts { seeds, inputs } => {
                (["--seeds".to_owned(), seeds.to_string()], ["--inputs".to_owned(), inputs.to_string()])
            }
        }
    }
}

pub(crate) fn run(args: &[&str]) -> Result<()> {
    let length = Length::read(args)?;
    let began = Instant::now();
    let past = Past::read(&fs::read_to_string(root().join(PAGE)).unwrap_or_default())?;
    let results = root().join("target/soak");
    fs::create_dir_all(&results)?;
    let mut run = Run { code: code()?, commit: commit()?, ..Run::default() };
    run.cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;

    storms(&mut run)?;
    let (simulated, fuzzed) = length.ends(began);

    let from = past.next_seed.to_string();
    let told = ours("askbridge-simulation", &["--from", &from, &simulated[0], &simulated[1]], &mut run)?;
    run.seeds = (number(&told, "from")?, number(&told, "end")?);
    run.asks = number(&told, "asks")?;

    let seed = past.next_fuzz_seed.to_string();
    let told = ours("askbridge-fuzz", &["--seed", &seed, &fuzzed[0], &fuzzed[1]], &mut run)?;
    run.fuzz_seed = number(&told, "seed")?;
    let inputs = told["inputs"].as_object().context("the fuzzer did not count its inputs")?;
    run.inputs =
        inputs.iter().filter_map(|(name, count)| Some((name.clone(), count.as_u64()?))).collect::<BTreeMap<_, _>>();

    run.minutes = began.elapsed().as_secs().div_ceil(60);
    run.date = output("date", &["-u", "+%F %H:%M UTC"])?.trim().to_owned();
    fs::write(root().join(PAGE), page(&run, &past.and(&run)))?;
    eprintln!("\nwritten to {PAGE}");
    ensure!(run.faults.is_empty(), "the soak found {}: {}", run.faults.len(), run.faults.join("; "));
    Ok(())
}

/// Runs every storm at full length.
fn storms(run: &mut Run) -> Result<()> {
    let installed = install::run()?;
    let mut env: suite::Env<'_> = installed.env().to_vec();
    env.push(("ASKBRIDGE_STORM", OsStr::new("full")));
    for args in STORMS {
        let said = suite::said(args, &env)?;
        match said.succeeded {
            true => run
                .storms
                .extend(said.out.lines().filter_map(|line| line.split_once("storm: ")).map(|(_, it)| it.to_owned())),
            false => run.faults.push(format!("`cargo {}` failed", args.join(" "))),
        }
    }
    // The tests' build is too slow for such a crowd, and the published one takes longer to build than the crowd to run.
    cargo(&["build", "--release", "--package", "askbridge", "--package", "askbridge-bench"])?;
    let bench = root().join("target/release/askbridge-bench");
    for (name, words) in LOADS {
        match program(&bench, &[name]) {
            Ok(()) => run.storms.push(words.to_owned()),
            Err(error) => run.faults.push(error.to_string()),
        }
    }
    Ok(())
}

/// Runs one of our programs and returns its result. A finding is recorded as a fault of the run and does not stop it.
fn ours(package: &str, args: &[&str], run: &mut Run) -> Result<Value> {
    let file = root().join("target/soak").join(package).with_extension("json");
    let _ = fs::remove_file(&file);
    let file = file.to_str().context("the workspace has a path that is text")?;
    let before = ["run", "--quiet", "--release", "--package", package, "--"];
    let ended = cargo(&[&before, args, &["--result", file]].concat());
    let Ok(text) = fs::read_to_string(file) else {
        ended?;
        bail!("{package} wrote nothing down");
    };
    let told: Value = serde_json::from_str(&text)?;
    let faults = told["faults"].as_array().cloned().unwrap_or_default();
    run.faults.extend(faults.iter().filter_map(Value::as_str).map(str::to_owned));
    Ok(told)
}

fn number(told: &Value, name: &str) -> Result<u64> {
    told[name].as_u64().with_context(|| format!("`{name}` was not written down"))
}

fn commit() -> Result<String> {
    named("HEAD")
}

fn code() -> Result<String> {
    named(&format!("HEAD:{SOURCES}"))
}

/// Returns the short hash of a git object, and whether the sources have uncommitted changes.
fn named(what: &str) -> Result<String> {
    let root = root().display().to_string();
    let name = output("git", &["-C", &root, "rev-parse", "--short=12", what])?;
    let changed = output("git", &["-C", &root, "status", "--porcelain", "--", SOURCES])?;
    Ok(format!("{}{}", name.trim(), if changed.trim().is_empty() { "" } else { " with changes" }))
}
