//! A list of `Tool(spec)` strings, compiled.

use std::borrow::Cow;
use std::fmt;

use askbridge_core::rules::asks::{Call, Leaning, Need, TextPattern, ToolCondition};

use super::commands::CommandPattern;
use super::hosts::host;
use super::paths::PathPattern;

/// May a rule with these strings say yes? Then they must not be wider than they look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yes {
    May,
    Never,
}

/// The strings of one rule. One of them has to match; of a compound command, each part by one of them.
#[derive(Debug)]
pub struct ToolSpecs(Vec<ToolSpec>);

#[derive(Debug)]
struct ToolSpec {
    written: String,
    tool: TextPattern,
    spec: Spec,
}

#[derive(Debug)]
enum Spec {
    /// Every call of the tool.
    Any,
    Command(CommandPattern),
    /// For reading, or for changing.
    Path {
        pattern: PathPattern,
        tools: &'static [&'static str],
    },
    Domain(TextPattern),
    /// A field of the input.
    Field {
        name: String,
        pattern: TextPattern,
    },
    Skill(CommandPattern),
}

/// Tools that read a file, and tools that change one, with the field that names it.
const READS: &[&str] = &["Read", "Grep", "Glob", "NotebookRead", "LS"];
const CHANGES: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];
/// To be kept from reading a file is to be kept from changing it.
const READS_AND_CHANGES: &[&str] =
    &["Read", "Grep", "Glob", "NotebookRead", "LS", "Edit", "Write", "MultiEdit", "NotebookEdit"];
/// The fields that name a file or a folder.
pub(crate) const PATHS: &[&str] = &["file_path", "notebook_path", "path"];
/// The fields in which a search names files by a pattern, which may lead elsewhere (`/etc/*`).
pub(crate) const PATH_GLOBS: &[&str] = &["pattern", "glob"];

impl ToolSpecs {
    /// Compiles the strings of one rule. `home` is for `~/`. The error says which of them is wrong, and why.
    pub fn read<'t>(
        texts: impl IntoIterator<Item = &'t str>,
        yes: Yes,
        home: Option<&str>,
    ) -> Result<Self, (usize, String)> {
        let read = |(at, text)| ToolSpec::read(text, yes, home).map_err(|why| (at, why));
        texts.into_iter().enumerate().map(read).collect::<Result<_, _>>().map(Self)
    }
}

impl ToolSpec {
    fn read(text: &str, yes: Yes, home: Option<&str>) -> Result<Self, String> {
        let written = text.trim();
        let bad = || format!("`{written}` is not a tool or a rule like Bash, Bash(npm test *) or mcp__github__*");
        let (tool, spec) = match written.split_once('(') {
            None => (written, None),
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or_else(bad)?)),
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*' | '.' | ':');
        if tool.is_empty() || !tool.chars().all(is_name) {
            return Err(bad());
        }
        if yes == Yes::May && tool.contains('*') {
            let server = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map(|(server, _)| server);
            if server.is_none_or(|server| server.is_empty() || server.contains('*')) {
                return Err(format!(
                    "`{written}` would allow tools of any server; name the server, like mcp__github__*"
                ));
            }
        }
        let spec = match spec {
            None | Some("*") => Spec::Any,
            Some(spec) if spec.trim().is_empty() => return Err(bad()),
            Some(spec) => Spec::read(tool, spec, written, yes, home)?,
        };
        Ok(Self { written: written.to_owned(), tool: names(tool), spec })
    }

    /// The tools whose calls this may match, if they are known by name.
    fn tools(&self) -> Option<Vec<&str>> {
        match (&self.spec, &self.tool) {
            (Spec::Path { tools, .. }, _) => Some(tools.to_vec()),
            (_, TextPattern::Exact(tool)) if tool == "Agent" || tool == "Task" => Some(vec!["Agent", "Task"]),
            (_, TextPattern::Exact(tool)) => Some(vec![tool]),
            (_, TextPattern::Stars(_)) => None,
        }
    }

    fn is_for(&self, tool: &str) -> bool {
        self.tools().map_or_else(|| self.tool.matches(tool), |tools| tools.contains(&tool))
    }
}

/// `mcp__github` is every tool of that server.
fn names(tool: &str) -> TextPattern {
    match tool.strip_prefix("mcp__") {
        Some(server) if !server.contains("__") && !server.contains('*') => TextPattern::new(format!("{tool}__*")),
        _ => TextPattern::new(tool),
    }
}

impl Spec {
    fn read(tool: &str, spec: &str, written: &str, yes: Yes, home: Option<&str>) -> Result<Self, String> {
        match (tool, spec.split_once(':')) {
            ("Bash", _) => Ok(Self::Command(CommandPattern::read(spec))),
            ("Read" | "Edit", _) => {
                let tools = match (tool, yes) {
                    ("Edit", _) => CHANGES,
                    (_, Yes::May) => READS,
                    (_, Yes::Never) => READS_AND_CHANGES,
                };
                Ok(Self::Path { pattern: PathPattern::read(spec, yes, home)?, tools })
            }
            ("WebFetch", Some(("domain", domain))) => Ok(Self::Domain(TextPattern::new(domain.to_lowercase()))),
            ("Skill", _) => Ok(Self::Skill(CommandPattern::read(spec))),
            ("Agent" | "Task", None) => {
                Ok(Self::Field { name: "subagent_type".to_owned(), pattern: TextPattern::new(spec) })
            }
            (_, Some((name, value))) if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
                Ok(Self::Field { name: name.to_owned(), pattern: TextPattern::new(value) })
            }
            _ if READS.contains(&tool) => Err(format!("`{written}` would match nothing; write Read({spec})")),
            _ if CHANGES.contains(&tool) => Err(format!("`{written}` would match nothing; write Edit({spec})")),
            _ => Err(format!("`{written}`: write what is in the brackets as name:value, a field of the input")),
        }
    }
}

