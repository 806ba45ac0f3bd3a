//! `cargo xtask dist`: the published build, profile-guided and laid out by BOLT.
//!
//! A question passes through much code, each piece briefly, so the instruction cache decides (`docs/benchmarks.md`,
//! where the time goes). So the programs are built three times. The first build is instrumented, and its profile tells
//! the compiler what is worth inlining. The second is compiled with that profile and instrumented again by BOLT, of the
//! LLVM project, which writes the third: code that runs together is placed together, and cold code elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::install::{Bolt, bolt, profdata};
use crate::run::{cargo_with, go, program, root};

/// The programs that are profiled and laid out. The floor of the bench too, or the comparison would be unfair.
const ORDERED: [&str; 2] = ["askbridge", "askbridge-bench"];
const AGENT: &str = "fake-claude";
/// The only target that this is done for. Passed explicitly, so that build scripts are not instrumented.
const TARGET: &str = "x86_64-unknown-linux-gnu";
const IS_COUNTED: bool = cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"));

/// The benchmark commands that are profiled: a typical workload.
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

/// Builds everything. Returns the folder with the programs.
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
            // BOLT moves code, so it needs the relocations.
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

/// Builds all programs. Returns their folder.
fn build(folder: &Path, flags: &[String]) -> Result<PathBuf> {
    let folder = folder.display().to_string();
    let flags = format!("build.rustflags={flags:?}");
    let mut args = vec!["build", "--locked", "--profile", "dist", "--target-dir", &folder];
    if IS_COUNTED {
        // Profiles are keyed by function names, so symbols are not stripped.
        args.extend(["--target", TARGET, "--config", &flags, "--config", "profile.dist.strip=false"]);
    }
    args.extend(["--package", "askbridge", "--package", "askbridge-bench", "--package", "askbridge-scripted"]);
    // GCC must not split functions before BOLT does.
    cargo_with(&args, &[("CFLAGS", "-fno-reorder-blocks-and-partition".as_ref())])?;
    Ok(Path::new(&folder).join(if IS_COUNTED { TARGET } else { "" }).join("dist"))
}

/// Profiles the instrumented build, unless its profile is up to date. Returns the merged profile.
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

/// Lets BOLT lay out the linked programs, unless they are up to date.
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
        // A rename, so that a partial file cannot look newer than its sources.
        fs::rename(ordered, published.join(name))?;
    }
    fs::remove_dir_all(&counting)?;
    program(published.join("askbridge"), &["--version"])?;
    Ok(published)
}

/// Runs the workload with the instrumented `programs`. They write into `counts`, which is emptied first.
fn spend_a_day(programs: &Path, counts: &Path) -> Result<()> {
    if counts.exists() {
        fs::remove_dir_all(counts)?;
    }
    fs::create_dir_all(counts)?;
    DAY.iter().try_for_each(|part| program(programs.join("askbridge-bench"), part))
}

/// Returns the profiles that the processes of this program wrote: `NAME.PID.fdata`.
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

/// Runs BOLT, which prints much about code that it leaves alone; its output is shown only if it fails.
fn quietly(mut command: Command, line: &str) -> Result<()> {
    eprintln!("\n$ {line}");
    let out = command.output().with_context(|| format!("could not run `{line}`"))?;
    if !out.status.success() {
        bail!("`{line}` failed:\n{}", String::from_utf8_lossy(&out.stderr));
    }
    Ok(())
}
