//! Each program's own format, in its own place.

use serde_json::{Value, json};

use crate::home::{CLAUDE, Home};

/// A program, its flags, its file below the home, the file's content, and where our entry should be.
type Row = (&'static str, &'static [&'static str], &'static str, &'static str, &'static str);

const ROWS: &[Row] = &[
    (
        "claude",
        &["--mcp"],
        ".claude.json",
        "{\n  \"numStartups\": 41,\n  \"mcpServers\": {\n    \"db\": { \"command\": \"x\" }\n  }\n}",
        "/mcpServers/askbridge",
    ),
    ("claude", &["--mcp", "--project"], "project/.mcp.json", "{ \"mcpServers\": {} }\n", "/mcpServers/askbridge"),
    (
        "opencode",
        &[],
        ".config/opencode/opencode.jsonc",
        "{\n\t// mine\n\t\"$schema\": \"https://opencode.ai/config.json\",\n\t\"mcp\": {\n\t\t\"jira\": { \"type\": \"remote\", \"url\": \"https://x\", },\n\t},\n}\n",
        "/mcp/askbridge",
    ),
    ("opencode", &["--project"], "project/opencode.json", "{\"model\":\"x\"}", "/mcp/askbridge"),
    (
        "cursor",
        &[],
        ".cursor/mcp.json",
        "{\r\n  \"mcpServers\": {\r\n    \"a\": { \"url\": \"https://x\" }\r\n  }\r\n}\r\n",
        "/mcpServers/askbridge",
    ),
    ("cursor", &["--project"], "project/.cursor/mcp.json", "", "/mcpServers/askbridge"),
    (
        "vscode",
        &[],
        ".config/Code/User/mcp.json",
        "{\n    \"servers\": {\n        \"github\": { \"type\": \"http\", \"url\": \"https://x\" },\n    },\n    \"inputs\": []\n}\n",
        "/servers/askbridge",
    ),
    ("vscode", &["--project"], "project/.vscode/mcp.json", "// ours\n{ \"servers\": { } }\n", "/servers/askbridge"),
    (
        "gemini",
        &[],
        ".gemini/settings.json",
        "{\n  \"theme\": \"Größe ☃\",\n  \"mcpServers\": {}\n}\n",
        "/mcpServers/askbridge",
    ),
    (
        "claude-desktop",
        &[],
        ".config/Claude/claude_desktop_config.json",
        "{\"mcpServers\": {\"fs\": {\"command\": \"npx\"}}}\n",
        "/mcpServers/askbridge",
    ),
];

/// Parses JSON with comments and trailing commas, with another parser than ours.
fn read(text: &str) -> Value {
    let lines = text.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line });
    let text: String = lines.collect();
    let mut plain = String::new();
    for char in text.chars() {
        if matches!(char, '}' | ']') {
            let kept = plain.trim_end().trim_end_matches(',').len();
            plain.truncate(kept);
        }
        plain.push(char);
    }
    serde_json::from_str(&plain).unwrap_or_else(|error| panic!("{error}: {plain}"))
}

#[test]
fn every_program_gets_its_own_format_and_its_file_back() {
    for (program, flags, file, text, at) in ROWS {
        let home = Home::new();
        home.write(file, text);
        let init = [&["init", program], *flags].concat();
        home.run(&init).good();
        let (put, entry) = (home.read(file), read(&home.read(file)).pointer(at).cloned());
        let entry = entry.unwrap_or_else(|| panic!("{program}: no {at} in {put}"));
        let command = match &entry["command"] {
            Value::Array(words) => words.clone(),
            program => [std::slice::from_ref(program), entry["args"].as_array().unwrap().as_slice()].concat(),
        };
        assert_eq!(command[1..], [json!("mcp")], "{program}");
        let is_desktop = matches!(*program, "cursor" | "vscode" | "claude-desktop") && !flags.contains(&"--project");
        let called = command[0].as_str().unwrap();
        assert_eq!(called != "askbridge", is_desktop, "{program}: {called}");
        assert!(called.ends_with("askbridge") && (!is_desktop || called.starts_with('/')), "{called}");
        let kind = match *program {
            "opencode" => json!("local"),
            "claude" | "vscode" => json!("stdio"),
            _ => Value::Null,
        };
        assert_eq!(entry["type"], kind, "{program}");
        assert_eq!(entry["trust"] == true, *program == "gemini", "{program}");
        assert!(home.run(&init).good().contains("nothing to change"));
        assert_eq!(home.read(file), put);
        let flags: Vec<_> = flags.iter().filter(|flag| **flag == "--project").copied().collect();
        home.run(&[&["uninstall", program], flags.as_slice()].concat()).good();
        assert_eq!(home.read(file), *text, "{program}");
    }
}

