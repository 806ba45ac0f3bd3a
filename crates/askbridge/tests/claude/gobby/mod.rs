//! gobby's rules drive the real Claude Code: what they block, what the agent reads, and what survives.

mod cases;
mod files;
mod surviving;
mod terminal;

use std::fs;
use std::path::{Path, PathBuf};

use askbridge_scripted::model::{Piece, Script, tool};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::house::{House, Talk};

const FIRST: &str = "0.2.18";
const SECOND: &str = "0.4.6";

/// gobby's files of a version, as its wheel has them.
#[track_caller]
fn wheel(version: &str) -> PathBuf {
    let tools = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/gobby")).join(version);
    #[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
    let folder = std::env::var_os("ASKBRIDGE_TEST_GOBBY").map_or(tools, |folder| PathBuf::from(folder).join(version));
    assert!(folder.is_dir(), "there is no gobby {version} at {}; run `cargo xtask install`", folder.display());
    folder
}

/// A folder of rules, and a house that is driven by them.
struct Ruled {
    folder: TempDir,
    house: House,
}

impl Ruled {
    fn open(script: Script, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            write(folder.path(), file, text);
        }
        let house = House::open_with(script, &[("ASKBRIDGE_GOBBY_RULES", folder.path().to_str().unwrap())]);
        Self { folder, house }
    }

    /// With all files of a version of gobby.
    fn with_wheel(script: Script, version: &str) -> House {
        let folder = wheel(version);
        House::open_with(script, &[("ASKBRIDGE_GOBBY_RULES", folder.to_str().unwrap())])
    }
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A session with gobby's proxy as an MCP server.
fn with_proxy(house: &House, more: Value) -> Talk<'_> {
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/claude/gobby_server.py");
    let servers = json!({"gobby": {"type": "stdio", "command": "python3", "args": [server]}});
    let allowed = [
        "mcp__gobby__call_tool",
        "mcp__gobby__list_tools",
        "mcp__gobby__get_tool_schema",
        "mcp__gobby__list_mcp_servers",
        "Bash",
        "Edit",
        "Write",
        "Read",
    ];
    let mut wish = json!({"mcp_servers": servers, "allowed_tools": allowed});
    wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    house.session(wish)
}

fn proxied(id: &str, server: &str, name: &str, arguments: Value) -> Piece {
    tool(id, "mcp__gobby__call_tool", json!({"server_name": server, "tool_name": name, "arguments": arguments}))
}

fn bash(id: &str, command: &str) -> Piece {
    tool(id, "Bash", json!({"command": command, "description": "d"}))
}

/// How often the model has read this so far in its conversation.
fn read(house: &House, words: &str) -> usize {
    let heard = house.model.heard();
    let talked = heard.iter().rev().find(|heard| !heard.tool_names().is_empty()).unwrap();
    talked.messages().iter().map(|message| message.to_string().matches(words).count()).sum()
}

/// Tells each message where its session comes from.
const GREETS: &str = "
rules:
  greets:
    event: turn_start
    enabled: true
    effects: [{type: inject_context, template: 'Source: {{ source }}. Project: {{ project.name }}.'}]
";
