//! `cargo xtask simulate`: runs many seeds, on all cores.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use askbridge_simulation::plan::Plan;
use askbridge_simulation::{Story, run, shrink};
use askbridge_testkit::crew::{Crew, CrewReport};
use serde_json::json;

/// The allocator of the published binary; here a fifth faster than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HELP: &str = "\
cargo xtask simulate [--seeds N] [--from S] [--jobs J]   runs N seeds from S on (100, from 1), J at once (one for each core)
cargo xtask simulate --minutes M [--from S] [--jobs J]   runs seeds from S on for so long
cargo xtask simulate --seed S                            runs one seed and prints everything that happened

--result FILE writes down, as JSON, how far it came.";

struct Args {
    seeds: Option<u64>,
    from: u64,
    only: Option<u64>,
    jobs: Option<usize>,
    minutes: Option<f64>,
    result: Option<String>,
}

fn main() -> Result<ExitCode> {
    let Some(args) = args()? else {
        println!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    };
    match args.only {
        Some(seed) => Ok(one(seed)),
        None => many(&args),
    }
}

fn args() -> Result<Option<Args>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut read = Args { seeds: None, from: 1, only: None, jobs: None, minutes: None, result: None };
    let mut args = args.iter().map(String::as_str);
    while let Some(name) = args.next() {
        let mut value = || args.next().with_context(|| format!("{name} needs a value"));
        match name {
            "--seeds" => read.seeds = Some(value()?.parse()?),
            "--from" => read.from = value()?.parse()?,
            "--seed" => read.only = Some(value()?.parse()?),
            "--jobs" => read.jobs = Some(value()?.parse()?),
            "--minutes" => read.minutes = Some(value()?.parse()?),
            "--result" => read.result = Some(value()?.to_owned()),
            "--help" | "-h" => return Ok(None),
            other => bail!("unknown argument `{other}`\n\n{HELP}"),
        }
    }
    Ok(Some(read))
}

fn one(seed: u64) -> ExitCode {
    let story = run(&Plan::of(seed));
    println!("{}{:?}\n{} lines, {} asks", story.transcript, story.plan, story.lines, story.asks);
    if story.violations.is_empty() {
        println!("seed {seed} holds");
        return ExitCode::SUCCESS;
    }
    tell(story);
    ExitCode::FAILURE
}

fn many(args: &Args) -> Result<ExitCode> {
    let end = match (args.seeds, args.minutes) {
        (Some(seeds), _) => args.from + seeds,
        (None, Some(_)) => u64::MAX,
        (None, None) => args.from + 100,
    };
    let mut crew = Crew::of(args.jobs);
    if let Some(minutes) = args.minutes {
        crew = crew.for_time(Duration::from_secs_f64(minutes * 60.0));
    }
    crew.stop_at_ctrl_c().context("could not listen for Ctrl-C")?;
    let began = Instant::now();
    let (mut done, mut asks, mut lines) = (0_u64, 0, 0);
    let one = |seed| {
        let story = run(&Plan::of(seed));
        if story.violations.is_empty() { Ok((story.asks, story.lines)) } else { Err(story) }
    };
    let worked = crew.work(args.from..end, one, |news| match news {
        CrewReport::Done((more_asks, more_lines)) => {
            done += 1;
            asks += more_asks;
            lines += more_lines;
        }
        CrewReport::Beat => {
            let rate = done as f64 / began.elapsed().as_secs_f64();
            eprintln!("{done} seeds from {} hold, {rate:.1} a second, {asks} asks", args.from);
        }
    });
    let took = began.elapsed().as_secs_f64();
    if let Some(path) = &args.result {
        let faults: Vec<_> = worked.failed.iter().map(|(seed, story)| fault(*seed, story)).collect();
        let result = json!({"from": args.from, "end": worked.end, "asks": asks, "lines": lines,
                            "seconds": took.round() as u64, "jobs": crew.jobs(), "faults": faults});
        std::fs::write(path, result.to_string()).with_context(|| format!("could not write `{path}`"))?;
    }
    if let Some((_, story)) = worked.failed {
        tell(story);
        return Ok(ExitCode::FAILURE);
    }
    let (seeds, jobs) = (worked.end - args.from, crew.jobs());
    println!("{seeds} seeds from {} hold: {asks} asks, {lines} lines, {took:.1} s, {jobs} at once", args.from);
    if crew.is_stopped() {
        println!("stopped early; go on with `cargo xtask simulate --from {}`", worked.end);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports what a seed broke, then looks for a smaller plan that breaks something too.
fn tell(story: Story) {
    eprintln!("{}\nlooking for the smallest plan that breaks a law", story.told());
    eprintln!("\n{}", shrink(story, None).told());
}

fn fault(seed: u64, story: &Story) -> String {
    let first = story.violations.first().map(|first| format!("law {}: {}", first.law, first.text));
    format!("seed {seed}: {}", first.unwrap_or_default())
}
