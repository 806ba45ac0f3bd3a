//! Starts a CLI with a scratch home, a scrubbed environment and the scripted model.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::host::Host;
use super::places;
use crate::model::Model;

/// How long to wait for a file, and between two looks at it.
const PATIENCE: Duration = Duration::from_secs(30);
const BREATH: Duration = Duration::from_millis(5);

/// Which program is started. Tests of the protocol run on both, so that the double cannot drift from the real one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Real,
    Fake,
}

impl Subject {
    #[track_caller]
    pub fn path(self) -> PathBuf {
        match self {
            Self::Real => places::claude(),
            Self::Fake => places::fake_claude(),
        }
    }
}

/// A scratch home with a working folder; removed when dropped.
pub struct ScratchHome {
    folder: tempfile::TempDir,
}

impl Default for ScratchHome {
    fn default() -> Self {
        Self::new()
    }
}

impl ScratchHome {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("the machine has room for a scratch folder");
        for name in ["desk", "tmp"] {
            std::fs::create_dir(folder.path().join(name)).expect("a new folder is empty");
        }
        Self { folder }
    }

    pub fn home(&self) -> &Path {
        self.folder.path()
    }

    pub fn work(&self) -> PathBuf {
        self.folder.path().join("desk")
    }

    /// The whole environment of a CLI; nothing else of the machine reaches it. The key is not a real one.
    pub fn env(&self, model_url: &str) -> Vec<(String, String)> {
        let home = self.home().to_string_lossy().into_owned();
        let tmp = self.home().join("tmp").to_string_lossy().into_owned();
        let pairs = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("HOME", &home),
            ("TMPDIR", &tmp),
            ("LANG", "C.UTF-8"),
            ("ANTHROPIC_BASE_URL", model_url),
            ("ANTHROPIC_API_KEY", "scripted-key"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ];
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    /// Finds the transcript of a session, in any project folder.
    pub fn transcript(&self, session: &str) -> Option<PathBuf> {
        let projects = std::fs::read_dir(self.home().join(".claude/projects")).ok()?;
        let name = format!("{session}.jsonl");
        projects.flatten().map(|project| project.path().join(&name)).find(|path| path.is_file())
    }

    /// Blocks until the transcript of a session contains this. The CLI sends a frame first and writes it to the file
    /// later, so a kill in between loses it.
    #[track_caller]
    pub fn until_written(&self, session: &str, part: &str) -> PathBuf {
        let end = Instant::now() + PATIENCE;
        loop {
            let written = self
                .transcript(session)
                .filter(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains(part)));
            if let Some(path) = written {
                return path;
            }
            assert!(Instant::now() < end, "the transcript of {session} never contained `{part}`");
            std::thread::sleep(BREATH);
        }
    }
}

/// A CLI about to be started.
pub struct Launch {
    command: Command,
}

impl Launch {
    /// With the arguments of a host: stream-json both ways, permissions over stdio.
    #[track_caller]
    pub fn new(subject: Subject, scratch: &ScratchHome, model: &Model) -> Self {
        let mut command = Command::new(subject.path());
        command.args(["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"]);
        command.args(["--permission-prompt-tool", "stdio"]);
        command.env_clear().envs(scratch.env(&model.url())).current_dir(scratch.work());
        Self { command }
    }

    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    #[must_use]
    pub fn resume(self, session: &str) -> Self {
        self.arg(format!("--resume={session}"))
    }

    #[track_caller]
    pub fn start(mut self) -> Host {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Host::new(self.command.spawn().expect("the CLI can be started"))
    }
}
