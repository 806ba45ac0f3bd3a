//! Every setting there is: one row each. The file, the environment, the flags, `askbridge config show` and
//! `docs/reference/config.md` all follow this table.
//!
//! A new setting is a new row. A name with a point lives in a section.

use askbridge_core::limits;

use super::kind::Kind;
use super::nearest::nearest;

/// One setting.
#[derive(Debug)]
pub struct Key {
    /// As in the file; `log.level` is `level` in the section `[log]`.
    pub name: &'static str,
    pub env: &'static str,
    /// Without its dashes. `None`: not on a command line.
    pub flag: Option<&'static str>,
    pub kind: Kind,
    /// What holds unless somebody says otherwise; in words where it depends on the machine.
    pub default: &'static str,
    pub whose: Whose,
    pub doc: &'static str,
}

/// Who looks at a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The server, and every command that speaks to it.
    Everyone,
    /// The server alone.
    Server,
    /// Commands that speak to a server, also from the file.
    Commands,
    /// Commands alone, and never from a file.
    Caller,
}

pub(crate) const KEYS: &[Key] = &[
    Key {
        name: "listen",
        env: "ASKBRIDGE_LISTEN",
        flag: Some("listen"),
        kind: Kind::Address,
        default: "127.0.0.1:4760",
        whose: Whose::Everyone,
        doc: "Address to serve on, and to reach with a token",
    },
    Key {
        name: "data",
        env: "ASKBRIDGE_DATA",
        flag: Some("data"),
        kind: Kind::Folder,
        default: "$XDG_DATA_HOME/askbridge, or ~/.local/share/askbridge",
        whose: Whose::Everyone,
        doc: "Folder of the journal, the token file and the local socket",
    },
    Key {
        name: "retention",
        env: "ASKBRIDGE_RETENTION",
        flag: Some("retention"),
        kind: Kind::Span { or: "keep", max: limits::RETENTION_MAX },
        default: "keep",
        whose: Whose::Server,
        doc: "How long a conversation is kept after something last happened in it, like `90d`; then it is forgotten whole, unless something in it is unfinished; keep: for ever",
    },
    Key {
        name: "retention_size",
        env: "ASKBRIDGE_RETENTION_SIZE",
        flag: Some("retention-size"),
        kind: Kind::Bytes { or: "keep" },
        default: "keep",
        whose: Whose::Server,
        doc: "How much the journal and its index may hold, like `2GB`; beyond it, the oldest conversations are forgotten whole, never one of the last day or with something unfinished; keep: as much as there is",
    },
    Key {
        name: "user",
        env: "ASKBRIDGE_USER",
        flag: Some("user"),
        kind: Kind::Text,
        default: "$USER, or me",
        whose: Whose::Server,
        doc: "Name that people read for whoever answers at a terminal of this machine",
    },
    Key {
        name: "token",
        env: "ASKBRIDGE_TOKEN",
        flag: None,
        kind: Kind::Secret,
        default: "none: commands use the local socket",
        whose: Whose::Caller,
        doc: "A token to speak with, over TCP; several commands also take `--token`",
    },
    Key {
        name: "url",
        env: "ASKBRIDGE_URL",
        flag: Some("url"),
        kind: Kind::Url,
        default: "",
        whose: Whose::Commands,
        doc: "Server that `ask`, `wait`, `inbox`, `answer`, `mcp` and `hook` speak to, with a token, instead of the one on this machine",
    },
    Key {
        name: "authorities",
        env: "ASKBRIDGE_AUTHORITIES",
        flag: Some("authorities"),
        kind: Kind::File,
        default: "",
        whose: Whose::Commands,
        doc: "A PEM file with certificates of authorities that commands believe beside those of the machine, for a `url` with https",
    },
    Key {
        name: "public_url",
        env: "ASKBRIDGE_PUBLIC_URL",
        flag: Some("public-url"),
        kind: Kind::Url,
        default: "",
        whose: Whose::Server,
        doc: "Where people reach the server from outside, for links; its name need not be in `allowed_hosts`. With it, no address counts as this machine",
    },
    Key {
        name: "allowed_hosts",
        env: "ASKBRIDGE_ALLOWED_HOSTS",
        flag: Some("allowed-hosts"),
        kind: Kind::Hosts,
        default: "",
        whose: Whose::Server,
        doc: "Names under which a proxy passes requests on to the server, like `ask.example.org`. With one, no address counts as this machine",
    },
    Key {
        name: "allowed_origins",
        env: "ASKBRIDGE_ALLOWED_ORIGINS",
        flag: Some("allowed-origins"),
        kind: Kind::Origins,
        default: "",
        whose: Whose::Server,
        doc: "Other sites whose pages may talk to the server, like `https://desk.example.org`",
    },
    Key {
        name: "limits.requests",
        env: "ASKBRIDGE_LIMITS_REQUESTS",
        flag: Some("limits-requests"),
        kind: Kind::Count { max: 1_000_000 },
        default: "10000",
        whose: Whose::Server,
        doc: "How many requests one token may make in a second; after a quiet time, twice as many at once",
    },
    Key {
        name: "limits.failures",
        env: "ASKBRIDGE_LIMITS_FAILURES",
        flag: Some("limits-failures"),
        kind: Kind::Count { max: 1_000_000 },
        default: "20",
        whose: Whose::Server,
        doc: "How many wrong tokens and pairing links one address may try in a minute; behind a proxy, everybody is one address",
    },
    Key {
        name: "claude",
        env: "ASKBRIDGE_CLAUDE",
        flag: Some("claude"),
        kind: Kind::Folder,
        default: "",
        whose: Whose::Server,
        doc: "The Claude Code program; without it, `claude` on PATH",
    },
    Key {
        name: "roots",
        env: "ASKBRIDGE_ROOTS",
        flag: Some("roots"),
        kind: Kind::Folder,
        default: "",
        whose: Whose::Server,
        doc: "Folders in which agents may work, with colons between; without it, the home folder and the one in which the server was started",
    },
    Key {
        name: "agents.warm",
        env: "ASKBRIDGE_WARM",
        flag: Some("agents-warm"),
        kind: Kind::Span { or: "off", max: limits::WAIT_MAX },
        default: "10m",
        whose: Whose::Server,
        doc: "How long an agent's process is kept for an open question before it is parked; 0 parks at once, off never",
    },
    Key {
        name: "agents.hold_max",
        env: "ASKBRIDGE_HOLD_MAX",
        flag: Some("agents-hold-max"),
        kind: Kind::Span { or: "off", max: limits::WAIT_MAX },
        default: "off",
        whose: Whose::Server,
        doc: "How long an agent's process is kept for an open permission before it is denied, in words; off: as long as it takes",
    },
    Key {
        name: "agents.always_ask",
        env: "ASKBRIDGE_ALWAYS_ASK",
        flag: Some("agents-always-ask"),
        kind: Kind::Tools,
        default: "",
        whose: Whose::Server,
        doc: "Tools that always go to a person, whatever an agent's mode allows, like `Bash` or `mcp__github__*`; sessions may name more",
    },
    Key {
        name: "agents.memory",
        env: "ASKBRIDGE_AGENTS_MEMORY",
        flag: Some("agents-memory"),
        kind: Kind::Bytes { or: "off" },
        default: "off",
        whose: Whose::Server,
        doc: "How much memory one agent may take, with everything it started; beyond it, it is stopped between turns, and at once if it takes twice as much",
    },
    Key {
        name: "agents.idle",
        env: "ASKBRIDGE_IDLE",
        flag: Some("agents-idle"),
        kind: Kind::Span { or: "0", max: limits::WAIT_MAX },
        default: "30m",
        whose: Whose::Server,
        doc: "How long an agent with nothing to do is kept before its process sleeps",
    },
    Key {
        name: "agents.max",
        env: "ASKBRIDGE_AGENTS_MAX",
        flag: Some("agents-max"),
        kind: Kind::Count { max: 255 },
        default: "16",
        whose: Whose::Server,
        doc: "How many agents run at the same time; more wait for a place",
    },
    Key {
        name: "agents.env",
        env: "ASKBRIDGE_AGENT_ENV",
        flag: Some("agents-env"),
        kind: Kind::Text,
        default: "",
        whose: Whose::Server,
        doc: "Variables that agents find in their environment beside the usual, with commas between",
    },
    Key {
        name: "hooks.accept",
        env: "ASKBRIDGE_HOOKS_ACCEPT",
        flag: None,
        kind: Kind::Span { or: "0", max: limits::HOOK_ACCEPT_MAX },
        default: "300ms",
        whose: Whose::Everyone,
        doc: "How long the hook of an agent in a terminal waits for the server to take what it brings; beyond it, it says nothing and the terminal goes on alone; 0: hooks are off",
    },
    Key {
        name: "hooks.park",
        env: "ASKBRIDGE_HOOKS_PARK",
        flag: Some("hooks-park"),
        kind: Kind::Span { or: "off", max: limits::WAIT_MAX },
        default: "off",
        whose: Whose::Server,
        doc: "How long a run of your own without a terminal (`claude -p` with a prompt tool) is kept for an open question before it is parked, to be taken up with `askbridge resume`; off: never",
    },
    Key {
        name: "hooks.headless",
        env: "ASKBRIDGE_HOOKS_HEADLESS",
        flag: Some("hooks-headless"),
        kind: Kind::Span { or: "never", max: limits::WAIT_MAX },
        default: "1m",
        whose: Whose::Server,
        doc: "How long a run of your own waits for a person that has neither a terminal nor a prompt tool (plain `claude -p`); beyond it, the call is denied in words; never: as long as `terms.timeout` says",
    },
    Key {
        name: "hooks.away_after",
        env: "ASKBRIDGE_HOOKS_AWAY_AFTER",
        flag: Some("hooks-away-after"),
        kind: Kind::Span { or: "0", max: limits::WAIT_MAX },
        default: "5m",
        whose: Whose::Server,
        doc: "How long nobody has to type at any terminal of this machine before you count as away, with `askbridge away auto`",
    },
    Key {
        name: "dialects.speak",
        env: "ASKBRIDGE_DIALECTS",
        flag: Some("dialect"),
        kind: Kind::Dialects,
        default: "",
        whose: Whose::Server,
        doc: "Speak the language of another system, on its own addresses; with `=ADDRESS` on a port of its own, like `prime=127.0.0.1:8000`",
    },
    Key {
        name: "dialects.folder",
        env: "ASKBRIDGE_DIALECTS_FOLDER",
        flag: Some("dialects-folder"),
        kind: Kind::Folder,
        default: "the folder in which the server was started",
        whose: Whose::Server,
        doc: "Where agents work that clients of other systems start, if those do not say it",
    },
    Key {
        name: "dialects.insecure_loopback",
        env: "ASKBRIDGE_DIALECTS_INSECURE_LOOPBACK",
        flag: Some("insecure-loopback"),
        kind: Kind::YesNo,
        default: "false",
        whose: Whose::Server,
        doc: "Let clients of other systems in without a token if they come from this machine; every program on it, agents too, may then decide as you",
    },
    Key {
        name: "dialects.empty_dismissals",
        env: "ASKBRIDGE_DIALECTS_EMPTY_DISMISSALS",
        flag: Some("dialects-empty-dismissals"),
        kind: Kind::YesNo,
        default: "false",
        whose: Whose::Server,
        doc: "Answer whimmy's plugin with `{}` when a question was dismissed, as its guide suggests, instead of with words; its agents take that for an answer",
    },
    Key {
        name: "dialects.whimmy_approvals",
        env: "ASKBRIDGE_DIALECTS_WHIMMY_APPROVALS",
        flag: Some("dialects-whimmy-approvals"),
        kind: Kind::YesNo,
        default: "false",
        whose: Whose::Server,
        doc: "Tell whimmy's plugin that its agents ask a person before each use of a tool",
    },
    Key {
        name: "outbound.private",
        env: "ASKBRIDGE_OUTBOUND_PRIVATE",
        flag: Some("outbound-private"),
        kind: Kind::Ranges,
        default: "",
        whose: Whose::Server,
        doc: "Private addresses that the server may call, for pushes to a relay of your own, like `10.0.0.7` or `10.0.0.0/8`",
    },
    Key {
        name: "outbound.authorities",
        env: "ASKBRIDGE_OUTBOUND_AUTHORITIES",
        flag: Some("outbound-authorities"),
        kind: Kind::File,
        default: "",
        whose: Whose::Server,
        doc: "A PEM file with certificates of authorities that are believed beside those of the machine, when the server calls somebody",
    },
    Key {
        name: "mcp.wait",
        env: "ASKBRIDGE_MCP_WAIT",
        flag: Some("mcp-wait"),
        kind: Kind::Waits,
        default: "",
        whose: Whose::Server,
        doc: "How long a call of an MCP client is held before it gets a ticket; with a name for clients that are called so, like `codex=4m`. Without it, as long as each client is known to wait",
    },
    Key {
        name: "log.level",
        env: "ASKBRIDGE_LOG",
        flag: Some("log-level"),
        kind: Kind::Level,
        default: "info",
        whose: Whose::Server,
        doc: "How much the server logs, on stderr: error, warn, info, debug",
    },
    Key {
        name: "log.format",
        env: "ASKBRIDGE_LOG_FORMAT",
        flag: Some("log-format"),
        kind: Kind::OneOf(&["text", "json"]),
        default: "text",
        whose: Whose::Server,
        doc: "text: lines for people to read; json: one JSON object on each line, for programs",
    },
    Key {
        name: "otel.endpoint",
        env: "ASKBRIDGE_OTEL_ENDPOINT",
        flag: Some("otel-endpoint"),
        kind: Kind::Collector,
        default: "$OTEL_EXPORTER_OTLP_ENDPOINT where that speaks http, or none",
        whose: Whose::Server,
        doc: "OpenTelemetry collector that gets traces, as OTLP over plain http; none: nothing is traced",
    },
    Key {
        name: "terms.timeout",
        env: "ASKBRIDGE_TERMS_TIMEOUT",
        flag: Some("terms-timeout"),
        kind: Kind::Span { or: "never", max: limits::WAIT_MAX },
        default: "never",
        whose: Whose::Server,
        doc: "How long an ask waits for a person",
    },
    Key {
        name: "terms.on_expiry",
        env: "ASKBRIDGE_TERMS_ON_EXPIRY",
        flag: Some("terms-on-expiry"),
        kind: Kind::OneOf(&["tell", "stop"]),
        default: "tell",
        whose: Whose::Server,
        doc: "When nobody came: tell the agent, or tell it and stop its turn",
    },
    Key {
        name: "terms.on_dismissal",
        env: "ASKBRIDGE_TERMS_ON_DISMISSAL",
        flag: Some("terms-on-dismissal"),
        kind: Kind::OneOf(&["tell", "stop"]),
        default: "tell",
        whose: Whose::Server,
        doc: "When a person closed the ask: tell the agent, or tell it and stop its turn",
    },
    Key {
        name: "terms.undo",
        env: "ASKBRIDGE_TERMS_UNDO",
        flag: Some("terms-undo"),
        kind: Kind::Span { or: "none", max: limits::UNDO_MAX },
        default: "none",
        whose: Whose::Server,
        doc: "How long an answer can be taken back before it counts",
    },
    Key {
        name: "terms.quorum",
        env: "ASKBRIDGE_TERMS_QUORUM",
        flag: Some("terms-quorum"),
        kind: Kind::Count { max: limits::QUORUM_MAX as u32 },
        default: "1",
        whose: Whose::Server,
        doc: "How many people have to say the same",
    },
    Key {
        name: "terms.messages",
        env: "ASKBRIDGE_TERMS_MESSAGES",
        flag: Some("terms-messages"),
        kind: Kind::OneOf(&["hold", "cancel_turn", "refuse", "pass_on"]),
        default: "hold",
        whose: Whose::Server,
        doc: "What a chat message does while an ask is open",
    },
    Key {
        name: "terms.parallel",
        env: "ASKBRIDGE_TERMS_PARALLEL",
        flag: Some("terms-parallel"),
        kind: Kind::YesNo,
        default: "true",
        whose: Whose::Server,
        doc: "Whether a session may have several asks open at once",
    },
];

