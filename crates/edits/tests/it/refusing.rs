//! Texts that are not changed, and the error for each.

use askbridge_edits::Format::{self, Json, Toml};
use askbridge_edits::{Part, apply, strip};

use crate::ours::{both, hooks, server};

fn refused(format: Format, text: &str, parts: &[Part]) -> String {
    apply(format, text, parts).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_read_is_left_alone_and_the_place_is_named() {
    assert_eq!(refused(Json, "{\n  \"a\": 1\n  \"b\": 2\n}", &both()), "line 3, column 3: `,` or `}` is expected here");
    let toml = refused(Toml, "model = \"x\"\nbroken = \n", &both());
    assert!(toml.starts_with("line 2, column "), "{toml}");
    assert!(strip(Json, "{ not json", &both(), None).is_err());
    assert!(refused(Json, &"[".repeat(100_000), &both()).contains("nested more than 256 times"));
}

#[test]
fn a_name_that_belongs_to_somebody_else_is_not_taken() {
    let text = "{\n  \"mcpServers\": {\n    \"askbridge\": {\"command\": \"other\"}\n  }\n}";
    let parts = [server(&["mcpServers"])];
    assert_eq!(refused(Json, text, &parts), "line 3: there is already a `askbridge` that is not askbridge's");
    assert_eq!(strip(Json, text, &parts, None).unwrap(), text, "nor taken out");
    let text = "[mcp_servers.x]\n\n[mcp_servers.askbridge]\ncommand = \"other\"\n";
    let parts = [server(&["mcp_servers"])];
    assert_eq!(refused(Toml, text, &parts), "line 3: there is already a `askbridge` that is not askbridge's");
}

#[test]
fn what_is_not_a_table_where_one_should_be_is_named() {
    assert_eq!(refused(Json, "[]", &both()), "line 1: `the whole` is not a table");
    assert_eq!(refused(Json, "{\n  \"hooks\": []\n}", &both()), "line 2: `hooks` is not a table");
    assert_eq!(refused(Json, "{\"hooks\": {\n\"Stop\": 1}}", &both()), "line 2: `hooks.Stop` is not a list");
    assert_eq!(refused(Toml, "hooks = 1\n", &[hooks()]), "line 1: `hooks` is not a table");
}

#[test]
fn tables_on_one_line_of_toml_are_not_taken_apart() {
    let text = "mcp_servers = { other = { command = \"y\" } }\n";
    let said = refused(Toml, text, &[server(&["mcp_servers"])]);
    assert_eq!(said, "`mcp_servers` is written in a way that cannot be changed without touching the rest");
    let text = "[hooks]\nStop = [{ hooks = [{ command = \"y\" }] }]\n";
    assert!(refused(Toml, text, &[hooks()]).starts_with("`hooks.Stop` is written in a way"));
}
