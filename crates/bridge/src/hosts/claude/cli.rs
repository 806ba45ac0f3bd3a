//! Finds the Claude Code program, and checks its version.

use std::env::split_paths;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use crate::hosts::options::HostOptions;

/// The oldest version whose protocol we know.
const OLDEST: Version = Version(2, 1, 197);
/// `--await-initialize` is known to work from this version on.
const AWAITS_INITIALIZE: Version = Version(2, 1, 325);
/// From this version on, a question is known to come back after we wrote into its transcript that it was deferred.
const BELIEVES_ITS_RECORD: Version = Version(2, 1, 325);
/// How long the program may take to print its version.
const VERSION_MAX: Duration = Duration::from_secs(20);

/// Why there is no usable Claude Code. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error(
        "Claude Code is not installed: there is no `claude` on PATH; install it (npm install -g @anthropic-ai/claude-code) \
         or name the program with ASKBRIDGE_CLAUDE"
    )]
    NotFound,
    #[error("ASKBRIDGE_CLAUDE names `{0}`, and there is no such program; correct it, or unset it to look on PATH")]
    NoSuchProgram(String),
    #[error("could not run `{path}`: {why}; check that it is a program for this machine and may be run")]
    NotRunnable { path: String, why: String },
    #[error(
        "`{path} --version` said `{said}`, which is not a version of Claude Code; name the right program with ASKBRIDGE_CLAUDE"
    )]
    NotClaude { path: String, said: String },
    #[error("Claude Code {found} is too old; {oldest} or newer is needed: run `claude update`")]
    TooOld { found: Version, oldest: Version },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(u32, u32, u32);

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// A Claude Code program that can be run.
#[derive(Debug, Clone)]
pub struct Cli {
    pub path: PathBuf,
    pub version: Version,
}

/// Finds the program that would be run.
pub async fn find(options: &HostOptions) -> Result<Cli, CliError> {
    Cli::find(options).await
}

/// Would Claude Code refuse to skip its permissions?
pub fn is_root_without_a_sandbox(options: &HostOptions) -> bool {
    askbridge_platform::ourselves::is_root() && options.variable("IS_SANDBOX").is_none_or(|value| value != "1")
}

impl Cli {
    /// Finds the program and asks it for its version, each time: it may have been replaced.
    pub(super) async fn find(options: &HostOptions) -> Result<Self, CliError> {
        let path = program(options)?;
        let shown = path.display().to_string();
        let failed = |why: String| CliError::NotRunnable { path: shown.clone(), why };
        let mut command = Command::new(&path);
        command.arg("--version").env_clear().envs(options.environment.iter().cloned()).kill_on_drop(true);
        let said = match timeout(VERSION_MAX, command.output()).await {
            Ok(Ok(output)) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
            Ok(Ok(output)) => return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
            Ok(Err(error)) => return Err(failed(error.to_string())),
            Err(_) => return Err(failed("it did not say its version in time".to_owned())),
        };
        match version(&said) {
            Some(version) if version < OLDEST => Err(CliError::TooOld { found: version, oldest: OLDEST }),
            Some(version) => Ok(Self { path, version }),
            None => Err(CliError::NotClaude { path: shown, said: said.chars().take(80).collect() }),
        }
    }

    pub(super) fn believes_its_record(&self) -> bool {
        self.version >= BELIEVES_ITS_RECORD
    }

    pub(super) fn awaits_initialize(&self) -> bool {
        self.version >= AWAITS_INITIALIZE
    }
}

fn program(options: &HostOptions) -> Result<PathBuf, CliError> {
    if let Some(named) = &options.claude {
        return match named.metadata() {
            Ok(_) => Ok(named.clone()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(CliError::NoSuchProgram(named.display().to_string()))
            }
            Err(error) => Err(CliError::NotRunnable { path: named.display().to_string(), why: error.to_string() }),
        };
    }
    let path = options.variable("PATH").unwrap_or_default();
    let found = split_paths(path).map(|folder| folder.join("claude")).find(|program| program.is_file());
    found.ok_or(CliError::NotFound)
}

/// Parses `2.1.325 (Claude Code)`.
fn version(said: &str) -> Option<Version> {
    let mut parts = said.split_whitespace().next()?.splitn(3, '.').map(|part| {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        part[..digits].parse().ok()
    });
    Some(Version(parts.next()??, parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_compared() {
        assert_eq!(version("2.1.325 (Claude Code)"), Some(AWAITS_INITIALIZE));
        assert_eq!(version("2.1.198-beta.1"), Some(Version(2, 1, 198)));
        assert_eq!(version("command not found"), None);
        assert_eq!(version(""), None);
        assert!(Version(2, 1, 197) < AWAITS_INITIALIZE && Version(3, 0, 0) > AWAITS_INITIALIZE);
    }
}
