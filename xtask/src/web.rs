//! `cargo xtask web`: the web app and its packages, and end-to-end journeys in a real browser against the real binary.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::install::Installed;
use crate::run::{binaries, exists, go, output, root};

/// What a browser fetches before it shows the first page, compressed.
const FIRST_LOAD_BYTES_MAX: usize = 156_000;
const NODE_MIN: u32 = 20;

pub(crate) fn run(installed: &Installed) -> Result<()> {
    node()?;
    install()?;
    npm(&["run", "check"], &[])?;
    npm(&["test"], &[])?;
    npm(&["run", "packages"], &[])?;
    fresh_is_committed()?;
    budget()?;
    npm(&["run", "gallery:test", "--workspace", "react", "--if-present"], &installed.env())?;
    binaries()?;
    npm(&["test", "--workspace", "e2e"], &installed.env())
}

fn node() -> Result<()> {
    ensure!(exists("node") && exists("npm"), "there is no node\n\nhint: install Node {NODE_MIN} or later, with npm");
    let version = output("node", &["--version"])?;
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    ensure!(major >= Some(NODE_MIN), "node is {}; {NODE_MIN} or later is needed", version.trim());
    Ok(())
}

fn web() -> PathBuf {
    root().join("web")
}

/// Installs the packages of the lock file, unless they are installed.
fn install() -> Result<()> {
    let (lock, stamp) = (web().join("package-lock.json"), web().join("node_modules/.installed"));
    let wanted = fs::read(&lock)?;
    if fs::read(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(());
    }
    let packages = String::from_utf8_lossy(&wanted).matches("\"node_modules/").count();
    eprintln!("installing {packages} packages of npm into web/node_modules");
    npm(&["ci", "--no-audit", "--no-fund"], &[])?;
    Ok(fs::write(stamp, wanted)?)
}

fn npm(args: &[&str], env: &[(&str, &OsStr)]) -> Result<()> {
    let mut command = Command::new("npm");
    command.arg("--prefix").arg(web()).args(args).envs(env.iter().copied());
    go(command, &format!("npm {}", args.join(" ")))
}

/// Builds the app again, beside the committed build, and compares.
fn fresh_is_committed() -> Result<()> {
    let (committed, fresh) = (web().join("app/dist"), root().join("target/tmp/web-dist"));
    let _ = fs::remove_dir_all(&fresh);
    let out = fresh.to_string_lossy().into_owned();
    npm(&["run", "build", "--workspace", "app", "--", "--outDir", &out], &[])?;
    let (ours, new) = (files(&committed)?, files(&fresh)?);
    let hint = "\n\nhint: `npm --prefix web run build` makes it; commit what it writes";
    ensure!(
        ours == new,
        "web/app/dist is not what the source makes of it: {:?}{hint}",
        ours.symmetric_difference(&new)
    );
    for name in &ours {
        // Two releases of zlib may compress the same file differently; the content has to be the same.
        let same = match name.strip_suffix(".gz") {
            Some(plain) => unpacked(&committed.join(name))? == fs::read(committed.join(plain))?,
            None => fs::read(committed.join(name))? == fs::read(fresh.join(name))?,
        };
        ensure!(same, "web/app/dist/{name} is not what the source makes of it{hint}");
    }
    eprintln!("the committed web app is what its source makes of it ({} files)", ours.len());
    Ok(())
}

fn files(folder: &Path) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        let entries = fs::read_dir(&next).with_context(|| format!("could not read `{}`", next.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(folder)?.to_string_lossy().into_owned());
            }
        }
    }
    Ok(found)
}

fn unpacked(file: &Path) -> Result<Vec<u8>> {
    let out = Command::new("gzip").arg("-dc").arg(file).output().context("could not run `gzip`")?;
    ensure!(out.status.success(), "`{}` is not packed with gzip", file.display());
    Ok(out.stdout)
}

/// Checks the compressed size of the page and everything that it names.
fn budget() -> Result<()> {
    let dist = web().join("app/dist");
    let page = fs::read_to_string(dist.join("index.html"))?;
    let named = page.split('"').filter(|part| part.starts_with("/assets/"));
    let mut sum = packed_bytes(&dist, "index.html")?;
    for name in named {
        sum += packed_bytes(&dist, name.trim_start_matches('/'))?;
    }
    if sum > FIRST_LOAD_BYTES_MAX {
        bail!("the first load of the web app takes {sum} bytes; {FIRST_LOAD_BYTES_MAX} is the limit");
    }
    eprintln!("the first load of the web app takes {sum} of {FIRST_LOAD_BYTES_MAX} bytes");
    Ok(())
}

fn packed_bytes(dist: &Path, name: &str) -> Result<usize> {
    let packed = dist.join(format!("{name}.gz"));
    let path = if packed.is_file() { packed } else { dist.join(name) };
    Ok(fs::read(&path).with_context(|| format!("could not read `{}`", path.display()))?.len())
}
