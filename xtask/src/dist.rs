//! The build that is published: compiled for what it does under load, and put in that order.
//!
//! A question's way leads through much code, and through each piece of it shortly, so what decides is whether that code is in
//! the processor's cache (`docs/benchmarks.md`, where the time goes). So the programs are made three times. The first
//! counts, and the compiler learns from it what is worth inlining. The second is compiled so and counts again, and BOLT, of the
//! LLVM project, writes the third: what runs together stands together, what hardly ever runs stands elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::install::{Bolt, bolt, profdata};
use crate::run::{cargo_with, go, program, root};

/// What is measured and put in order. The floor of the bench too, or the comparison would be none.
const ORDERED: [&str; 2] = ["askbridge", "askbridge-bench"];
const AGENT: &str = "fake-claude";
/// The one target that this is done for. Named, so that what runs while building does not count.
const TARGET: &str = "x86_64-unknown-linux-gnu";
const IS_COUNTED: bool = cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"));

/// What the bench does while it is counted: what there is in an ordinary day.
const DAY: [&[&str]; 9] = [
    &["one", "askbridge", "64", "6"],
    &["one", "askbridge", "8", "4"],
    &["one", "askbridge", "1", "4"],
    &["agents", "64", "6"],
    &["agents", "8", "4"],
    &["dialects", "--quick"],
    &["many", "20000"],
    &["one", "durable", "64", "4"],
    &["one", "durable", "1", "4"],
];

/// Builds everything. Returns the folder that it is in.
pub(crate) fn run() -> Result<PathBuf> {
    let published = root().join("target/published");
    fs::create_dir_all(&published)?;
    let linked = if IS_COUNTED {
        let mut flags = Vec::new();
        if let Some(profdata) = profdata() {
            flags.push(format!("-Cprofile-use={}", profile(&profdata)?.display()));
        }
        let bolt = bolt();
        if bolt.is_some() {
            // It moves code, so the linker has to leave in what refers to what.
            flags.push("-Clink-arg=-Wl,--emit-relocs".to_owned());
        }
        let linked = build(&root().join("target"), &flags)?;
        if let Some(bolt) = bolt {
            return order(&bolt, &linked, published);
        }
        linked
    } else {
        eprintln!("built as it is: what counts, and BOLT, are for Linux on x86-64");
        build(&root().join("target"), &[])?
    };
    for name in ORDERED.into_iter().chain([AGENT]) {
        copy(&linked, &published, name)?;
    }
    Ok(published)
}

/// Builds all programs. Returns where they are.
fn build(folder: &Path, flags: &[String]) -> Result<PathBuf> {
    let folder = folder.display().to_string();
    let flags = format!("build.rustflags={flags:?}");
    let mut args = vec!["build", "--locked", "--profile", "dist", "--target-dir", &folder];
    if IS_COUNTED {
        // What was counted is kept under the names of functions, so those stay.
        args.extend(["--target", TARGET, "--config", &flags, "--config", "profile.dist.strip=false"]);
    }
    args.extend(["--package", "askbridge", "--package", "askbridge-bench", "--package", "askbridge-scripted"]);
    // GCC must not move code before BOLT does.
    cargo_with(&args, &[("CFLAGS", "-fno-reorder-blocks-and-partition".as_ref())])?;
    Ok(Path::new(&folder).join(if IS_COUNTED { TARGET } else { "" }).join("dist"))
}

/// Has an ordinary day counted, unless that was done since anything has changed. Returns what the compiler wants to know of it.
fn profile(profdata: &Path) -> Result<PathBuf> {
    let folder = root().join("target/counting");
    let (counts, profile) = (folder.join("counts"), folder.join("profile"));
    let counting = build(&folder, &[format!("-Cprofile-generate={}", counts.display())])?;
    if is_newer(&profile, &counting.join("askbridge")) {
        return Ok(profile);
    }
    spend_a_day(&counting, &counts)?;
    let mut command = Command::new(profdata);
    command.arg("merge").arg("-o").arg(&profile).arg(&counts);
    go(command, "llvm-profdata merge")?;
    Ok(profile)
}

/// Has BOLT order what was linked, unless it has.
fn order(bolt: &Bolt, linked: &Path, published: PathBuf) -> Result<PathBuf> {
    if ORDERED.into_iter().all(|name| is_newer(&published.join(name), &linked.join(name))) {
        return Ok(published);
    }
    let counting = published.join("counting");
    let counts = counting.join("counts");
    fs::create_dir_all(&counting)?;
    for name in ORDERED {
        let mut command = Command::new(&bolt.bolt);
        command.arg(linked.join(name)).arg("-o").arg(counting.join(name)).arg("-instrument");
        command.arg(format!("-instrumentation-file={}", counts.join(name).display()));
        command.arg("-instrumentation-file-append-pid");
        quietly(command, &format!("llvm-bolt -instrument {name}"))?;
    }
    copy(linked, &counting, AGENT)?;
    copy(linked, &published, AGENT)?;
    spend_a_day(&counting, &counts)?;
    for name in ORDERED {
        let all = counting.join(format!("{name}.all"));
        let mut command = Command::new(&bolt.merge);
        command.args(counted(&counts, name)?).arg("-o").arg(&all);
        quietly(command, &format!("merge-fdata {name}"))?;
        let mut command = Command::new(&bolt.bolt);
        let ordered = counting.join(format!("{name}.ordered"));
        command.arg(linked.join(name)).arg("-o").arg(&ordered).arg(format!("-data={}", all.display()));
        command.args(["-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", "-icf=1"]);
        command.args(["-split-functions", "-split-all-cold", "-split-eh"]);
        quietly(command, &format!("llvm-bolt {name}"))?;
        // There whole or not at all: half of one would look newer than what it is made of.
        fs::rename(ordered, published.join(name))?;
    }
    fs::remove_dir_all(&counting)?;
    program(published.join("askbridge"), &["--version"])?;
    Ok(published)
}

/// Runs what counts, in `programs`. It writes into `counts`, which holds nothing of an earlier day.
fn spend_a_day(programs: &Path, counts: &Path) -> Result<()> {
    if counts.exists() {
        fs::remove_dir_all(counts)?;
    }
    fs::create_dir_all(counts)?;
    DAY.iter().try_for_each(|part| program(programs.join("askbridge-bench"), part))
}

/// What every process of this program has counted: `NAME.PID.fdata`.
fn counted(counts: &Path, name: &str) -> Result<Vec<PathBuf>> {
    let files = fs::read_dir(counts)?.flatten().map(|file| file.path());
    let of = |path: &PathBuf| path.file_stem().and_then(|stem| Path::new(stem).file_stem().map(|of| of == name));
    let counted: Vec<_> = files.filter(|path| of(path) == Some(true)).collect();
    ensure!(!counted.is_empty(), "`{name}` has counted nothing");
    Ok(counted)
}

fn copy(from: &Path, to: &Path, name: &str) -> Result<()> {
    fs::copy(from.join(name), to.join(name)).with_context(|| format!("could not copy `{name}`"))?;
    Ok(())
}

fn is_newer(this: &Path, that: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified());
    matches!((modified(this), modified(that)), (Ok(this), Ok(that)) if this > that)
}

/// BOLT says much about code that it leaves alone: shown only if it fails.
fn quietly(mut command: Command, line: &str) -> Result<()> {
    eprintln!("\n$ {line}");
    let out = command.output().with_context(|| format!("could not run `{line}`"))?;
    if !out.status.success() {
        bail!("`{line}` failed:\n{}", String::from_utf8_lossy(&out.stderr));
    }
    Ok(())
}