#[test]
fn claude_gets_hooks_beside_those_that_are_there() {
    let home = Home::new();
    home.write(".claude/settings.json", CLAUDE);
    let said = home.run(&["init", "claude"]);
    assert!(said.good().contains(".claude/settings.json: changed (hooks)"), "{}", said.stdout);
    let hooks = &home.json(".claude/settings.json")["hooks"];
    let ours = |timeout: u64| json!({"type": "command", "command": "askbridge hook", "timeout": timeout});
    assert_eq!(hooks["PermissionRequest"], json!([{"matcher": "*", "hooks": [ours(2_000_000)]}]));
    assert_eq!(hooks["PreToolUse"][0]["hooks"], json!([ours(2_000_000)]));
    assert_eq!(hooks["Stop"].as_array().unwrap().len(), 2);
    assert_eq!(hooks["Stop"][1], json!({"hooks": [ours(10)]}));
    for event in ["PostToolUse", "SessionEnd", "Notification"] {
        let groups = hooks[event].as_array().unwrap();
        assert_eq!(groups.last().unwrap()["hooks"], json!([ours(10)]), "{event}");
    }
    home.run(&["uninstall", "claude"]).good();
    assert_eq!(home.read(".claude/settings.json"), CLAUDE);
    assert_eq!(home.files(), [".claude/settings.json"], "nothing else is left");
}

#[test]
fn with_rules_claude_reports_every_call_and_without_them_again_only_what_asks() {
    let home = Home::new();
    home.write(".claude/settings.json", CLAUDE);
    home.run(&["init", "claude"]).good();
    let before = home.read(".claude/settings.json");
    home.run(&["init", "claude", "--rules"]).good();
    let hooks = &home.json(".claude/settings.json")["hooks"];
    let ours = |timeout: u64| json!({"type": "command", "command": "askbridge hook --rules", "timeout": timeout});
    assert_eq!(hooks["PreToolUse"], json!([{"matcher": "*", "hooks": [ours(2_000_000)]}]));
    assert_eq!(hooks["PermissionDenied"], json!([{"matcher": "*", "hooks": [ours(2_000_000)]}]));
    assert_eq!(hooks["PreCompact"], json!([{"hooks": [ours(10)]}]));
    for event in ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"] {
        let groups = hooks[event].as_array().unwrap();
        assert_eq!(groups.last().unwrap()["hooks"], json!([ours(10)]), "{event}");
    }
    assert!(home.run(&["init", "claude", "--rules"]).good().contains("nothing to change"));
    home.run(&["init", "claude"]).good();
    assert_eq!(home.read(".claude/settings.json"), before);
    home.run(&["init", "claude", "--rules"]).good();
    home.run(&["uninstall", "claude"]).good();
    assert_eq!(home.read(".claude/settings.json"), CLAUDE);
    assert_eq!(home.files(), [".claude/settings.json"], "nothing else is left");
    let said = home.run(&["init", "codex", "--rules"]);
    assert!(said.stderr.contains("Codex does not report every call before it runs"), "{}", said.stderr);
}

/// The tools that Claude Code runs without a permission prompt: those that ask, not the one that decides.
const LEAVE: [&str; 4] = [
    "mcp__askbridge__ask_user_question",
    "mcp__askbridge__wait_for_answer",
    "mcp__askbridge__cancel_question",
    "mcp__askbridge__notify_user",
];

