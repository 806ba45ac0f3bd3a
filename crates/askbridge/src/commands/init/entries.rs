//! The entries that we write into other programs' settings, and how we recognise them.

use askbridge_bridge::server::mcp::ASK_TOOLS;
use askbridge_edits::{Node, Part};
use serde_json::Value;

use super::ourselves::{Ourselves, calls_us, words};
use crate::commands::hook::events::{self, Reported};

/// The name of our MCP server, everywhere.
pub(super) const NAME: &str = "askbridge";
/// The address for hooks over HTTP.
pub(super) const HTTP_HOOK: &str = "/v1/hook";
/// The variable that holds the token of hooks over HTTP.
pub(super) const TOKEN: &str = "ASKBRIDGE_TOKEN";

/// How a program writes an MCP server that it starts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `command` and `args`.
    Plain,
    /// The same, with `"type": "stdio"`.
    Stdio,
    /// `"type": "local"`, and the command with its arguments as one list.
    Local,
    /// `command` and `args`, and `trust`: its tools run without a permission prompt.
    Trusted,
}

/// How hooks call us.
#[derive(Debug, Clone)]
pub(super) enum HookCall<'a> {
    Command(&'a Ourselves, Reported),
    /// Over HTTP, with the token in an environment variable, or in the settings.
    Http {
        base: &'a str,
        token: Option<&'a str>,
        reported: Reported,
    },
}

impl HookCall<'_> {
    fn reported(&self) -> Reported {
        match self {
            Self::Command(_, reported) | Self::Http { reported, .. } => *reported,
        }
    }
}

/// The hooks of Claude Code.
pub(super) fn claude_hooks(call: &HookCall<'_>) -> Part {
    let group = |entry: &events::Entry| {
        let mut handler = handler(call);
        handler.push(("timeout".to_owned(), Node::Leaf(Value::from(entry.timeout_s))));
        let handlers = ("hooks".to_owned(), Node::Array(vec![Node::Object(handler)]));
        let matcher = entry.matcher.map(|matcher| ("matcher".to_owned(), Node::text(matcher)));
        (entry.event.to_owned(), Node::Object(matcher.into_iter().chain([handlers]).collect()))
    };
    hooks(events::entries(call.reported()).iter().map(group).collect())
}

/// The events that call us from Codex: those that ask a person, and those that end a question. A person has to trust
/// each of them, so there are no more than needed.
const CODEX_EVENTS: [&str; 4] = ["SessionStart", "PermissionRequest", "Stop", "SessionEnd"];

/// The timeout in Codex of hooks that only notify us. Codex allows no more for the last of them, and warns.
const CODEX_WORD_S: u64 = 3;

/// The hooks of Codex.
pub(super) fn codex_hooks(ourselves: &Ourselves) -> Part {
    let group = |entry: &events::Entry| {
        let timeout_s = if entry.matcher.is_some() { entry.timeout_s } else { CODEX_WORD_S };
        let handler = Node::object([
            ("type", Node::text("command")),
            ("command", Node::text(ourselves.shell("hook"))),
            ("timeout", Node::Leaf(Value::from(timeout_s))),
        ]);
        let handlers = ("hooks".to_owned(), Node::Array(vec![handler]));
        // Codex takes a regular expression where Claude Code takes `*`.
        let matcher = entry.matcher.map(|_| ("matcher".to_owned(), Node::text(".*")));
        (entry.event.to_owned(), Node::Object(matcher.into_iter().chain([handlers]).collect()))
    };
    hooks(
        events::entries(Reported::Asks).iter().filter(|entry| CODEX_EVENTS.contains(&entry.event)).map(group).collect(),
    )
}

/// Removes our hooks.
pub(super) fn no_hooks() -> Part {
    hooks(Vec::new())
}

fn hooks(wanted: Vec<(String, Node)>) -> Part {
    Part::Handlers { table: "hooks".to_owned(), wanted, is_ours: is_our_hook }
}

