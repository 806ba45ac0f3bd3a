//! Turns a session's settings into the command line of Claude Code.

use askbridge_core::event::Settings;
use askbridge_core::ids::Raw;
use askbridge_peers::doors::claude::{AlwaysAsk, MCP_SERVER, MCP_TOOL};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::Duration;

const MODES: &[&str] = &["default", "acceptEdits", "plan", "auto", "bypassPermissions", "dontAsk"];
const SOURCES: &[&str] = &["user", "project", "local"];

/// Settings of a session that only Claude Code understands. Stored as they came.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Launch {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append_system_prompt: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disallowed_tools: Vec<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub mcp_servers: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting_sources: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// May the agent ask questions? Without a person to answer, the tool is better not offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interactive: Option<bool>,
    /// How the session goes on without a person: `hide`, `deny`, `park` or `answer`. Only `hide` offers no question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unattended: Option<String>,
    /// Are answers to questions repeated in the hook's response, beside the result of the call?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers_beside: Option<bool>,
    /// Does each message get a turn of its own?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_message_a_turn: Option<bool>,
    /// Tools that always go to a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub always_ask: Vec<String>,
    /// How long a process is kept for an open permission. `None`: as the server is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_max: Option<HoldLimit>,
    /// The system whose page started the session: `gobby`. Rules of gobby's ask where a session comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// The step workflow that the session starts with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Claude Code's name for the conversation, if it is an earlier session's that this one continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
}

/// How long a process is kept for an open permission.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldLimit {
    /// Without limit.
    Off,
    Seconds(f64),
}

/// Why a session cannot be started like this.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("`permission_mode` must be one of {}, not `{given}`", MODES.join(", "))]
    Mode { given: String },
    #[error("`setting_sources` are among {}; `{given}` is not", SOURCES.join(", "))]
    Source { given: String },
    #[error("give either `system_prompt` or `append_system_prompt`, not both")]
    TwoPrompts,
    #[error("`mcp_servers` may not name a server `{MCP_SERVER}`: that one is ours")]
    OurServer,
    #[error("`max_turns` has to be at least 1")]
    NoTurns,
    #[error("`always_ask`: {0}")]
    NoTool(String),
    #[error(
        "Claude Code refuses `bypassPermissions` as root; run askbridge as another user, choose another \
         `permission_mode`, or, in a container that you can afford to lose, set IS_SANDBOX=1 and \
         ASKBRIDGE_AGENT_ENV=IS_SANDBOX"
    )]
    RootBypass,
}

impl Launch {
    pub(crate) fn of(settings: &Settings) -> Self {
        let read = settings.more.as_ref().and_then(|more| serde_json::from_str(more.as_str()).ok());
        read.unwrap_or_default()
    }

    /// Returns this as stored with the session.
    pub fn kept(&self) -> Raw {
        Raw::from(serde_json::to_string(self).expect("a launch has text keys"))
    }

    pub(super) fn is_interactive(&self) -> bool {
        match self.unattended.as_deref() {
            Some(how) => how != "hide",
            None => self.interactive != Some(false),
        }
    }

    /// Parses which tools always go to a person.
    pub(super) fn always(&self) -> Result<AlwaysAsk, String> {
        AlwaysAsk::read(self.always_ask.iter().map(String::as_str))
    }

    /// Returns how long a permission is held; `otherwise` if the session does not say.
    pub(super) fn hold_max(&self, otherwise: Option<Duration>) -> Option<Duration> {
        match self.hold_max {
            None => otherwise,
            Some(HoldLimit::Off) => None,
            Some(HoldLimit::Seconds(seconds)) => Duration::try_from_secs_f64(seconds).ok(),
        }
    }

    /// Checks what Claude Code would refuse at its start, where no person would see it.
    pub fn check(&self, mode: Option<&str>, is_root: bool) -> Result<(), LaunchError> {
        if let Some(mode) = mode.filter(|mode| !MODES.contains(mode)) {
            return Err(LaunchError::Mode { given: mode.to_owned() });
        }
        let mut sources = self.setting_sources.iter().flatten();
        if let Some(source) = sources.find(|source| !SOURCES.contains(&source.as_str())) {
            return Err(LaunchError::Source { given: source.clone() });
        }
        if self.system_prompt.is_some() && self.append_system_prompt.is_some() {
            return Err(LaunchError::TwoPrompts);
        }
        if self.mcp_servers.contains_key(MCP_SERVER) {
            return Err(LaunchError::OurServer);
        }
        self.always().map_err(LaunchError::NoTool)?;
        if self.max_turns == Some(0) {
            return Err(LaunchError::NoTurns);
        }
        if mode == Some("bypassPermissions") && is_root {
            return Err(LaunchError::RootBypass);
        }
        Ok(())
    }
}

/// How a process begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    New,
    /// `waits`: it is told to wait for our hooks before it goes on.
    Resume {
        waits: bool,
    },
}

