//! The targets, each a function of bytes.

mod claude;
mod config;
mod dialects;
mod edits;
mod heads;
mod machines;
mod mcp;
mod rules;
mod texts;
mod tool_specs;
mod workflows;

/// A function that takes bytes from outside.
#[derive(Clone, Copy)]
pub struct Target {
    /// Also the name of its corpus folder.
    pub name: &'static str,
    /// Folders of other crates with more inputs, so that none is stored twice.
    pub also: &'static [&'static str],
    pub run: fn(&[u8]),
}

/// Recorded conversations with the real Claude Code.
const RECORDED: &[&str] = &["testkit/fixtures/claude/2.1.325", "testkit/fixtures/claude/2.1.197"];

pub const TARGETS: &[Target] = &[
    Target { name: "native", also: &[], run: machines::native },
    Target { name: "claude", also: RECORDED, run: claude::claude },
    Target { name: "dialects", also: &[], run: dialects::dialects },
    Target { name: "mcp", also: &[], run: mcp::mcp },
    Target { name: "http_ask", also: &[], run: texts::http_ask },
    Target { name: "hook", also: &[], run: texts::hook },
    Target { name: "wild", also: &[], run: texts::wild_ask },
    Target { name: "reply", also: &[], run: texts::reply },
    Target { name: "record", also: &[], run: texts::record },
    Target { name: "cursor", also: &[], run: texts::cursor },
    Target { name: "ids", also: &[], run: texts::ids },
    Target { name: "heads", also: &[], run: heads::heads },
    Target { name: "config", also: &[], run: config::config },
    Target { name: "edits", also: &[], run: edits::edits },
    Target { name: "rules", also: &[], run: rules::rules },
    Target { name: "tool_specs", also: &[], run: tool_specs::tool_specs },
    Target { name: "gobby_file", also: &[], run: workflows::gobby_file },
    Target { name: "gobby_yaml", also: &["fuzz/corpus/gobby_file"], run: workflows::gobby_yaml },
    Target { name: "gobby_pattern", also: &[], run: workflows::gobby_pattern },
    Target { name: "gobby_state", also: &[], run: workflows::gobby_state },
    Target { name: "gobby_condition", also: &[], run: workflows::gobby_condition },
    Target { name: "gobby_template", also: &[], run: workflows::gobby_template },
];
