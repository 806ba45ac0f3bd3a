//! Test setup: a home for each test, with realistic files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_askbridge");

pub(crate) struct Home {
    dir: TempDir,
    /// Is `askbridge` on PATH, and is a data folder named?
    on_path: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        let home = Self { dir: tempfile::tempdir().unwrap(), on_path: true };
        fs::create_dir_all(home.path("project/bin")).unwrap();
        home
    }

    pub(crate) fn with_askbridge_off_path() -> Self {
        Self { on_path: false, ..Self::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Returns everything below a folder of the home, except our own data.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        walk(self.dir.path(), &mut found);
        let names = found.iter().map(|path| path.strip_prefix(self.dir.path()).unwrap().display().to_string());
        let mut names: Vec<_> = names.filter(|name| !name.starts_with("project/bin")).collect();
        names.sort();
        names
    }

    /// Returns askbridge in the project's folder, without a terminal.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("setsid");
        let bin = if self.on_path { Path::new(BINARY).parent().unwrap() } else { Path::new("/nowhere") };
        command.arg(BINARY).args(args).env_clear().env("HOME", self.dir.path()).env("USER", "ada");
        command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).current_dir(self.path("project"));
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args))
    }

    pub(crate) fn run_with(&self, args: &[&str], name: &str, value: &str) -> Ran {
        let mut command = self.command(args);
        command.env(name, value);
        ran(command)
    }

    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

pub(crate) fn ran(mut command: Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

impl Ran {
    #[track_caller]
    pub(crate) fn good(&self) -> &str {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        &self.stdout
    }

    /// Asserts that it failed, and returns its error.
    #[track_caller]
    pub(crate) fn failed(&self, code: i32) -> &str {
        assert_eq!(self.code, Some(code), "{} {}", self.stdout, self.stderr);
        &self.stderr
    }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            walk(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Settings of Claude Code after some time of use.
pub(crate) const CLAUDE: &str = r#"{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "model": "opus",
  "env": {
    "EDITOR": "vim"
  },
  "permissions": {
    "allow": ["Bash(npm test *)", "Read(~/notes/**)"],
    "deny": []
  },
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [{ "type": "command", "command": "jq -r .tool_input.file_path | xargs prettier --write" }]
      }
    ],
    "Stop": [
      { "hooks": [{ "type": "command", "command": "afplay /System/Library/Sounds/Glass.aiff", "timeout": 5 }] }
    ]
  },
  "statusLine": { "type": "command", "command": "~/.claude/status.sh" }
}
"#;