#[test]
fn with_the_server_claude_gets_leave_to_ask_and_says_so() {
    let home = Home::new();
    home.write(".claude/settings.json", CLAUDE);
    let theirs = home.json(".claude/settings.json")["permissions"]["allow"].as_array().unwrap().clone();
    home.run(&["init", "claude"]).good();
    assert_eq!(home.json(".claude/settings.json")["permissions"]["allow"], json!(theirs), "there are no tools yet");
    let shown = home.run(&["init", "claude", "--mcp", "--dry-run"]);
    assert!(LEAVE.iter().all(|rule| shown.good().contains(rule)), "{}", shown.stdout);
    let said = home.run(&["init", "claude", "--mcp"]);
    assert!(said.good().contains(".claude/settings.json: changed (hooks, and leave to ask)"), "{}", said.stdout);
    assert!(
        said.stderr.contains("ask_user_question, wait_for_answer, cancel_question, notify_user"),
        "{}",
        said.stderr
    );
    let all: Vec<_> = theirs.iter().cloned().chain(LEAVE.map(|rule| json!(rule))).collect();
    assert_eq!(home.json(".claude/settings.json")["permissions"], json!({"allow": all, "deny": []}));
    assert!(home.run(&["init", "claude", "--mcp"]).good().contains("nothing to change"));
    home.run(&["uninstall", "claude"]).good();
    assert_eq!(home.read(".claude/settings.json"), CLAUDE);
}

#[test]
fn leave_that_the_person_gave_before_stays() {
    let home = Home::new();
    let text = format!("{{\n  \"permissions\": {{ \"allow\": [\"{}\"] }}\n}}\n", LEAVE[0]);
    home.write(".claude/settings.json", &text);
    home.run(&["init", "claude", "--mcp"]).good();
    // The file changes meanwhile, so our entries are removed piece by piece.
    home.write(
        ".claude/settings.json",
        &home.read(".claude/settings.json").replacen("{", "{\n  \"model\": \"opus\",", 1),
    );
    home.run(&["uninstall", "claude"]).good();
    let left = home.json(".claude/settings.json");
    assert_eq!(left, json!({"model": "opus", "permissions": {"allow": [LEAVE[0]]}}));
}

#[test]
fn a_project_and_ones_own_settings_for_it_are_other_files() {
    let home = Home::new();
    home.run(&["init", "claude", "--project"]).good();
    home.run(&["init", "claude", "--local", "--mcp"]).good();
    let folder = home.path("project").canonicalize().unwrap();
    let servers = &home.json(".claude.json")["projects"][folder.to_str().unwrap()]["mcpServers"];
    assert_eq!(servers["askbridge"]["command"], "askbridge");
    assert!(home.read("project/.claude/settings.json").contains("askbridge hook"));
    assert!(home.read("project/.claude/settings.local.json").contains("askbridge hook"));
    assert!(!home.path(".claude/settings.json").exists());
    home.run(&["uninstall", "claude", "--local"]).good();
    home.run(&["uninstall", "claude", "--project"]).good();
    assert_eq!(home.files(), [""; 0], "files and folders that were made are gone");
}

#[test]
fn folders_that_somebody_moved_are_found() {
    let home = Home::new();
    let elsewhere = home.path("elsewhere").display().to_string();
    home.run_with(&["init", "claude", "--mcp"], "CLAUDE_CONFIG_DIR", &elsewhere).good();
    assert!(home.path("elsewhere/settings.json").is_file() && home.path("elsewhere/.claude.json").is_file());
    home.run_with(&["init", "codex"], "CODEX_HOME", &elsewhere).good();
    assert!(home.read("elsewhere/config.toml").contains("[mcp_servers.askbridge]"));
    home.run_with(&["init", "opencode"], "OPENCODE_CONFIG", &format!("{elsewhere}/oc.json")).good();
    assert!(home.path("elsewhere/oc.json").is_file());
    home.run_with(&["init", "vscode"], "XDG_CONFIG_HOME", &elsewhere).good();
    assert!(home.path("elsewhere/Code/User/mcp.json").is_file());
}

const CODEX: &str = "# mine\nmodel = \"gpt-6\"\n\n[projects.\"/home/ada/x\"]\ntrust_level = \"trusted\"\n\n[hooks.state.\"k\"]\ntrusted_hash = \"abc\" # theirs\n";

