//! What people read: what would be done, what was done, and why something was not done.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;

use crate::home::{CLAUDE, Home};

#[test]
fn alone_it_says_which_programs_are_here_and_changes_nothing() {
    let home = Home::new();
    home.write(".claude/settings.json", CLAUDE);
    home.write(".codex/config.toml", "broken =\n");
    home.write(".gemini/settings.json", "{}");
    home.run(&["init", "gemini"]).good();
    let before = home.files();
    let said = home.run(&["init"]);
    let lines: Vec<_> = said.good().lines().collect();
    assert_eq!(lines.len(), 7);
    assert!(lines[0].starts_with("claude           found; `askbridge init claude` adds hooks to /"), "{}", lines[0]);
    assert!(lines[1].starts_with("codex            found, and cannot be changed: "), "{}", lines[1]);
    assert!(lines[1].contains("line 1, column "), "{}", lines[1]);
    assert!(lines[2].contains("not found") && lines[3].contains("not found"));
    assert!(lines[5].starts_with("gemini           installed: the MCP server in /"), "{}", lines[5]);
    assert_eq!(home.files(), before);
    let json = home.run(&["init", "--json"]);
    let states: Vec<_> =
        json.good().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["state"].clone()).collect();
    assert_eq!(states, ["available", "blocked", "absent", "absent", "absent", "installed", "absent"]);
}

#[test]
fn uninstall_alone_says_where_askbridge_is_and_changes_nothing() {
    let home = Home::new();
    let nothing = home.run(&["uninstall"]);
    assert_eq!(nothing.good(), "");
    assert!(nothing.stderr.contains("no settings of another program call askbridge"), "{}", nothing.stderr);
    home.write(".claude/settings.json", CLAUDE);
    home.write(".gemini/settings.json", "{}");
    home.write(".codex/config.toml", "model = \"x\"\n");
    home.run(&["init", "claude"]).good();
    home.run(&["init", "gemini"]).good();
    let before = home.files();
    let said = home.run(&["uninstall"]);
    let lines: Vec<_> = said.good().lines().collect();
    assert_eq!(lines.len(), 2, "what has nothing of ours is not listed: {lines:?}");
    assert!(
        lines[0].starts_with("claude           in /")
            && lines[0].ends_with("`askbridge uninstall claude` takes it out")
    );
    assert!(lines[1].starts_with("gemini           in /"), "{}", lines[1]);
    assert_eq!(home.files(), before);
    let json = home.run(&["uninstall", "--json"]);
    let typed: Vec<_> =
        json.good().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone()).collect();
    assert_eq!(typed, ["askbridge uninstall claude", "askbridge uninstall gemini"]);
    for command in typed {
        let args: Vec<_> = command.as_str().unwrap().split(' ').skip(1).collect();
        home.run(&args).good();
    }
    assert_eq!((home.run(&["uninstall"]).good(), home.read(".claude/settings.json").as_str()), ("", CLAUDE));
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let home = Home::new();
    home.write(".claude/settings.json", CLAUDE);
    let said = home.run(&["init", "claude", "--dry-run"]);
    let diff = said.good();
    assert!(diff.contains("\n--- a/") || diff.starts_with("--- a/"), "{diff}");
    assert!(diff.contains("\n+    \"PermissionRequest\": [\n"), "{diff}");
    let gone: Vec<_> = diff.lines().skip(2).filter_map(|line| line.strip_prefix('-')).collect();
    assert!(!gone.is_empty() && gone.iter().all(|line| diff.contains(&format!("+{line},\n"))), "only commas: {diff}");
    assert_eq!(
        (home.read(".claude/settings.json").as_str(), home.files()),
        (CLAUDE, vec![".claude/settings.json".to_owned()])
    );
    let json = home.run(&["init", "claude", "--dry-run", "--json"]);
    let line: Value = serde_json::from_str(json.good()).unwrap();
    assert_eq!((&line["change"], &line["dry_run"]), (&Value::from("changed"), &Value::from(true)));
    assert!(line["diff"].as_str().unwrap().starts_with("--- a/"));
    home.run(&["init", "claude"]).good();
    let put = home.read(".claude/settings.json");
    let undo = home.run(&["uninstall", "claude", "--dry-run"]);
    assert!(undo.good().contains("\n-    \"PermissionRequest\": [\n"), "{}", undo.stdout);
    assert_eq!(home.read(".claude/settings.json"), put);
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone_and_the_place_is_named() {
    let home = Home::new();
    let text = "{\n  \"model\": \"opus\"\n  \"env\": {}\n}\n";
    home.write(".claude/settings.json", text);
    let said = home.run(&["init", "claude", "--mcp"]);
    let error = said.failed(1);
    assert!(error.contains("line 3, column 3: `,` or `}` is expected here"), "{error}");
    assert!(error.contains("hint: nothing was changed; correct the file"), "{error}");
    assert_eq!(home.read(".claude/settings.json"), text);
    assert_eq!(home.files(), [".claude/settings.json"], "nor is the other file written");
    home.run(&["uninstall", "claude"]).failed(1);
    assert_eq!(home.read(".claude/settings.json"), text);
}

