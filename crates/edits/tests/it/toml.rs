//! Realistic settings in TOML.

use askbridge_edits::Format::Toml;
use askbridge_edits::{Part, apply, strip};
use serde_json::json;

use crate::ours::{hooks, seen, server, there_and_back};

const REAL: &str = r#"# Codex
model = "gpt-6"  # the usual
approval_policy = "on-request"
notify = [
  "notify-send",   # [not a header]
  "Codex",
]

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]

[mcp_servers.context7.env]
KEY = "é ☃ [mcp_servers.askbridge]"

[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = "say done"

# projects that I trust
[projects."/home/ada/a.b"]
trust_level = "trusted"
"#;

fn both() -> Vec<Part> {
    vec![server(&["mcp_servers"]), hooks()]
}

#[test]
fn ours_goes_to_the_end_and_out_again() {
    let put = there_and_back(Toml, REAL, &both());
    let added = put.strip_prefix(REAL).unwrap();
    let expected = r#"
[mcp_servers.askbridge]
command = "askbridge"
args = ["mcp"]

[[hooks.PermissionRequest]]
matcher = "*"

[[hooks.PermissionRequest.hooks]]
type = "command"
command = "askbridge hook"
timeout = 86400

[[hooks.Stop]]

[[hooks.Stop.hooks]]
type = "command"
command = "askbridge hook"
timeout = 10
"#;
    assert_eq!(added, expected);
    assert_eq!(seen(Toml, &put)["hooks"]["Stop"].as_array().unwrap().len(), 2);
}

#[test]
fn line_ends_of_another_system_stay() {
    let text = REAL.replace('\n', "\r\n");
    let put = there_and_back(Toml, &text, &both());
    assert_eq!(put.matches('\n').count(), put.matches("\r\n").count());
}

#[test]
fn an_empty_file_and_one_without_a_last_line_end_work() {
    there_and_back(Toml, "", &both());
    there_and_back(Toml, "# only a comment\n", &both());
    let put = apply(Toml, "model = \"x\"", &both()).unwrap();
    assert_eq!(strip(Toml, &put, &both(), None).unwrap(), "model = \"x\"\n");
}

#[test]
fn an_entry_of_an_older_version_is_renewed_in_its_place() {
    let old = "\
[mcp_servers.askbridge] # mine now
url = \"x\"
command = \"/old/askbridge\" # why
tool_timeout_sec = 600

[mcp_servers.askbridge.env]
MINE = \"1\"

[mcp_servers.other]
command = \"y\"
";
    let put = apply(Toml, old, &[server(&["mcp_servers"])]).unwrap();
    let expected = "\
[mcp_servers.askbridge] # mine now
command = \"askbridge\" # why
tool_timeout_sec = 600
args = [\"mcp\"]

[mcp_servers.askbridge.env]
MINE = \"1\"

[mcp_servers.other]
command = \"y\"
";
    assert_eq!(put, expected);
    let left = strip(Toml, &put, &[server(&["mcp_servers"])], None).unwrap();
    assert_eq!(seen(Toml, &left), json!({"mcp_servers": {"other": {"command": "y"}}}));
}

#[test]
fn only_our_handler_leaves_a_group_of_the_persons() {
    let text = "\
[[hooks.Stop]]
[[hooks.Stop.hooks]]
command = \"mine\"
[[hooks.Stop.hooks]]
type = \"command\"
command = \"askbridge hook\"
timeout = 3

[hooks.state.\"k:1\"]
trusted_hash = \"abc\"
";
    let put = apply(Toml, text, &[hooks()]).unwrap();
    assert_eq!(seen(Toml, &put)["hooks"]["Stop"][0]["hooks"][1]["timeout"], 10);
    let left = strip(Toml, &put, &[hooks()], None).unwrap();
    assert_eq!(
        left,
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"mine\"\n\n[hooks.state.\"k:1\"]\ntrusted_hash = \"abc\"\n"
    );
}

#[test]
fn dotted_names_and_tables_with_headers_of_their_own_are_found() {
    let text = "mcp_servers.other.command = \"y\"\nmcp_servers.askbridge.command = \"askbridge\"\n";
    let left = strip(Toml, text, &both(), None).unwrap();
    assert_eq!(left, "mcp_servers.other.command = \"y\"\n");
    let text = "[mcp_servers]\naskbridge = { command = \"askbridge\" } # ours\nother = { command = \"y\" }\n";
    let left = strip(Toml, text, &both(), None).unwrap();
    assert_eq!(left, "[mcp_servers]\nother = { command = \"y\" }\n");
    there_and_back(Toml, "[mcp_servers]\n\n[mcp_servers.x]\ncommand = \"y\"\n", &both());
}