impl ToolCondition for ToolSpecs {
    fn holds(&self, call: &dyn Call, folder: Option<&str>, leaning: Leaning) -> bool {
        let meant: Vec<_> = self.0.iter().filter(|spec| spec.is_for(call.tool())).collect();
        let alone = |spec: &&&ToolSpec| match &spec.spec {
            Spec::Any => true,
            Spec::Command(_) => false,
            Spec::Path { pattern, .. } => {
                let paths: Vec<_> = PATHS.iter().filter_map(|name| call.field(name)).collect();
                let globs: Vec<_> = searched(call.tool()).iter().filter_map(|name| call.field(name)).collect();
                // A search without a path is one in the session's folder.
                let searches = matches!(call.tool(), "Grep" | "Glob" | "LS") && paths.is_empty();
                let fits = |path: &Cow<'_, str>| pattern.matches(path, folder, leaning);
                match leaning {
                    // Which of several fields the tool uses is not known.
                    Leaning::Every => {
                        !globs.iter().any(|glob| leads_elsewhere(glob))
                            && if searches { pattern.matches(".", folder, leaning) } else { !paths.is_empty() }
                            && paths.iter().all(fits)
                    }
                    Leaning::Any => {
                        paths.iter().chain(&globs).any(fits) || (searches && pattern.matches(".", folder, leaning))
                    }
                }
            }
            Spec::Domain(domain) => {
                call.field("url").and_then(|url| host(&url)).is_some_and(|host| domain.matches(&host))
            }
            Spec::Field { name, pattern } => call.field(name).is_some_and(|value| match leaning {
                Leaning::Every => pattern.allows(&value),
                Leaning::Any => pattern.matches(&value),
            }),
            Spec::Skill(pattern) => call.field("skill").is_some_and(|skill| {
                let args = call.field("args").filter(|args| !args.is_empty());
                pattern.is_like(&args.map_or_else(|| skill.to_string(), |args| format!("{skill} {args}")))
            }),
        };
        let is_dark = leaning == Leaning::Any && !meant.is_empty() && !call.is_readable();
        if is_dark || meant.iter().any(|spec| alone(&spec)) {
            return true;
        }
        let patterns: Vec<_> = meant
            .iter()
            .filter_map(|spec| match &spec.spec {
                Spec::Command(pattern) => Some(pattern),
                _ => None,
            })
            .collect();
        let Some(script) = call.script().filter(|_| !patterns.is_empty()) else { return false };
        match leaning {
            Leaning::Every => {
                // It would run outside of the sandbox that the person may have relied on.
                let escapes = call.field("dangerouslyDisableSandbox").is_some_and(|value| value == "true");
                let fits = |part| patterns.iter().any(|pattern| pattern.allows(part));
                !escapes && script.plain.as_ref().is_some_and(|parts| !parts.is_empty() && parts.iter().all(fits))
            }
            Leaning::Any => {
                let texts = || script.suspects.iter().chain([&script.text]);
                script.is_beyond || patterns.iter().any(|pattern| texts().any(|text| pattern.is_like(text)))
            }
        }
    }

    fn needs(&self) -> Vec<Vec<Need>> {
        let ways = self.0.iter().flat_map(|spec| {
            let needs = spec.spec.needs();
            let named = |tool: &str| Need::Tool(TextPattern::Exact(tool.to_owned()));
            let tools = match spec.tools() {
                // What is needed of the path finds few rules, whatever the tool is.
                Some(tools) if tools.len() > 1 && needs.iter().any(Need::finds_rules) => return vec![needs],
                Some(tools) => tools.into_iter().map(named).collect(),
                None => vec![Need::Tool(spec.tool.clone())],
            };
            tools.into_iter().map(|tool| [vec![tool], needs.clone()].concat()).collect()
        });
        ways.collect()
    }
}

impl Spec {
    /// What every call of the tool has that this holds for.
    fn needs(&self) -> Vec<Need> {
        match self {
            Self::Any => Vec::new(),
            Self::Command(pattern) => pattern.needs(),
            Self::Path { pattern, .. } => pattern.needs().to_vec(),
            Self::Domain(TextPattern::Exact(domain)) => vec![Need::Word(domain.clone())],
            Self::Domain(TextPattern::Stars(domain)) => {
                domain.split('*').map(|part| Need::Text(part.to_owned())).collect()
            }
            Self::Field { name, pattern } => vec![Need::Field(name.clone(), pattern.clone())],
            // The pattern is for the skill and its arguments, which are another field.
            Self::Skill(pattern) => {
                let first =
                    pattern.beginning().and_then(|words| words.split(' ').next().map(|word| format!("{word}*")));
                first.map(|word| Need::Field("skill".to_owned(), TextPattern::new(word))).into_iter().collect()
            }
        }
    }
}

impl fmt::Display for ToolSpecs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<_> = self.0.iter().map(|spec| format!("`{}`", spec.written)).collect();
        f.write_str(&all.join(" or "))
    }
}

/// The fields in which this tool takes a pattern for files. Of a search in texts, `pattern` is for the text.
fn searched(tool: &str) -> &'static [&'static str] {
    match tool {
        "Glob" => PATH_GLOBS,
        "Grep" => &["glob"],
        _ => &[],
    }
}

/// May a pattern for files match some that are not below the folder that is searched?
fn leads_elsewhere(glob: &str) -> bool {
    let glob = glob.trim_start();
    glob.starts_with(['/', '~', '\\']) || glob.contains("..")
}
