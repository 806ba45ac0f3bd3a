//! The bodies that start and change a session, shared by HTTP and the WebSocket.

use std::time::Duration;

use askbridge_core::event::Settings;
use askbridge_core::ids::Raw;
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::{OtherTools, Wait, Warm, WhileOpen, Wishes};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::doors::http;
use crate::listing::hosted_door;
use crate::wish::Wish;

/// A session to be started. Everything may be left out.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct NewSession {
    /// `claude`: one that we run. Anything else names a program that asks by itself, for people to read. Without it: the
    /// token's name.
    pub agent: Option<String>,
    pub title: Option<String>,
    /// The folder in which it works.
    pub folder: Option<String>,
    /// Another name for `folder`.
    pub cwd: Option<String>,
    pub branch: Option<String>,
    #[schemars(range(min = 0, max = limits::WAIT_MAX.as_secs()))]
    /// How long asks of this session wait, unless they say otherwise. Missing: for ever.
    pub timeout_seconds: Option<f64>,
    #[schemars(range(min = 0, max = limits::UNDO_MAX.as_secs()))]
    /// How long an answer can be taken back before it counts.
    pub undo_seconds: Option<f64>,
    /// What a message does while an ask is open: `hold`, `cancel_turn`, `refuse` or `pass_on`.
    pub messages: Option<MessagesWhileOpen>,
    /// May several asks be open at once?
    pub parallel: Option<bool>,
    #[serde(flatten)]
    pub hosting: Hosting,
}

/// What an agent that we run takes: each reaches its command line, or its terms.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct Hosting {
    pub model: Option<String>,
    pub permission_mode: Option<String>,
    pub system_prompt: Option<String>,
    pub append_system_prompt: Option<String>,
    pub allowed_tools: Option<Vec<String>>,
    pub disallowed_tools: Option<Vec<String>>,
    pub mcp_servers: Option<Map<String, Value>>,
    pub setting_sources: Option<Vec<String>>,
    pub max_turns: Option<u32>,
    /// `false`: no person will be there. As `unattended: "hide"`, unless `unattended` says otherwise.
    pub interactive: Option<bool>,
    /// No person will be there, and what becomes of the agent's questions and permissions where no rule decides: `hide`
    /// (it gets no tool to ask), `deny` (in words), `park` (they wait for a person, without the process), or `answer`
    /// (questions get the recommended option, or else the first; everything else is denied in words).
    pub unattended: Option<UnattendedWord>,
    /// Tools that always go to a person, whatever the mode allows: `Bash`, `mcp__github__*`, `Bash(*git push*)`. Beside
    /// those that the server names.
    pub always_ask: Option<Vec<String>>,
    /// How long the process is kept for an open question. `0`: not at all; `"off"`: as long as it takes.
    pub warm_seconds: Option<Value>,
    /// How long the process is kept for an open permission, then it is denied in words. `"off"`: as long as it takes.
    pub hold_max_seconds: Option<Value>,
    /// What happens when another tool needs a permission: `ask` (the default) or `allow`.
    pub other_tools: Option<String>,
    /// The node that runs it, where several share the journal: its name, its id, or a label that it has. Missing: the node
    /// that may work in the folder.
    pub host: Option<String>,
    /// The step workflow of gobby's that it starts with: of the operator's folder of rules, or of the project's own.
    pub workflow: Option<String>,
}

/// The field of a session's own settings that says how it goes on without a person.
pub const UNATTENDED_FIELD: &str = "unattended";

/// How a session goes on that no person attends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum UnattendedWord {
    Hide,
    Deny,
    Park,
    Answer,
}

impl UnattendedWord {
    pub fn name(self) -> &'static str {
        match self {
            Self::Hide => "hide",
            Self::Deny => "deny",
            Self::Park => "park",
            Self::Answer => "answer",
        }
    }
}

/// What can be changed about a session while it goes on. What is left out stays as it is.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionChanges {
    pub title: Option<String>,
    pub branch: Option<String>,
    pub model: Option<String>,
    pub permission_mode: Option<String>,
}

/// What a message does while an ask is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Messages")]
pub enum MessagesWhileOpen {
    Hold,
    CancelTurn,
    Refuse,
    PassOn,
}

impl From<MessagesWhileOpen> for WhileOpen {
    fn from(messages: MessagesWhileOpen) -> Self {
        match messages {
            MessagesWhileOpen::Hold => Self::Hold,
            MessagesWhileOpen::CancelTurn => Self::CancelTurn,
            MessagesWhileOpen::Refuse => Self::Refuse,
            MessagesWhileOpen::PassOn => Self::PassOn,
        }
    }
}

