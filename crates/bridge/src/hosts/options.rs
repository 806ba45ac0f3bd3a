//! The operator's settings for agents: the program, the folders, the environment, how many.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use askbridge_core::terms::Warm;

/// Everything that hosting needs to know.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// The folder for the files of running agents. Ours alone.
    pub folder: PathBuf,
    /// The program that becomes the agent, with its first arguments: our own binary.
    pub launcher: Vec<OsString>,
    /// The Claude Code program, if configured. Otherwise it is searched on `PATH`.
    pub claude: Option<PathBuf>,
    /// The environment of agents.
    pub environment: Vec<(OsString, OsString)>,
    /// Agents work in these folders and in what is below them.
    pub roots: Vec<PathBuf>,
    /// How long an idle process is kept.
    pub idle: Duration,
    /// How long a process is kept for an open question, unless the session says otherwise.
    pub warm: Option<Warm>,
    /// How long a process is kept for an open permission, unless the session says otherwise. `None`: without limit.
    pub hold_max: Option<Duration>,
    /// How long an agent waits at a call that it denied itself, for a person to overrule that. Zero: it does not wait.
    pub denied_wait: Duration,
    /// Tools that always go to a person, in every session that is started from now on.
    pub always_ask: Vec<String>,
    /// Memory in bytes that one agent may use, with everything it started. `None`: no limit.
    pub memory_max: Option<u64>,
    /// How many processes may run at the same time.
    pub processes_max: usize,
}

/// Why an agent may not work in a folder.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    #[error("`cwd` has to be an absolute path or begin with `~/`, not `{0}`")]
    NotAbsolute(String),
    #[error("there is no folder `{0}`")]
    NoFolder(String),
    #[error("agents may not work in `{folder}`; they may in {roots} (set ASKBRIDGE_ROOTS to change that)")]
    Outside { folder: String, roots: String },
}

impl HostOptions {
    /// Returns the canonical path of the folder, if agents may work there.
    pub fn allow(&self, folder: &str) -> Result<PathBuf, RootError> {
        let path = self.with_home(folder);
        if !path.is_absolute() {
            return Err(RootError::NotAbsolute(folder.to_owned()));
        }
        // A link may lead out of a root, so its target counts.
        let real = path.canonicalize().ok().filter(|real| real.is_dir());
        let real = real.ok_or_else(|| RootError::NoFolder(folder.to_owned()))?;
        let mut roots = self.roots.iter().filter_map(|root| root.canonicalize().ok());
        if roots.any(|root| real.starts_with(&root)) {
            return Ok(real);
        }
        let roots: Vec<_> = self.roots.iter().map(|root| format!("`{}`", root.display())).collect();
        let roots = if roots.is_empty() { "no folder at all".to_owned() } else { roots.join(", ") };
        Err(RootError::Outside { folder: folder.to_owned(), roots })
    }

    /// Expands `~` and `~/…` as a shell does.
    fn with_home(&self, folder: &str) -> PathBuf {
        let rest = folder.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match (rest, self.variable("HOME")) {
            (Some(rest), Some(home)) => Path::new(home).join(rest.trim_start_matches('/')),
            _ => PathBuf::from(folder),
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
    }
}

/// Variables that every agent needs.
const PASSED: &[&str] = &["HOME", "PATH", "LANG", "LANGUAGE", "TZ"];
/// Variables that configure the agent itself, and the locale.
const PASSED_PREFIXES: &[&str] = &["ANTHROPIC_", "CLAUDE_", "LC_"];
/// Variables by which Claude Code knows that it runs inside another. Ours does not.
const NOT_PASSED: &[&str] = &["CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION"];

/// Chooses the agents' environment from ours. `more` names further variables to pass.
pub fn environment(ours: impl IntoIterator<Item = (OsString, OsString)>, more: &[String]) -> Vec<(OsString, OsString)> {
    let passes = |name: &OsStr| {
        let Some(name) = name.to_str() else { return false };
        let known = PASSED.contains(&name) || PASSED_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        (known && !NOT_PASSED.contains(&name)) || more.iter().any(|more| more == name)
    };
    ours.into_iter().filter(|(name, _)| passes(name)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::hosts) fn options(roots: Vec<PathBuf>) -> HostOptions {
        HostOptions {
            folder: PathBuf::new(),
            launcher: Vec::new(),
            claude: None,
            environment: Vec::new(),
            roots,
            idle: Duration::ZERO,
            warm: None,
            hold_max: None,
            denied_wait: Duration::from_secs(60),
            always_ask: Vec::new(),
            memory_max: None,
            processes_max: 1,
        }
    }

    #[test]
    fn agents_work_inside_the_roots_and_a_link_out_of_them_is_no_way_around() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside"));
        std::fs::create_dir_all(inside.join("project")).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
        let options = options(vec![inside.clone()]);
        let allow = |path: &Path| options.allow(path.to_str().unwrap());
        assert!(allow(&inside).is_ok());
        assert!(allow(&inside.join("project")).is_ok());
        assert!(matches!(allow(&inside.join("link")), Err(RootError::Outside { .. })));
        assert!(matches!(allow(&inside.join("..").join("outside")), Err(RootError::Outside { .. })));
        assert!(matches!(allow(&inside.join("nowhere")), Err(RootError::NoFolder(_))));
        assert!(matches!(options.allow("project"), Err(RootError::NotAbsolute(_))));
    }

    #[test]
    fn an_agent_finds_what_it_needs_in_its_environment_and_nothing_else() {
        let ours = [
            ("HOME", "/home/ada"),
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("ANTHROPIC_API_KEY", "k"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_ENTRYPOINT", "cli"),
            ("ASKBRIDGE_TOKEN", "secret"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("IS_SANDBOX", "1"),
        ];
        let ours = ours.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let passed = environment(ours, &["IS_SANDBOX".to_owned()]);
        let names: Vec<_> = passed.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(names, ["HOME", "PATH", "LC_ALL", "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR", "IS_SANDBOX"]);
    }
}
