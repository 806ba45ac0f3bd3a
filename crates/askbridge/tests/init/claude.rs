//! The real Claude Code with the settings that we wrote.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use askbridge_scripted::claude::{Launch, ScratchHome, Subject};
use askbridge_scripted::model::{Model, Script, ask, on_any_result, on_user, text};
use serde_json::{Value, json};

use crate::home::{CLAUDE, ran};

const BINARY: &str = env!("CARGO_BIN_EXE_askbridge");

/// Records its input, and has no opinion.
const LISTENER: &str = "#!/bin/sh\n[ \"$1\" = hook ] && { cat; echo; } >> \"$HOME/heard\"\n";

#[test]
fn the_real_claude_code_takes_the_settings_and_calls_us() {
    let scratch = ScratchHome::new();
    let script =
        Script::new().turn(on_any_result(), [text("done")]).turn(on_user("go"), [ask("toolu_1", "Which?", ["A", "B"])]);
    let model = Model::start(script);
    let bin = scratch.home().join("bin");
    fs::create_dir(&bin).unwrap();
    symlink(BINARY, bin.join("askbridge")).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    fs::create_dir(scratch.home().join(".claude")).unwrap();
    // The person's own hooks must not play sounds or call jq in a test.
    let settings =
        CLAUDE.replace("\"opus\"", "\"sonnet\"").replace("afplay", "true afplay").replace("jq -r", "true jq -r");
    fs::write(scratch.home().join(".claude/settings.json"), &settings).unwrap();
    let mut init = std::process::Command::new(BINARY);
    init.args(["init", "claude"])
        .env_clear()
        .envs(scratch.env(&model.url()))
        .env("PATH", &path)
        .current_dir(scratch.work());
    ran(init).good();
    fs::remove_file(bin.join("askbridge")).unwrap();
    fs::write(bin.join("askbridge"), LISTENER).unwrap();
    fs::set_permissions(bin.join("askbridge"), Permissions::from_mode(0o755)).unwrap();

    let mut host = Launch::new(Subject::Real, &scratch, &model).env("PATH", &path).start();
    host.say("go");
    let request = host.asked("can_use_tool");
    let mut input = request["request"]["input"].clone();
    input["answers"] = json!({"Which?": "B"});
    host.respond(&request, json!({"behavior": "allow", "updatedInput": input}));
    assert_eq!(host.result()["result"], "done");
    let ended = host.close();
    assert!(ended.status.success() && !ended.stderr.to_lowercase().contains("settings"), "{}", ended.stderr);

    let heard = fs::read_to_string(scratch.home().join("heard")).unwrap();
    let heard: Vec<Value> = heard.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let events: Vec<_> = heard.iter().map(|event| event["hook_event_name"].as_str().unwrap()).collect();
    for event in ["PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SessionEnd"] {
        assert_eq!(events.iter().filter(|heard| **heard == event).count(), 1, "{event} in {events:?}");
    }
    assert!(
        heard
            .iter()
            .filter(|event| event.get("tool_name").is_some())
            .all(|event| event["tool_name"] == "AskUserQuestion")
    );
}

#[test]
fn the_real_claude_code_lists_the_server_that_we_wrote_beside_its_own_things() {
    let scratch = ScratchHome::new();
    let model = Model::start(Script::new());
    let claude = |args: &[&str]| {
        let mut command = std::process::Command::new(Subject::Real.path());
        command.args(args).env_clear().envs(scratch.env(&model.url())).current_dir(scratch.work());
        ran(command)
    };
    let askbridge = |args: &[&str]| {
        let mut command = std::process::Command::new(BINARY);
        command.args(args).env_clear().envs(scratch.env(&model.url())).current_dir(scratch.work());
        ran(command)
    };
    claude(&["mcp", "add", "--scope", "user", "other", "--", "true"]).good();
    let before = fs::read_to_string(scratch.home().join(".claude.json")).unwrap();
    askbridge(&["init", "claude", "--mcp"]).good();
    let shown = claude(&["mcp", "get", "askbridge"]);
    assert!(shown.good().contains(BINARY) && shown.stdout.contains("stdio"), "{}", shown.stdout);
    assert!(claude(&["mcp", "get", "other"]).good().contains("other"));
    askbridge(&["uninstall", "claude"]).good();
    let after = fs::read_to_string(scratch.home().join(".claude.json")).unwrap();
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap()["mcpServers"].clone();
    assert_eq!(read(&after), read(&before));
    claude(&["mcp", "get", "askbridge"]).failed(1);
}

/// Runs Claude Code once, in its folder, and returns how often it called us at its start.
fn called(scratch: &ScratchHome, model: &Model, path: &str) -> usize {
    let _ = fs::remove_file(scratch.home().join("heard"));
    let program = scratch.home().join("bin/askbridge");
    fs::remove_file(&program).unwrap();
    fs::write(&program, LISTENER).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new(Subject::Real.path());
    command
        .args(["-p", "go"])
        .env_clear()
        .envs(scratch.env(&model.url()))
        .env("PATH", path)
        .current_dir(scratch.work());
    ran(command).good();
    let heard = fs::read_to_string(scratch.home().join("heard")).unwrap_or_default();
    heard.lines().filter(|line| line.contains("\"SessionStart\"")).count()
}

#[test]
fn the_real_claude_code_skips_a_file_with_comments_so_the_hooks_go_elsewhere() {
    let scratch = ScratchHome::new();
    let model = Model::start(Script::new().turn(on_user("go"), [text("done")]));
    let bin = scratch.home().join("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir(scratch.home().join(".claude")).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let askbridge = |args: &[&str]| {
        let _ = fs::remove_file(bin.join("askbridge"));
        symlink(BINARY, bin.join("askbridge")).unwrap();
        let mut command = std::process::Command::new(BINARY);
        command.args(args).env_clear().envs(scratch.env(&model.url())).env("PATH", &path).current_dir(scratch.work());
        ran(command)
    };
    let file = scratch.home().join(".claude/settings.json");
    // First with our hooks alone, then with a line of the person's own.
    askbridge(&["init", "claude"]).good();
    assert_eq!(called(&scratch, &model, &path), 1);
    let written = fs::read_to_string(&file).unwrap();
    for more in ["{\n  // mine\n", "{\n  \"env\": {\"A\": \"b\",},\n"] {
        let commented = written.replacen("{\n", more, 1);
        fs::write(&file, &commented).unwrap();
        assert_eq!(called(&scratch, &model, &path), 0, "{commented}");
        let said = askbridge(&["init", "claude"]);
        let error = said.failed(1);
        assert!(error.contains("line 2: there is a com") && error.contains("`--local`"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), commented, "what is theirs stays");
    }
    askbridge(&["init", "claude", "--local"]).good();
    assert_eq!(called(&scratch, &model, &path), 1);
    // A file with a byte order mark is read.
    fs::write(&file, format!("\u{feff}{written}")).unwrap();
    askbridge(&["init", "claude"]).good();
    askbridge(&["uninstall", "claude", "--local"]).good();
    assert_eq!(called(&scratch, &model, &path), 1);
}
