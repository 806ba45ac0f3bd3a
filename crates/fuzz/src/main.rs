//! `cargo xtask fuzz`: feeds every target for a while, on all cores, in numbered batches that can be repeated.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use askbridge_fuzz::driver::{BATCH, Crash, Dice, corpus, corpus_folder, mutate, replay};
use askbridge_fuzz::targets::{TARGETS, Target};
use askbridge_testkit::crew::{Crew, CrewReport};
use serde_json::json;

/// The allocator of the published binary; here a fifth faster than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HELP: &str = "\
cargo xtask fuzz [--minutes M | --inputs N] [--seed S] [--jobs J] [TARGET]
    feeds all targets, or one, for so long or with so many inputs altogether (1 minute), on J threads (one for each core);
    every target gets the same time
cargo xtask fuzz TARGET --seed S --batch B
    feeds one batch again

--result FILE writes down, as JSON, how far it came.";

struct Args {
    minutes: Option<f64>,
    inputs: Option<u64>,
    seed: u64,
    batch: Option<u64>,
    jobs: Option<usize>,
    only: Option<String>,
    result: Option<String>,
}

/// A target, its corpus, and how far it has come.
struct Fed {
    target: &'static Target,
    corpus: Vec<Vec<u8>>,
    /// Batches that were started.
    batches: AtomicU64,
    /// Time that all threads together spent on this target.
    spent_ns: AtomicU64,
}

/// A batch that broke its target.
struct Broke {
    target: &'static Target,
    batch: u64,
    crash: Crash,
}

fn main() -> Result<ExitCode> {
    let Some(args) = args()? else {
        println!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    };
    let mut all = Vec::new();
    for target in TARGETS.iter().filter(|target| args.only.as_ref().is_none_or(|only| only == target.name)) {
        let corpus = corpus(target).with_context(|| format!("could not read the corpus of {}", target.name))?;
        if let Err(crash) = replay(target, &corpus) {
            eprintln!("{} breaks on its own corpus", crash.target);
            return Ok(ExitCode::FAILURE);
        }
        all.push(Fed { target, corpus, batches: AtomicU64::new(0), spent_ns: AtomicU64::new(0) });
    }
    let broke = match (args.batch, all.as_slice()) {
        (Some(batch), [fed]) => fed.feed(args.seed, batch).err(),
        (Some(_), _) => bail!("--batch needs a target\n\n{HELP}"),
        (None, all) => many(&args, all)?,
    };
    let Some(broke) = broke else { return Ok(ExitCode::SUCCESS) };
    let path = keep(&broke)?;
    eprintln!("{} broke on {path}", broke.target.name);
    eprintln!("again: cargo xtask fuzz {} --seed {} --batch {}", broke.target.name, args.seed, broke.batch);
    Ok(ExitCode::FAILURE)
}

fn args() -> Result<Option<Args>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut read = Args { minutes: None, inputs: None, seed: 1, batch: None, jobs: None, only: None, result: None };
    let mut args = args.iter().map(String::as_str);
    while let Some(name) = args.next() {
        let mut value = || args.next().with_context(|| format!("{name} needs a value"));
        match name {
            "--minutes" => read.minutes = Some(value()?.parse()?),
            "--inputs" => read.inputs = Some(value()?.parse()?),
            "--seed" => read.seed = value()?.parse()?,
            "--batch" => read.batch = Some(value()?.parse()?),
            "--jobs" => read.jobs = Some(value()?.parse()?),
            "--result" => read.result = Some(value()?.to_owned()),
            "--help" | "-h" => return Ok(None),
            target if TARGETS.iter().any(|known| known.name == target) => read.only = Some(target.to_owned()),
            other => {
                let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
                bail!("`{other}` is no target; there are {}\n\n{HELP}", names.join(", "));
            }
        }
    }
    Ok(Some(read))
}

fn many(args: &Args, all: &[Fed]) -> Result<Option<Broke>> {
    let mut crew = Crew::of(args.jobs);
    let batches = args.inputs.map_or(u64::MAX, |inputs| inputs.div_ceil(BATCH as u64));
    let minutes = args.minutes.or(args.inputs.is_none().then_some(1.0));
    if let Some(minutes) = minutes {
        crew = crew.for_time(Duration::from_secs_f64(minutes * 60.0));
    }
    crew.stop_at_ctrl_c().context("could not listen for Ctrl-C")?;
    println!("seed {}, {} at once, {BATCH} inputs in a batch", args.seed, crew.jobs());
    let began = Instant::now();
    let mut done = 0_u64;
    let one = |_| {
        let fed = all.iter().min_by_key(|fed| fed.spent_ns.load(Ordering::Relaxed)).expect("there is a target");
        let (batch, from) = (fed.batches.fetch_add(1, Ordering::Relaxed), Instant::now());
        let result = fed.feed(args.seed, batch);
        fed.spent_ns.fetch_add(from.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    };
    let worked = crew.work(0..batches, one, |news| match news {
        CrewReport::Done(()) => done += 1,
        CrewReport::Beat => {
            let inputs = done * BATCH as u64;
            let rate = inputs as f64 / began.elapsed().as_secs_f64();
            eprintln!("{inputs} inputs, {rate:.0} a second");
        }
    });
    let broke = worked.failed.map(|(_, broke)| broke);
    let mut inputs = serde_json::Map::new();
    for fed in all {
        let batches = fed.batches.load(Ordering::Relaxed);
        let count = fed.corpus.len() as u64 + batches * BATCH as u64;
        println!("{:<10} {count} inputs: its corpus, and batches 0 to {batches} (without the last)", fed.target.name);
        inputs.insert(fed.target.name.to_owned(), json!(count));
    }
    let total: u64 = inputs.values().filter_map(serde_json::Value::as_u64).sum();
    let took = began.elapsed().as_secs_f64();
    let held = if broke.is_none() { "nothing broke" } else { "one broke" };
    println!("{total} inputs, {took:.1} s, {held}");
    if let Some(path) = &args.result {
        let fault = |broke: &Broke| format!("{}, seed {}, batch {}", broke.target.name, args.seed, broke.batch);
        let result = json!({"seed": args.seed, "inputs": inputs, "seconds": took.round() as u64,
                            "faults": broke.iter().map(fault).collect::<Vec<_>>()});
        std::fs::write(path, result.to_string()).with_context(|| format!("could not write `{path}`"))?;
    }
    Ok(broke)
}

impl Fed {
    fn feed(&self, seed: u64, batch: u64) -> Result<(), Broke> {
        let fed = mutate(self.target, &self.corpus, &mut Dice::of_batch(seed, batch), BATCH);
        fed.map_err(|crash| Broke { target: self.target, batch, crash })
    }
}

/// Adds the input to the corpus, so that every later run tries it. Returns its path.
fn keep(broke: &Broke) -> Result<String> {
    let input = &broke.crash.input;
    let sum = input.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    let path = corpus_folder(broke.target).join(format!("crash-{sum:016x}"));
    std::fs::write(&path, input)?;
    Ok(path.display().to_string())
}
