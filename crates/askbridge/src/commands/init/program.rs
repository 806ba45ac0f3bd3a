//! The programs that we know, and where each keeps its settings.

use std::path::{Path, PathBuf};

use askbridge_bridge::server::mcp::ASK_TOOLS;
use askbridge_edits::{Format, Part, Target};

use super::entries::{HookCall, Shape, claude_hooks, codex_hooks, mcp, no_hooks, rules};
use super::ourselves::{Ourselves, Reader, on_path};
use crate::commands::hook::events::Reported;
use crate::failure::Failure;
use crate::settings::{Settings, Surroundings};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Program {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// OpenCode
    Opencode,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Gemini CLI
    Gemini,
    /// Claude Desktop
    ClaudeDesktop,
}

pub(crate) const PROGRAMS: [Program; 7] = [
    Program::Claude,
    Program::Codex,
    Program::Opencode,
    Program::Cursor,
    Program::Vscode,
    Program::Gemini,
    Program::ClaudeDesktop,
];

/// Whose settings are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Person,
    /// Those of the project in this folder, shared by everyone who works on it.
    Project,
    /// The person's own for this project.
    Local,
}

impl Scope {
    /// Returns the scope for `--project` and `--local`; clap allows at most one.
    pub(super) fn of(project: bool, local: bool) -> Self {
        match (project, local) {
            (true, _) => Self::Project,
            (_, true) => Self::Local,
            _ => Self::Person,
        }
    }
}

/// What is requested beyond the default of a program.
#[derive(Debug, Clone, Default)]
pub(super) struct Wish {
    pub(super) hooks: bool,
    pub(super) mcp: bool,
    /// Hooks for what rules look at.
    pub(super) rules: bool,
    pub(super) http: Option<Http>,
}

#[derive(Debug, Clone)]
pub(super) struct Http {
    pub(super) base: String,
    /// `None`: the token is read from the environment.
    pub(super) token: Option<String>,
}

/// One file, and how to change it.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) target: Target,
    /// A description of what it adds.
    pub(super) what: &'static str,
}

