//! The real Claude Code CLI, pinned by version and hash. The npm platform package holds one binary that needs no Node.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::size;
use crate::run::{exists, output, program};

/// One release of the CLI.
#[derive(Clone, Copy)]
pub(crate) struct Release {
    version: &'static str,
    /// The package's hash: npm's `integrity`, in hex.
    sha512: &'static str,
}

/// The release that `cargo xtask test` uses.
pub(crate) const PINNED: Release = Release {
    version: "2.1.325",
    sha512: "06a67332f3ffce02cb2f7e12fbb3b36c6f9cca8169ee0c161d4e64a15c2cc8c9\
             53033fb4cd90266d8f94933bed376457c69e8070c7a76d8223409c685df518df",
};

/// The release that npm installs for Node 20; `cargo xtask drift` compares it.
pub(crate) const OLDER: Release = Release {
    version: "2.1.197",
    sha512: "ac894a9ab63440cc8780f457fcc616363d37f6f6f2a480af23d8d57b7aecf57c\
             b64673649724a3c8fc6a87ad9069dce7ce87ed10edb7b98435b4578f710fff6e",
};

const PACKAGE: &str = "@anthropic-ai/claude-code-linux-x64";

/// Installs one release into `claude/<version>/claude`, next to the others.
pub(crate) fn run(tools: &Path, release: Release) -> Result<PathBuf> {
    let Release { version, sha512 } = release;
    let folder = tools.join("claude").join(version);
    let binary = folder.join("claude");
    if binary.is_file() {
        return Ok(binary);
    }
    if !exists("npm") {
        bail!("the tests need npm, to fetch Claude Code {version}\n\nhint: apt-get install npm");
    }
    eprintln!("installing Claude Code {version} (npm package {PACKAGE}) into {}", folder.display());
    let unpacked = tools.join("claude").join(format!("{version}.{}", std::process::id()));
    fs::create_dir_all(&unpacked)?;
    let place = unpacked.to_string_lossy();
    program("npm", &["pack", "--silent", "--pack-destination", &place, &format!("{PACKAGE}@{version}")])?;
    let found = fs::read_dir(&unpacked)?.flatten().map(|entry| entry.path());
    let archive = found.into_iter().find(|path| path.extension().is_some_and(|end| end == "tgz"));
    let archive = archive.context("npm fetched no package")?;
    let archive = archive.to_string_lossy();
    let hash = output("sha512sum", &[&archive])?;
    if hash.split_whitespace().next() != Some(sha512) {
        fs::remove_dir_all(&unpacked)?;
        bail!("the package {PACKAGE}@{version} is not the one we know\n  expected sha512 {sha512}\n  got {hash}");
    }
    program("tar", &["-xzf", &archive, "-C", &place, "--strip-components=1", "package/claude"])?;
    fs::remove_file(&*archive)?;
    // A rename, so that a test that runs meanwhile never finds a partial folder.
    if let Err(error) = fs::rename(&unpacked, &folder) {
        fs::remove_dir_all(&unpacked)?;
        if !binary.is_file() {
            return Err(error).with_context(|| format!("could not move the CLI to {}", folder.display()));
        }
    }
    eprintln!("installed {} ({})", binary.display(), size(&binary));
    Ok(binary)
}
