//! Parts of gobby's wheels, pinned by version and hash: its built page for the tests of the dialect, its YAML files for
//! those of its rules. Nothing of a wheel is run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::size;
use super::venv::{Package, venv};
use crate::run::{exists, program};

/// The version whose page is shown, and whose rules are of the second generation.
const CURRENT: Wheel = Wheel {
    version: "0.4.6",
    sha256: "f3327ea53a89677875ed93991767063312b73de58725d7abd41073df0fa28634",
    megabytes: 7,
};
/// The last version with lifecycle workflows, the first generation of rules.
const FIRST: Wheel = Wheel {
    version: "0.2.18",
    sha256: "ebaaeecbeb202f74248807b6e07b75b79b64193c210f76089dba78466ccd5b59",
    megabytes: 2,
};
/// What rules are compared with: PyYAML reads the same files, Jinja2 renders the same templates.
const PYTHON: Package = Package {
    name: "gobby-python",
    version: "6.0.3",
    megabytes: 1,
    requirements: "crates/workflows/tests/python/requirements.txt",
};

struct Wheel {
    version: &'static str,
    sha256: &'static str,
    megabytes: u32,
}

/// Returns the folder with the page.
pub(crate) fn page(tools: &Path) -> Result<PathBuf> {
    let folder = tools.join("gobby-ui").join(CURRENT.version);
    let page = folder.join("dist");
    if page.join("index.html").exists() {
        return Ok(page);
    }
    let wheels = CURRENT.unpack(&folder, "a page")?;
    let unpacked = wheels.join("gobby/ui/web/dist");
    fs::rename(&unpacked, &page).with_context(|| format!("the wheel has no `{}`", unpacked.display()))?;
    fs::remove_dir_all(&wheels)?;
    eprintln!("installed {} ({})", page.display(), size(&page));
    Ok(page)
}

/// Returns the folder with the YAML files of both generations, by version.
pub(crate) fn rules(tools: &Path) -> Result<PathBuf> {
    let folder = tools.join("gobby");
    for wheel in [CURRENT, FIRST] {
        let kept = folder.join(wheel.version);
        if kept.join("gobby").exists() {
            continue;
        }
        let wheels = wheel.unpack(&kept, "the rules")?;
        let unpacked = wheels.join("gobby");
        keep_yaml(&unpacked)?;
        fs::rename(&unpacked, kept.join("gobby")).context("the wheel has no `gobby`")?;
        fs::remove_dir_all(&wheels)?;
        eprintln!("installed {} ({})", kept.display(), size(&kept));
    }
    Ok(folder)
}

/// Returns a Python with PyYAML and Jinja2.
pub(crate) fn python(tools: &Path) -> Result<PathBuf> {
    venv(tools, &PYTHON, |_| Ok(()))
}

impl Wheel {
    /// Fetches the wheel and unpacks it into a folder, which is returned.
    fn unpack(&self, folder: &Path, what: &str) -> Result<PathBuf> {
        let Self { version, sha256, megabytes } = self;
        if !exists("python3") {
            bail!(
                "the tests need Python 3 with pip, to fetch {what} of gobby\n\nhint: apt-get install python3 python3-pip"
            );
        }
        eprintln!("installing {what} of gobby {version} (PyPI, {megabytes} MB to fetch) into {}", folder.display());
        let wheels = folder.join("wheels");
        let _ = fs::remove_dir_all(&wheels);
        fs::create_dir_all(&wheels)?;
        let wanted = wheels.join("requirements.txt");
        fs::write(&wanted, format!("gobby=={version} --hash=sha256:{sha256}\n"))?;
        let (dest, wanted) = (wheels.to_string_lossy(), wanted.to_string_lossy());
        // The wheel is not run, so the Python that it needs does not matter.
        let python = ["--python-version", "3.13", "--only-binary=:all:"];
        let fetch =
            ["-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--dest", &dest, "-r", &wanted];
        program("python3", &[&fetch[..], &python[..]].concat())?;
        let wheel = wheels.join(format!("gobby-{version}-py3-none-any.whl"));
        program("python3", &["-m", "zipfile", "-e", &wheel.to_string_lossy(), &dest])?;
        Ok(wheels)
    }
}

/// Removes every file that is not YAML.
fn keep_yaml(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            keep_yaml(&path)?;
            if fs::read_dir(&path)?.next().is_none() {
                fs::remove_dir(&path)?;
            }
        } else if !path.extension().is_some_and(|end| end == "yaml" || end == "yml") {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}