fn handler(call: &HookCall<'_>) -> Vec<(String, Node)> {
    let fields = match call {
        HookCall::Command(ourselves, reported) => {
            let command = match reported {
                Reported::Asks => ourselves.shell("hook"),
                Reported::Everything => format!("{} --rules", ourselves.shell("hook")),
            };
            vec![("type", Node::text("command")), ("command", Node::text(command))]
        }
        HookCall::Http { base, token, .. } => {
            let bearer = format!("Bearer {}", token.map_or_else(|| format!("${TOKEN}"), str::to_owned));
            let mut fields = vec![
                ("type", Node::text("http")),
                ("url", Node::text(format!("{base}{HTTP_HOOK}"))),
                ("headers", Node::object([("Authorization", Node::text(bearer))])),
            ];
            if token.is_none() {
                fields.push(("allowedEnvVars", Node::Array(vec![Node::text(TOKEN)])));
            }
            fields
        }
    };
    fields.into_iter().map(|(name, node)| (name.to_owned(), node)).collect()
}

/// Our entry among a program's MCP servers. `None`: it is removed.
pub(super) fn mcp(table: &[&str], wanted: Option<(Shape, &Ourselves)>) -> Part {
    let list = |words: Vec<String>| Node::Array(words.into_iter().map(Node::text).collect());
    let entry = |(shape, ourselves): (Shape, &Ourselves)| {
        let (program, arguments) = (ourselves.program.clone(), ourselves.arguments("mcp"));
        match shape {
            Shape::Plain => Node::object([("command", Node::text(program)), ("args", list(arguments))]),
            Shape::Trusted => Node::object([
                ("command", Node::text(program)),
                ("args", list(arguments)),
                ("trust", Node::Leaf(Value::Bool(true))),
            ]),
            Shape::Stdio => Node::object([
                ("type", Node::text("stdio")),
                ("command", Node::text(program)),
                ("args", list(arguments)),
            ]),
            Shape::Local => Node::object([
                ("type", Node::text("local")),
                ("command", list([program].into_iter().chain(arguments).collect())),
                ("enabled", Node::Leaf(Value::Bool(true))),
            ]),
        }
    };
    Part::Entry {
        table: table.iter().map(|name| (*name).to_owned()).collect(),
        name: NAME.to_owned(),
        wanted: wanted.map(entry),
        former: &["url", "httpUrl", "headers"],
        is_ours: is_our_server,
    }
}

/// Rules by which Claude Code runs our own tools without a permission prompt. Permission to ask would ask a person
/// twice, and where no person can give permission, nothing could be asked at all. `approve` is not among them: no model
/// calls it.
pub(super) fn rules(tools: &[&str]) -> Part {
    let wanted = tools.iter().map(|tool| format!("{RULE}{tool}")).collect();
    Part::Values { list: vec!["permissions".to_owned(), "allow".to_owned()], wanted, is_ours: is_our_rule }
}

/// The prefix of our tools' names in Claude Code.
const RULE: &str = "mcp__askbridge__";

/// Not ours is a rule that the person wrote for a pattern of tools.
fn is_our_rule(rule: &str) -> bool {
    rule.strip_prefix(RULE).is_some_and(|tool| ASK_TOOLS.contains(&tool))
}

pub(super) fn is_our_hook(handler: &Node) -> bool {
    let text = |name: &str| handler.get(name).and_then(Node::as_str).unwrap_or_default();
    match text("type") {
        "http" => text("url").ends_with(HTTP_HOOK),
        _ => calls_us(&words(text("command")), "hook"),
    }
}

pub(super) fn is_our_server(entry: &Node) -> bool {
    let url = ["url", "httpUrl"].iter().find_map(|name| entry.get(name)?.as_str());
    url.is_some_and(|url| url.trim_end_matches('/').ends_with("/mcp")) || calls_us(&command_line(entry), "mcp")
}

/// Returns the program of an MCP entry and its arguments, from any of the shapes.
pub(super) fn command_line(entry: &Node) -> Vec<String> {
    let texts = |name: &str| match entry.get(name) {
        Some(Node::Array(items)) => items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect(),
        Some(node) => node.as_str().map(str::to_owned).into_iter().collect(),
        None => Vec::new(),
    };
    [texts("command"), texts("args")].concat()
}
