//! `cargo xtask simulate`: as many seeds as there is time for.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use askbridge_simulation::plan::Plan;
use askbridge_simulation::{run, shrink};

const HELP: &str = "\
cargo xtask simulate [--seeds N] [--from S]   runs N seeds from S on (100, from 1)
cargo xtask simulate --seed S                 runs one seed and prints everything that happened";

fn main() -> Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (mut seeds, mut from) = (100_u64, 1_u64);
    let mut args = args.iter().map(String::as_str);
    while let Some(name) = args.next() {
        let mut number =
            || args.next().with_context(|| format!("{name} needs a number"))?.parse().map_err(anyhow::Error::from);
        match name {
            "--seeds" => seeds = number()?,
            "--from" => from = number()?,
            "--seed" => (seeds, from) = (1, number()?),
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(ExitCode::SUCCESS);
            }
            other => bail!("unknown argument `{other}`\n\n{HELP}"),
        }
    }
    let began = Instant::now();
    let (mut asks, mut lines) = (0, 0);
    for seed in from..from + seeds {
        let story = run(&Plan::of(seed));
        if seeds == 1 {
            println!("{}{:?}\n{} lines, {} asks", story.transcript, story.plan, story.lines, story.asks);
        }
        if !story.violations.is_empty() {
            eprintln!("{}\nlooking for the smallest plan that breaks a law", story.told());
            eprintln!("\n{}", shrink(story, None).told());
            return Ok(ExitCode::FAILURE);
        }
        asks += story.asks;
        lines += story.lines;
    }
    let took = began.elapsed().as_secs_f64();
    println!("{seeds} seeds from {from} hold: {asks} asks, {lines} lines, {took:.1} s");
    Ok(ExitCode::SUCCESS)
}