/// One condition of a rule.
#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
}

/// What a `[[rules]]` entry may say beside the terms, whose names it shares with `[terms]`.
pub(crate) const CONDITIONS: &[Condition] = &[
    Condition { name: "name", doc: "What to call the rule. Every rule needs one" },
    Condition { name: "door", doc: "The ask came through this door: `http`" },
    Condition { name: "agent", doc: "The agent that asks is called this" },
    Condition { name: "folder", doc: "The session works in this folder, or below it" },
    Condition { name: "header", doc: "The first question has this header" },
    Condition { name: "asks_about", doc: "The headline contains these words, in any case" },
];

/// Returns the key with this name.
pub(crate) fn key(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Returns the term of a rule with this name.
pub(crate) fn term(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name.strip_prefix("terms.") == Some(name))
}

/// Returns the variable that was probably meant; `None` if this is one, or is like none.
pub fn misspelt(variable: &str) -> Option<String> {
    let names = || KEYS.iter().map(|key| key.env).chain(["ASKBRIDGE_CONFIG"]);
    if names().any(|name| name == variable) {
        return None;
    }
    let short = |name: &str| name.trim_start_matches("ASKBRIDGE_").to_lowercase();
    let known: Vec<_> = names().map(short).collect();
    let meant = nearest(&short(variable), known.iter().map(String::as_str))?;
    Some(format!("ASKBRIDGE_{}", meant.to_uppercase()))
}

/// Is this the name of a section?
pub(crate) fn is_section(name: &str) -> bool {
    KEYS.iter().any(|key| key.name.split_once('.').is_some_and(|(section, _)| section == name))
}
