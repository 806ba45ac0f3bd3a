//! The built page of gobby's web chat, from its wheel, pinned by version and hash; the tests of the dialect use it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::size;
use crate::run::{exists, program};

const VERSION: &str = "0.4.6";
const HASH: &str = "f3327ea53a89677875ed93991767063312b73de58725d7abd41073df0fa28634";

/// Returns the folder with the page.
pub(crate) fn run(tools: &Path) -> Result<PathBuf> {
    let folder = tools.join("gobby-ui").join(VERSION);
    let page = folder.join("dist");
    if page.join("index.html").exists() {
        return Ok(page);
    }
    if !exists("python3") {
        bail!(
            "the tests need Python 3 with pip, to fetch a page of gobby\n\nhint: apt-get install python3 python3-pip"
        );
    }
    eprintln!("installing the page of gobby {VERSION} (PyPI, 7 MB to fetch) into {}", page.display());
    let wheels = folder.join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    fs::create_dir_all(&wheels)?;
    let wanted = wheels.join("requirements.txt");
    fs::write(&wanted, format!("gobby=={VERSION} --hash=sha256:{HASH}\n"))?;
    let (dest, wanted) = (wheels.to_string_lossy(), wanted.to_string_lossy());
    // The wheel is not run, so the Python that it needs does not matter.
    let python = ["--python-version", "3.13", "--only-binary=:all:"];
    let fetch = ["-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--dest", &dest, "-r", &wanted];
    program("python3", &[&fetch[..], &python[..]].concat())?;
    let wheel = wheels.join(format!("gobby-{VERSION}-py3-none-any.whl"));
    program("python3", &["-m", "zipfile", "-e", &wheel.to_string_lossy(), &dest])?;
    let unpacked = wheels.join("gobby/ui/web/dist");
    fs::rename(&unpacked, &page).with_context(|| format!("the wheel has no `{}`", unpacked.display()))?;
    fs::remove_dir_all(&wheels)?;
    eprintln!("installed {} ({})", page.display(), size(&page));
    Ok(page)
}
