//! The targets, each a function of bytes.

mod claude;
mod config;
mod dialects;
mod edits;
mod heads;
mod machines;
mod mcp;
mod texts;

/// Something that takes bytes from outside.
#[derive(Clone, Copy)]
pub struct Target {
    /// Also the name of its corpus.
    pub name: &'static str,
    pub run: fn(&[u8]),
}

pub const TARGETS: &[Target] = &[
    Target { name: "native", run: machines::native },
    Target { name: "claude", run: claude::claude },
    Target { name: "dialects", run: dialects::dialects },
    Target { name: "mcp", run: mcp::mcp },
    Target { name: "doubles", run: machines::doubles },
    Target { name: "http_ask", run: texts::http_ask },
    Target { name: "hook", run: texts::hook },
    Target { name: "wild", run: texts::wild_ask },
    Target { name: "reply", run: texts::reply },
    Target { name: "record", run: texts::record },
    Target { name: "cursor", run: texts::cursor },
    Target { name: "ids", run: texts::ids },
    Target { name: "heads", run: heads::heads },
    Target { name: "config", run: config::config },
    Target { name: "edits", run: edits::edits },
];