#[test]
fn what_is_read_only_is_left_alone_and_a_way_is_shown() {
    let home = Home::new();
    let file = home.write(".claude/settings.json", CLAUDE);
    fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
    let said = home.run(&["init", "claude"]);
    assert!(said.failed(1).contains("is read-only"), "{}", said.stderr);
    assert!(said.stderr.contains("hint: nothing was changed; type `chmod u+w '"), "{}", said.stderr);
    assert_eq!(home.files(), [".claude/settings.json"]);
    assert!(home.run(&["init", "claude", "--dry-run"]).good().contains("PermissionRequest"));
}

#[test]
fn a_server_of_the_same_name_is_not_overwritten() {
    let home = Home::new();
    let text = "{\n  \"mcpServers\": {\n    \"askbridge\": { \"command\": \"something-else\" }\n  }\n}\n";
    home.write(".cursor/mcp.json", text);
    let said = home.run(&["init", "cursor"]);
    assert!(
        said.failed(1).contains("line 3: there is already a `askbridge` that is not askbridge's"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("give your own `askbridge` another name"), "{}", said.stderr);
    home.run(&["uninstall", "cursor"]).good();
    assert_eq!(home.read(".cursor/mcp.json"), text);
}

#[test]
fn what_cannot_be_done_safely_is_shown_to_be_done_by_hand() {
    let home = Home::new();
    let text = "mcp_servers = { other = { command = \"y\" } }\n";
    home.write(".codex/config.toml", text);
    let said = home.run(&["init", "codex"]);
    assert!(
        said.failed(1).contains("put this into it by hand:\n\n[mcp_servers.askbridge]\ncommand = "),
        "{}",
        said.stderr
    );
    assert_eq!(home.read(".codex/config.toml"), text);
}

#[test]
fn a_link_into_somebodys_dotfiles_stays_one() {
    let home = Home::new();
    home.write("dotfiles/claude-settings.json", CLAUDE);
    fs::create_dir(home.path(".claude")).unwrap();
    symlink("../dotfiles/claude-settings.json", home.path(".claude/settings.json")).unwrap();
    home.run(&["init", "claude"]).good();
    assert!(home.path(".claude/settings.json").is_symlink());
    assert!(home.read("dotfiles/claude-settings.json").contains("askbridge hook"));
    home.run(&["uninstall", "claude"]).good();
    assert_eq!(
        (home.read("dotfiles/claude-settings.json").as_str(), home.path(".claude/settings.json").is_symlink()),
        (CLAUDE, true)
    );
}

#[test]
fn what_the_person_changed_since_stays_and_only_ours_goes() {
    let home = Home::new();
    home.write(".claude/settings.json", CLAUDE);
    home.run(&["init", "claude"]).good();
    let edited = home.read(".claude/settings.json").replace("\"opus\"", "\"sonnet\"");
    home.write(".claude/settings.json", &edited);
    home.run(&["uninstall", "claude"]).good();
    assert_eq!(home.read(".claude/settings.json"), CLAUDE.replace("\"opus\"", "\"sonnet\""));
}

#[test]
fn what_a_program_does_not_have_is_refused_with_words() {
    let home = Home::new();
    let refused = |args: &[&str]| home.run(args).failed(2).to_owned();
    assert!(refused(&["init", "cursor", "--local"]).contains("only Claude Code has local settings"));
    assert!(refused(&["init", "claude-desktop", "--project"]).contains("Claude Desktop has no settings of a project"));
    assert!(refused(&["init", "gemini", "--hooks"]).contains("Gemini CLI has no hooks that askbridge understands"));
    assert!(refused(&["init", "codex", "--http"]).contains("only Claude Code has hooks over HTTP"));
    assert!(refused(&["init", "emacs"]).contains("possible values: claude, codex, opencode, cursor, vscode, gemini"));
    assert_eq!(home.files(), [""; 0]);
}