impl NewSession {
    /// Turns it into a wish, or says what cannot be read.
    pub fn wish(self) -> Result<Wish, Refusal> {
        let seconds = |value: Option<f64>, max: Duration| {
            let span = value.map(Duration::try_from_secs_f64).transpose();
            span.ok().filter(|span| span.is_none_or(|span| span <= max))
        };
        let wait = seconds(self.timeout_seconds, limits::WAIT_MAX);
        let wait = wait.ok_or_else(|| bad("`timeout_seconds` is a number of seconds, at most a year"))?;
        let undo = seconds(self.undo_seconds, limits::UNDO_MAX);
        let undo = undo.ok_or_else(|| bad("`undo_seconds` is a number of seconds, at most 60"))?;
        let messages = self.messages.map(WhileOpen::from);
        let mut settings = Settings {
            title: self.title,
            folder: self.folder.or(self.cwd),
            branch: self.branch,
            wishes: Wishes { wait: wait.map(Wait::For), undo, messages, parallel: self.parallel, ..Wishes::default() },
            ..Settings::default()
        };
        let hosted = self.agent.as_deref().and_then(hosted_door);
        let host = self.hosting.host.clone();
        if hosted.is_none() && host.is_some() {
            return Err(bad("`host` is for an agent that a node runs, like `\"agent\": \"claude\"`"));
        }
        if hosted.is_some() {
            // Clients of other systems cannot always name a folder and get the operator's choice; this client can.
            if settings.folder.is_none() {
                return Err(bad("say in `cwd` in which folder it works"));
            }
            self.hosting.settle(&mut settings)?;
        }
        let door = hosted.unwrap_or(http::NAME);
        Ok(Wish::Start { session: None, door, agent: self.agent, settings: Box::new(settings), host })
    }
}

impl Hosting {
    /// Adds the settings of a hosted agent to its session's; those that only its kind understands go into `more`.
    fn settle(self, settings: &mut Settings) -> Result<(), Refusal> {
        let mut more = Map::new();
        let given = [
            ("system_prompt", self.system_prompt.map(Value::from)),
            ("append_system_prompt", self.append_system_prompt.map(Value::from)),
            ("allowed_tools", self.allowed_tools.map(Value::from)),
            ("disallowed_tools", self.disallowed_tools.map(Value::from)),
            ("mcp_servers", self.mcp_servers.map(Value::from)),
            ("setting_sources", self.setting_sources.map(Value::from)),
            ("max_turns", self.max_turns.map(Value::from)),
            ("interactive", self.interactive.map(Value::from)),
            (UNATTENDED_FIELD, self.unattended.map(|how| Value::from(how.name()))),
            ("always_ask", self.always_ask.map(Value::from)),
            ("workflow", self.workflow.map(Value::from)),
        ];
        more.extend(given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        if let Some(value) = self.hold_max_seconds {
            let held = off_or_seconds(&value).ok_or_else(|| bad("`hold_max_seconds` is a number, or \"off\""))?;
            let held = held.map_or(json!("off"), |span| json!({"seconds": span.as_secs_f64()}));
            more.insert("hold_max".to_owned(), held);
        }
        settings.more = Some(Raw::from(Value::Object(more).to_string()));
        settings.model = self.model;
        settings.mode = self.permission_mode;
        if let Some(value) = self.warm_seconds {
            let span = off_or_seconds(&value).ok_or_else(|| bad("`warm_seconds` is a number, or \"off\""))?;
            settings.wishes.warm = Some(span.map_or(Warm::Hold, Warm::For));
        }
        if self.unattended == Some(UnattendedWord::Park) && settings.wishes.warm.is_none() {
            settings.wishes.warm = Some(Warm::For(Duration::ZERO));
        }
        settings.wishes.other_tools = match self.other_tools.as_deref() {
            None => None,
            Some("ask") => Some(OtherTools::Ask),
            Some("allow") => Some(OtherTools::Allow),
            Some(_) => return Err(bad("`other_tools` is ask or allow")),
        };
        Ok(())
    }
}

impl From<SessionChanges> for Settings {
    fn from(SessionChanges { title, branch, model, permission_mode }: SessionChanges) -> Self {
        Self { title, branch, model, mode: permission_mode, ..Self::default() }
    }
}

/// Reads a number of seconds, or `off`. The outer `None`: it is neither.
fn off_or_seconds(value: &Value) -> Option<Option<Duration>> {
    match value {
        Value::String(word) if word == "off" => Some(None),
        Value::Number(seconds) => Duration::try_from_secs_f64(seconds.as_f64()?).ok().map(Some),
        _ => None,
    }
}

fn bad(why: &str) -> Refusal {
    Refusal::BadRequest(why.to_owned())
}
