//! Real agents of other vendors, pinned by version and hash: each npm package holds one binary that needs no Node.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::size;
use crate::run::{exists, output, program, root};

/// One release of one agent.
pub(crate) struct Agent {
    /// Also the prefix of its tests' names.
    pub(crate) name: &'static str,
    /// The variable by which the tests find it.
    pub(crate) variable: &'static str,
    /// The package specifier for npm.
    package: &'static str,
    version: &'static str,
    /// The package's hash: npm's `integrity`, in hex.
    sha512: &'static str,
    /// The path of the binary in the package.
    inside: &'static str,
    mb_to_fetch: u32,
}

pub(crate) const AGENTS: [Agent; 2] = [
    Agent {
        name: "codex",
        variable: "ASKBRIDGE_TEST_CODEX",
        package: "@openai/codex@0.166.0-linux-x64",
        version: "0.166.0",
        sha512: "0b10e6dfe0f57296c625e1eb77320da06fb7c27f4156770fe2aa5969a3589317\
                 bc88fb5124e6320899e73e8563591201bc8f6f3ca6d1a227ec312039c43694a7",
        inside: "package/vendor/x86_64-unknown-linux-musl/bin/codex",
        mb_to_fetch: 172,
    },
    Agent {
        name: "opencode",
        variable: "ASKBRIDGE_TEST_OPENCODE",
        package: "opencode-linux-x64@1.18.33",
        version: "1.18.33",
        sha512: "abfb7fde9d824f1393f72da4be37ac6ff2d969bdbed5eaa5861580d3605eea68\
                 d3b6662d341701b2b239c83a38170ed948f056da8c8c20630d46a88a4238805b",
        inside: "package/bin/opencode",
        mb_to_fetch: 60,
    },
];

/// The packages above are for this kind of machine only.
const IS_FOR_US: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// What npm prints when a registry does not have a package, or not in this version. Any other error is a failure.
const NOT_THERE: [&str; 2] = ["code E404", "code ETARGET"];

/// Whether an agent could be installed.
pub(crate) enum Fetched {
    Here(PathBuf),
    /// It could not, for this reason.
    Absent(String),
}

impl Agent {
    /// Returns its name and version.
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// Installs an agent as `<name>/<version>/<name>`.
pub(crate) fn run(tools: &Path, agent: &Agent) -> Result<Fetched> {
    let Agent { name, package, version, inside, mb_to_fetch, .. } = agent;
    let folder = tools.join(name).join(version);
    let binary = folder.join(name);
    if binary.is_file() {
        return Ok(Fetched::Here(binary));
    }
    if !IS_FOR_US {
        return Ok(Fetched::Absent(format!("the package {package} is not for this kind of machine")));
    }
    if !exists("npm") {
        bail!("the tests need npm, to fetch {name} {version}\n\nhint: apt-get install npm");
    }
    eprintln!(
        "installing {name} {version} (npm package {package}, {mb_to_fetch} MB to fetch) into {}",
        folder.display()
    );
    let fetched = tools.join(name).join(format!("{version}.{}", std::process::id()));
    fs::create_dir_all(&fetched)?;
    let archive = match fetch(agent, &fetched) {
        Ok(Some(archive)) => archive,
        other => {
            fs::remove_dir_all(&fetched)?;
            other?;
            return Ok(Fetched::Absent(format!("the registry of npm has no {package}")));
        }
    };
    let (archive, place) = (archive.to_string_lossy(), fetched.to_string_lossy());
    program("tar", &["-xzf", &archive, "-C", &place, inside])?;
    fs::create_dir_all(&folder)?;
    // A rename, so that a test that runs meanwhile never finds a partial file.
    fs::rename(fetched.join(inside), &binary).with_context(|| format!("could not move {name} to its place"))?;
    fs::remove_dir_all(&fetched)?;
    eprintln!("installed {} ({})", binary.display(), size(&binary));
    Ok(Fetched::Here(binary))
}

/// Fetches the package, and returns its path. `None`: the registry does not have it.
fn fetch(agent: &Agent, place: &Path) -> Result<Option<PathBuf>> {
    let Agent { package, sha512, .. } = agent;
    let mut npm = Command::new("npm");
    npm.args(["pack", "--loglevel", "error", "--pack-destination"]).arg(place).arg(package).current_dir(root());
    let npm = npm.output().context("could not run `npm`")?;
    let said = String::from_utf8_lossy(&npm.stderr);
    if !npm.status.success() {
        return if is_not_there(&said) { Ok(None) } else { bail!("npm could not fetch {package}: {said}") };
    }
    let mut found = fs::read_dir(place)?.flatten().map(|entry| entry.path());
    let archive = found.find(|path| path.extension().is_some_and(|end| end == "tgz"));
    let archive = archive.context("npm fetched no package")?;
    let hash = output("sha512sum", &[&archive.to_string_lossy()])?;
    if hash.split_whitespace().next() != Some(*sha512) {
        bail!("the package {package} is not the one we know\n  expected sha512 {sha512}\n  got {hash}");
    }
    Ok(Some(archive))
}

fn is_not_there(said: &str) -> bool {
    said.lines().any(|line| NOT_THERE.iter().any(|code| line.ends_with(code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_registry_does_not_have_is_told_from_what_went_wrong() {
        // The output of npm 9 and of npm 11.
        assert!(is_not_there("npm ERR! code ETARGET\nnpm ERR! notarget No matching version found for a@1\n"));
        assert!(is_not_there("npm error code E404\nnpm error 404 Not Found\n"));
        assert!(!is_not_there("npm ERR! code ECONNREFUSED\nnpm ERR! syscall connect\n"));
        assert!(!is_not_there(""));
    }
}
