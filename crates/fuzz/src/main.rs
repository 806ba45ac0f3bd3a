//! `cargo xtask fuzz`: every target for a while, each in turn, with a seed that is printed.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use askbridge_fuzz::driver::{Crash, Dice, corpus, corpus_folder, mutate, replay};
use askbridge_fuzz::targets::TARGETS;

const HELP: &str = "cargo xtask fuzz [--minutes N] [--seed S] [TARGET]   (1 minute, over all targets)";
/// Inputs between two looks at the clock.
const BATCH: usize = 500;

fn main() -> Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (mut minutes, mut seed, mut only) = (1.0_f64, 1_u64, None);
    let mut args = args.iter().map(String::as_str);
    while let Some(name) = args.next() {
        let mut value = || args.next().with_context(|| format!("{name} needs a number"));
        match name {
            "--minutes" => minutes = value()?.parse()?,
            "--seed" => seed = value()?.parse()?,
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(ExitCode::SUCCESS);
            }
            target if TARGETS.iter().any(|known| known.name == target) => only = Some(target.to_owned()),
            other => {
                let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
                bail!("`{other}` is no target; there are {}\n\n{HELP}", names.join(", "));
            }
        }
    }
    let targets: Vec<_> =
        TARGETS.iter().filter(|target| only.as_ref().is_none_or(|only| only == target.name)).collect();
    let share = Duration::from_secs_f64(minutes * 60.0 / targets.len() as f64);
    for target in targets {
        let corpus = corpus(target).with_context(|| format!("could not read the corpus of {}", target.name))?;
        let (began, mut dice, mut count) = (Instant::now(), Dice(seed), corpus.len());
        let mut fed = replay(target, &corpus);
        while fed.is_ok() && began.elapsed() < share {
            fed = mutate(target, &corpus, &mut dice, BATCH);
            count += BATCH;
        }
        if let Err(crash) = fed {
            return keep(&crash, target);
        }
        println!("{:<10} {count} inputs, nothing broke", target.name);
    }
    Ok(ExitCode::SUCCESS)
}

/// Keeps the input, so that it is tried for ever after.
fn keep(crash: &Crash, target: &askbridge_fuzz::targets::Target) -> Result<ExitCode> {
    let sum = crash.input.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    let path = corpus_folder(target).join(format!("crash-{sum:016x}"));
    std::fs::write(&path, &crash.input)?;
    eprintln!("{} broke on {}", crash.target, path.display());
    Ok(ExitCode::FAILURE)
}