impl Program {
    /// Returns its name on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Gemini => "gemini",
            Self::ClaudeDesktop => "claude-desktop",
        }
    }

    /// Returns its display name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Opencode => "OpenCode",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
            Self::Gemini => "Gemini CLI",
            Self::ClaudeDesktop => "Claude Desktop",
        }
    }

    /// Is it on this machine? Looks for its folder or its program.
    pub(super) fn is_found(self, around: &Surroundings) -> bool {
        let program = match self {
            Self::Vscode => "code",
            Self::ClaudeDesktop => "claude-desktop",
            program => program.word(),
        };
        let folder = match self {
            Self::Claude => claude_folder(around),
            Self::Opencode => around.config.join("opencode"),
            program => program.mcp_file(Scope::Person, around).parent().map(Path::to_owned).unwrap_or_default(),
        };
        folder.is_dir() || on_path(program, around).is_some()
    }

    pub(crate) fn has_hooks(self) -> bool {
        matches!(self, Self::Claude | Self::Codex)
    }

    fn has_projects(self) -> bool {
        self != Self::ClaudeDesktop
    }

    /// Refuses options that a program does not have, with an explanation.
    pub(super) fn check(self, scope: Scope, wish: &Wish) -> Result<(), Failure> {
        let word = self.word();
        if scope == Scope::Local && self != Self::Claude {
            return Err(Failure::usage(format!(
                "only Claude Code has local settings of a project, and {word} is not it"
            ))
            .hint(format!("`askbridge init {word} --project`, or without it for all projects")));
        }
        if scope == Scope::Project && !self.has_projects() {
            return Err(Failure::usage(format!("{} has no settings of a project", self.name()))
                .hint(format!("`askbridge init {word}`")));
        }
        if wish.hooks && !self.has_hooks() {
            return Err(Failure::usage(format!("{} has no hooks that askbridge understands", self.name()))
                .hint(format!("`askbridge init {word}` adds the MCP server")));
        }
        if wish.rules && self != Self::Claude {
            return Err(Failure::usage(format!("{} does not report every call before it runs", self.name()))
                .hint(format!("`askbridge init {word}`")));
        }
        if wish.http.is_some() && self != Self::Claude {
            return Err(Failure::usage("only Claude Code has hooks over HTTP").hint(format!("`askbridge init {word}`")));
        }
        Ok(())
    }

    /// Returns the changes that install us.
    pub(super) fn install(
        self,
        scope: Scope,
        wish: &Wish,
        settings: &Settings,
        around: &Surroundings,
    ) -> Result<Vec<Job>, Failure> {
        self.check(scope, wish)?;
        let ourselves = Ourselves::for_reader(self.reader(scope), settings, around)?;
        let server = |what| {
            let table = self.mcp_table(scope, around);
            let part = mcp(&table, Some((self.shape(), &ourselves)));
            self.job(self.mcp_file(scope, around), vec![part], settings, what)
        };
        let mut jobs = Vec::new();
        match self {
            Self::Claude => {
                let reported = if wish.rules { Reported::Everything } else { Reported::Asks };
                let call = match &wish.http {
                    Some(http) => HookCall::Http { base: &http.base, token: http.token.as_deref(), reported },
                    None => HookCall::Command(&ourselves, reported),
                };
                let mut job = self.job(claude_settings(scope, around), vec![claude_hooks(&call)], settings, "hooks");
                if wish.mcp {
                    job.target.parts.push(rules(&ASK_TOOLS));
                    job.what = "hooks, and leave to ask";
                }
                jobs.push(job);
                if wish.mcp {
                    jobs.push(server("the MCP server"));
                }
            }
            Self::Codex => {
                let mut job = server("the MCP server");
                if wish.hooks {
                    job.target.parts.push(codex_hooks(&ourselves));
                    job.what = "the MCP server and hooks";
                }
                jobs.push(job);
            }
            _ => jobs.push(server("the MCP server")),
        }
        Ok(jobs)
    }

    /// Returns the changes that remove us.
    pub(super) fn uninstall(
        self,
        scope: Scope,
        settings: &Settings,
        around: &Surroundings,
    ) -> Result<Vec<Job>, Failure> {
        self.check(scope, &Wish::default())?;
        let server = mcp(&self.mcp_table(scope, around), None);
        let file = self.mcp_file(scope, around);
        Ok(match self {
            Self::Claude => vec![
                self.job(claude_settings(scope, around), vec![no_hooks(), rules(&[])], settings, "hooks and rules"),
                self.job(file, vec![server], settings, "the MCP server"),
            ],
            Self::Codex => vec![self.job(file, vec![server, no_hooks()], settings, "the MCP server and hooks")],
            _ => vec![self.job(file, vec![server], settings, "the MCP server")],
        })
    }

    /// Returns the scopes that can have our entries.
    pub(crate) fn scopes(self) -> &'static [Scope] {
        match self {
            Self::Claude => &[Scope::Person, Scope::Project, Scope::Local],
            Self::ClaudeDesktop => &[Scope::Person],
            _ => &[Scope::Person, Scope::Project],
        }
    }

    fn job(self, file: PathBuf, parts: Vec<Part>, settings: &Settings, what: &'static str) -> Job {
        let format = if self == Self::Codex { Format::Toml } else { Format::Json };
        // Claude Code keeps much else in this file, and writes it all the time.
        let locked_by_folder = file.ends_with(".claude.json");
        let receipts = settings.data.join("installed");
        let plain_json = self.reads_plain_json();
        Job { target: Target { file, format, parts, plain_json, locked_by_folder, receipts }, what }
    }

    /// Does it skip a file with comments or trailing commas? Claude Code 2.1.325 does; a byte order mark is fine.
    pub(super) fn reads_plain_json(self) -> bool {
        self == Self::Claude
    }

    pub(super) fn reader(self, scope: Scope) -> Reader {
        match (scope, self) {
            (Scope::Project, _) => Reader::Team,
            (_, Self::Cursor | Self::Vscode | Self::ClaudeDesktop) => Reader::Desktop,
            _ => Reader::Terminal,
        }
    }

    fn shape(self) -> Shape {
        match self {
            Self::Claude | Self::Vscode => Shape::Stdio,
            Self::Opencode => Shape::Local,
            Self::Gemini => Shape::Trusted,
            Self::Codex | Self::Cursor | Self::ClaudeDesktop => Shape::Plain,
        }
    }

    /// Returns the path of keys to the MCP servers.
    fn mcp_table(self, scope: Scope, around: &Surroundings) -> Vec<&str> {
        match (self, scope) {
            // Claude Code keeps the person's own servers for a project in the person's own file.
            (Self::Claude, Scope::Local) => vec!["projects", around.folder.to_str().unwrap_or_default(), "mcpServers"],
            (Self::Codex, _) => vec!["mcp_servers"],
            (Self::Opencode, _) => vec!["mcp"],
            (Self::Vscode, _) => vec!["servers"],
            _ => vec!["mcpServers"],
        }
    }

    pub(super) fn mcp_path(self, scope: Scope, around: &Surroundings) -> Vec<String> {
        self.mcp_table(scope, around).into_iter().map(str::to_owned).collect()
    }

    /// Returns the file with the person's own servers.
    pub(super) fn own_file(self, around: &Surroundings) -> PathBuf {
        self.mcp_file(Scope::Person, around)
    }

    fn mcp_file(self, scope: Scope, around: &Surroundings) -> PathBuf {
        let (home, folder) = (&around.home, &around.folder);
        match (self, scope) {
            (Self::Claude, Scope::Project) => folder.join(".mcp.json"),
            (Self::Claude, _) => around.claude.as_ref().unwrap_or(home).join(".claude.json"),
            (Self::Codex, Scope::Project) => folder.join(".codex/config.toml"),
            (Self::Codex, _) => around.codex.clone().unwrap_or_else(|| home.join(".codex")).join("config.toml"),
            (Self::Opencode, Scope::Project) => whichever(folder),
            (Self::Opencode, _) => {
                around.opencode.clone().unwrap_or_else(|| whichever(&around.config.join("opencode")))
            }
            (Self::Cursor, Scope::Project) => folder.join(".cursor/mcp.json"),
            (Self::Cursor, _) => home.join(".cursor/mcp.json"),
            (Self::Vscode, Scope::Project) => folder.join(".vscode/mcp.json"),
            (Self::Vscode, _) => applications(around).join("Code/User/mcp.json"),
            (Self::Gemini, Scope::Project) => folder.join(".gemini/settings.json"),
            (Self::Gemini, _) => home.join(".gemini/settings.json"),
            (Self::ClaudeDesktop, _) => applications(around).join("Claude/claude_desktop_config.json"),
        }
    }
}

/// Returns the file with Claude Code's hooks.
fn claude_settings(scope: Scope, around: &Surroundings) -> PathBuf {
    match scope {
        Scope::Person => claude_folder(around).join("settings.json"),
        Scope::Project => around.folder.join(".claude/settings.json"),
        Scope::Local => around.folder.join(".claude/settings.local.json"),
    }
}

fn claude_folder(around: &Surroundings) -> PathBuf {
    around.claude.clone().unwrap_or_else(|| around.home.join(".claude"))
}

/// Returns where desktop programs keep their settings.
fn applications(around: &Surroundings) -> PathBuf {
    if cfg!(target_os = "macos") { around.home.join("Library/Application Support") } else { around.config.clone() }
}

/// OpenCode reads either of two names; the existing one is used.
fn whichever(folder: &Path) -> PathBuf {
    let with_comments = folder.join("opencode.jsonc");
    if with_comments.exists() { with_comments } else { folder.join("opencode.json") }
}