/// Returns the arguments, without the program, for the conversation of that name.
pub(super) fn argv(conversation: &str, settings: &Settings, beginning: Beginning) -> Vec<String> {
    let launch = Launch::of(settings);
    let mut argv: Vec<String> = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"]
        .into_iter()
        .chain(["--permission-prompt-tool", "stdio", "--include-partial-messages"])
        .map(str::to_owned)
        .collect();
    // With `=`, so that a value that begins with a dash is not taken for a flag.
    let mut add = |name: &str, value: &str| argv.push(format!("--{name}={value}"));
    match beginning {
        Beginning::New => add("session-id", conversation),
        Beginning::Resume { .. } => add("resume", conversation),
    }
    let options = [
        ("model", &settings.model),
        ("permission-mode", &settings.mode),
        ("system-prompt", &launch.system_prompt),
        ("append-system-prompt", &launch.append_system_prompt),
    ];
    for (name, value) in options {
        if let Some(value) = value {
            add(name, value);
        }
    }
    let mut allowed = launch.allowed_tools.clone();
    let mut disallowed = launch.disallowed_tools.clone();
    let mut servers = launch.mcp_servers.clone();
    if launch.is_interactive() {
        allowed.push(MCP_TOOL.to_owned());
        servers.insert(MCP_SERVER.to_owned(), json!({"type": "sdk", "name": MCP_SERVER}));
    } else {
        disallowed.push("AskUserQuestion".to_owned());
    }
    if !allowed.is_empty() {
        add("allowedTools", &allowed.join(","));
    }
    if !disallowed.is_empty() {
        add("disallowedTools", &disallowed.join(","));
    }
    if !servers.is_empty() {
        add("mcp-config", &json!({"mcpServers": servers}).to_string());
    }
    if let Some(sources) = &launch.setting_sources {
        add("setting-sources", &sources.join(","));
    }
    if let Some(turns) = launch.max_turns {
        add("max-turns", &turns.to_string());
    }
    if beginning == (Beginning::Resume { waits: true }) {
        argv.push("--await-initialize".to_owned());
    }
    argv
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONVERSATION: &str = "01234567-89ab-4def-8123-456789abcdef";

    #[test]
    fn everything_that_can_be_set_reaches_the_command_line() {
        let launch = Launch {
            append_system_prompt: Some("- be brief".to_owned()),
            allowed_tools: vec!["Read".to_owned(), "Bash(npm test *)".to_owned()],
            disallowed_tools: vec!["WebFetch".to_owned()],
            mcp_servers: [("db".to_owned(), json!({"command": "db-mcp"}))].into_iter().collect(),
            setting_sources: Some(vec!["user".to_owned(), "project".to_owned()]),
            max_turns: Some(7),
            ..Launch::default()
        };
        let settings = Settings {
            model: Some("opus".to_owned()),
            mode: Some("plan".to_owned()),
            more: Some(launch.kept()),
            ..Settings::default()
        };
        assert_eq!(
            argv(CONVERSATION, &settings, Beginning::New),
            [
                "--output-format",
                "stream-json",
                "--verbose",
                "--input-format",
                "stream-json",
                "--permission-prompt-tool",
                "stdio",
                "--include-partial-messages",
                "--session-id=01234567-89ab-4def-8123-456789abcdef",
                "--model=opus",
                "--permission-mode=plan",
                "--append-system-prompt=- be brief",
                "--allowedTools=Read,Bash(npm test *),mcp__askbridge__ask_user",
                "--disallowedTools=WebFetch",
                r#"--mcp-config={"mcpServers":{"askbridge":{"name":"askbridge","type":"sdk"},"db":{"command":"db-mcp"}}}"#,
                "--setting-sources=user,project",
                "--max-turns=7",
            ]
        );
    }

    #[test]
    fn an_unattended_session_is_offered_to_ask_unless_that_is_hidden() {
        let offers = |interactive: Option<bool>, unattended: Option<&str>| {
            Launch { interactive, unattended: unattended.map(str::to_owned), ..Launch::default() }.is_interactive()
        };
        assert!(offers(None, None) && offers(Some(true), None) && !offers(Some(false), None));
        for how in ["deny", "park", "answer"] {
            assert!(offers(None, Some(how)) && offers(Some(false), Some(how)), "{how}");
        }
        assert!(!offers(None, Some("hide")) && !offers(Some(true), Some("hide")));
    }

    #[test]
    fn an_agent_that_runs_alone_is_not_offered_to_ask_and_a_resume_may_wait_for_its_hooks() {
        let launch = Launch { interactive: Some(false), system_prompt: Some("x".to_owned()), ..Launch::default() };
        let settings = Settings { more: Some(launch.kept()), ..Settings::default() };
        let argv = argv(CONVERSATION, &settings, Beginning::Resume { waits: true });
        assert_eq!(
            argv[8..],
            [
                "--resume=01234567-89ab-4def-8123-456789abcdef",
                "--system-prompt=x",
                "--disallowedTools=AskUserQuestion",
                "--await-initialize",
            ]
        );
    }

    #[test]
    fn what_claude_code_would_refuse_is_refused_before() {
        let launch = Launch::default();
        assert!(launch.check(Some("plan"), true).is_ok());
        assert!(matches!(launch.check(Some("yolo"), false), Err(LaunchError::Mode { .. })));
        assert!(matches!(launch.check(Some("bypassPermissions"), true), Err(LaunchError::RootBypass)));
        assert!(launch.check(Some("bypassPermissions"), false).is_ok());
        let ours = Launch { mcp_servers: [(MCP_SERVER.to_owned(), json!({}))].into_iter().collect(), ..launch };
        assert!(matches!(ours.check(None, false), Err(LaunchError::OurServer)));
        let odd = Launch { always_ask: vec!["Bash(".to_owned()], ..Launch::default() };
        assert!(matches!(odd.check(None, false), Err(LaunchError::NoTool(_))));
    }
}