#[test]
fn codex_gets_a_server_and_on_request_hooks_that_it_does_not_trust_yet() {
    let home = Home::new();
    home.write(".codex/config.toml", CODEX);
    home.run(&["init", "codex"]).good();
    let server = "\n[mcp_servers.askbridge]\ncommand = \"askbridge\"\nargs = [\"mcp\"]\n";
    assert_eq!(home.read(".codex/config.toml"), format!("{CODEX}{server}"));
    let said = home.run(&["init", "codex", "--hooks"]);
    said.good();
    assert!(said.stderr.contains("trust them there"), "{}", said.stderr);
    let put = home.read(".codex/config.toml");
    let hook = |event: &str, matcher: &str, timeout: u32| {
        let call = format!("type = \"command\"\ncommand = \"askbridge hook\"\ntimeout = {timeout}\n");
        format!("\n[[hooks.{event}]]\n{matcher}\n[[hooks.{event}.hooks]]\n{call}")
    };
    let hooks = [
        hook("SessionStart", "", 3),
        hook("PermissionRequest", "matcher = \".*\"\n", 2_000_000),
        hook("Stop", "", 3),
        hook("SessionEnd", "", 3),
    ];
    assert_eq!(put, format!("{CODEX}{server}{}", hooks.concat()));
    assert_eq!(put.matches("trusted_hash").count(), 1, "trusting is the person's own");
    home.run(&["uninstall", "codex"]).good();
    assert_eq!(home.read(".codex/config.toml"), CODEX);
}

#[test]
fn what_is_not_on_path_is_called_by_its_whole_name() {
    let home = Home::with_askbridge_off_path();
    let said = home.run(&["init", "claude", "--project"]);
    said.good();
    let command = home.json("project/.claude/settings.json")["hooks"]["Stop"][0]["hooks"][0]["command"].clone();
    assert_eq!(command, format!("{} hook", env!("CARGO_BIN_EXE_askbridge")));
    assert!(said.stderr.contains("the path of this machine was written"), "{}", said.stderr);
}

#[test]
fn a_data_folder_that_was_chosen_is_found_again_but_not_in_a_project() {
    let home = Home::new();
    let data = home.path("my data").display().to_string();
    home.run(&["--data", &data, "init", "claude"]).good();
    let command = |file: &str| home.json(file)["hooks"]["Stop"][0]["hooks"][0]["command"].clone();
    assert_eq!(command(".claude/settings.json"), format!("askbridge --data '{data}' hook"));
    home.run(&["--data", &data, "init", "claude", "--project"]).good();
    assert_eq!(command("project/.claude/settings.json"), "askbridge hook");
    home.run(&["--data", &data, "init", "codex"]).good();
    assert!(home.read(".codex/config.toml").contains(&format!("args = [\"--data\", \"{data}\", \"mcp\"]")));
}

#[test]
fn hooks_over_http_hold_a_token_only_if_it_is_ones_own_file() {
    let home = Home::new();
    home.run(&["init", "claude", "--http", "--project"]).good();
    let put = home.json("project/.claude/settings.json");
    let hook = &put["hooks"]["PermissionRequest"][0]["hooks"][0];
    let expected = json!({
        "type": "http", "url": "http://127.0.0.1:4760/v1/hook", "timeout": 2_000_000,
        "headers": {"Authorization": "Bearer $ASKBRIDGE_TOKEN"}, "allowedEnvVars": ["ASKBRIDGE_TOKEN"],
    });
    assert_eq!(*hook, expected);
    for scope in ["--project", "--local"] {
        let refused = home.run(&["init", "claude", scope, "--http", "--http-token", "ab_x"]);
        assert!(refused.failed(2).contains("do not put a token into the settings of a project"));
    }
    assert_eq!(home.json("project/.claude/settings.json"), put);
    home.run(&["init", "claude", "--http", "--http-token", "ab_x"]).good();
    assert!(home.read(".claude/settings.json").contains("\"Authorization\": \"Bearer ab_x\""));
    // Back to the local socket: nothing of the HTTP hooks stays.
    home.run(&["init", "claude"]).good();
    let hook = home.json(".claude/settings.json")["hooks"]["PermissionRequest"][0]["hooks"][0].clone();
    assert_eq!(hook, json!({"type": "command", "command": "askbridge hook", "timeout": 2_000_000}));
    home.run(&["uninstall", "claude"]).good();
    home.run(&["uninstall", "claude", "--project"]).good();
    assert_eq!(home.files(), [""; 0]);
}
