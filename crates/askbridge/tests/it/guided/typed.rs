//! What the guides have people type at a terminal, typed at one.

use std::fs;

use serde_json::{Value, json};

use crate::bridge::TestBridge;
use crate::nginx::{Nginx, block, free_port};
use crate::patience::until;
use crate::terminal::Terminal;

use super::page::{assert_says, block_with, blocks, steps};
use super::reader::Reader;

const BOT: &str = include_str!("../../../../../docs/guides/bot.md");
const CI: &str = include_str!("../../../../../docs/guides/ci.md");
const INIT: &str = include_str!("../../../../../docs/guides/init.md");
const MCP: &str = include_str!("../../../../../docs/guides/mcp.md");
const PROXY: &str = include_str!("../../../../../docs/guides/proxy.md");
const RULES: &str = include_str!("../../../../../docs/guides/rules.md");
const SCRIPTS: &str = include_str!("../../../../../docs/guides/shell-scripts.md");
const TEAM: &str = include_str!("../../../../../docs/guides/team.md");
const TERMINAL: &str = include_str!("../../../../../docs/guides/terminal.md");
const YOURS: &str = include_str!("../../../../../docs/guides/your-terminal.md");
/// The folder that the guide for teams has on its server.
const TEAM_DATA: &str = "ASKBRIDGE_DATA=/var/lib/askbridge";

/// A reader at a terminal, whose phone is paired.
fn at_home() -> Reader {
    let reader = Reader::at(TestBridge::start());
    fs::create_dir_all(reader.home().join(".config")).unwrap();
    reader.bridge.person();
    reader.stand_in("sudo", "[ \"$1 $2\" = '-u askbridge' ] && shift 2 && exec env \"$@\"");
    reader
}

/// Types the commands of the block with this text, gives taps for as long as they are asked for, and compares what the
/// terminal then shows with what the guide shows.
fn types(reader: &Reader, page: &str, text: &str, replaced: &[(&str, &str)]) -> String {
    let steps = steps(&block_with(page, text));
    let mut script = steps.iter().map(|step| step.command.as_str()).collect::<Vec<_>>().join("\n");
    for (there, here) in replaced {
        assert!(script.contains(there), "the guide no longer says `{there}`");
        script = script.replace(there, here);
    }
    let done = reader.home().join("done");
    let script = format!("{}\ntouch done", Reader::with_stand_ins(&script));
    let terminal = Terminal::open(reader.bridge.at_a_terminal("bash", &["-c", &script]));
    until("the commands end", || {
        for tap in reader.bridge.open().iter().filter(|ask| ask["agent"] == "askbridge") {
            reader.bridge.answer(&[tap["id"].as_str().unwrap(), "--allow"]);
        }
        done.exists().then_some(())
    });
    fs::remove_file(done).unwrap();
    let screen = until("all of it is shown", || {
        let screen = terminal.screen();
        steps
            .iter()
            .flat_map(|step| &step.output)
            .all(|line| screen.contains(line.split(['…', '(', '`']).next().unwrap_or("")))
            .then_some(screen)
    });
    for step in &steps {
        assert_says(&reader.here(&step.output), &screen);
    }
    screen
}

#[test]
fn a_script_that_decides_and_a_bot_get_their_tokens_with_a_tap_as_the_guides_say() {
    for (page, text) in [(SCRIPTS, "--device nightly"), (BOT, "--role bot --name nightly")] {
        let reader = at_home();
        types(&reader, page, text, &[]);
        let file = reader.home().join(".config/nightly.token");
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions()) & 0o777, 0o600);
        let token = fs::read_to_string(&file).unwrap();
        let me = reader.bridge.get("/v1/me", &crate::wire::bearer(token.trim()));
        assert_eq!(me.status, 200, "{}", me.body);
    }
}

#[test]
fn a_team_lets_people_and_laptops_in_and_takes_a_token_back_as_the_guide_says() {
    let reader = Reader::at(TestBridge::stopped());
    reader.stand_in("sudo", "[ \"$1 $2\" = '-u askbridge' ] && shift 2 && exec env \"$@\"");
    let mut reader = reader;
    reader.bridge.start_with(&["--listen", "127.0.0.1:0", "--public-url", "https://ask.example.org"]);
    let data = format!("ASKBRIDGE_DATA={}", reader.bridge.data().display());
    let here = [(TEAM_DATA, data.as_str())];
    types(&reader, TEAM, "pair --name ada", &here);
    reader.bridge.person();
    types(&reader, TEAM, "pair --name bob", &here);
    let screen = types(&reader, TEAM, "token create bobs-laptop", &here);
    let token = screen.lines().find(|line| line.starts_with("ab_")).expect("a token").to_owned();
    assert_eq!(reader.bridge.get("/v1/me", &crate::wire::bearer(&token)).status, 200);
    // On the laptop: through the proxy, whose name leads here.
    let nginx = Nginx::start(&reader.bridge, free_port(), block(PROXY, "nginx"));
    let (port, authority) = (nginx.https.port, nginx.https.authority.display());
    let laptop = block_with(TEAM, "export ASKBRIDGE_URL=").text;
    let laptop =
        laptop.replace("https://ask.example.org", &format!("https://localhost:{port}")).replace("ab_…", &token);
    let trusting = format!("export ASKBRIDGE_AUTHORITIES='{authority}'");
    reader.types(&format!("{laptop}{trusting}\naskbridge ask 'Deploy now?' --no-wait")).good();
    let listed = reader.bridge.run(&["token", "list"]);
    let id =
        listed.good().lines().find(|line| line.contains("bobs-laptop")).unwrap().split_whitespace().next().unwrap();
    types(&reader, TEAM, "token revoke 2f9afddf02", &[(TEAM_DATA, &data), ("2f9afddf02", id)]);
    assert_eq!(reader.bridge.get("/v1/me", &crate::wire::bearer(&token)).status, 401);
}

#[test]
fn asks_are_listed_and_answered_at_a_terminal_as_the_guide_says() {
    let reader = at_home();
    let ask = |key: &str| {
        let body = json!({"questions": [{"question": key, "options": ["Yes", "No"]}]});
        reader.bridge.ask(key, &body)
    };
    let tapped = ask("with a tap");
    types(&reader, TERMINAL, "this needs a tap", &[("0b9x", &tapped)]);
    // The second of the four lines asks step by step; that is `answering.rs`.
    let lines = steps(&block_with(TERMINAL, "# what waits"));
    let [list, _by_steps, at_once, later] = &lines[..] else { panic!("{lines:?}") };
    let answered = ask("at once");
    assert!(reader.types(&list.command).good().contains("at once"));
    let person = reader.bridge.person();
    let says = |line: &str, id: &str| reader.bridge.bash_with_token(&line.replace("0b9x", id), &person);
    says(&at_once.command, &answered).good();
    let undone = ask("in ten seconds");
    says(&later.command, &undone).good();
    reader.bridge.bash_with_token(&format!("askbridge answer {undone} --undo"), &person).good();
    assert_eq!(reader.bridge.the_open_ask(), undone);
}

#[test]
fn the_doctor_says_what_the_guides_show() {
    let mut reader = Reader::at(TestBridge::start());
    reader.bridge.kill();
    let token = reader.bridge.data().join("token");
    let open = |mode| fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    open(0o644);
    let doctor = steps(&block_with(TERMINAL, "$ askbridge doctor"));
    let ran = reader.types(&format!("export ASKBRIDGE_LISTEN=127.0.0.1:{}\n{}", free_port(), doctor[0].command));
    assert_eq!(ran.code, Some(1), "something is bad");
    assert_says(&reader.here(&doctor[0].output), &ran.stdout);
    open(0o600);
    fs::create_dir_all(reader.home().join(".cursor")).unwrap();
    fs::create_dir_all(reader.home().join(".claude")).unwrap();
    reader.types("askbridge init claude && askbridge init cursor").good();
    let cursor = reader.home().join(".cursor/mcp.json");
    let broken = fs::read_to_string(&cursor).unwrap().replace(env!("CARGO_BIN_EXE_askbridge"), "/old/askbridge");
    fs::write(&cursor, broken).unwrap();
    reader.bridge.start_again();
    let doctor = steps(&block_with(INIT, "$ askbridge doctor"));
    let line = format!("{}; echo the code is $?", doctor[0].command);
    let mut terminal = Terminal::open(reader.bridge.at_a_terminal("bash", &["-c", &line]));
    terminal.shows("the code is 1");
    // The test names its data folder, so the entries do as well.
    let screen = terminal.screen().replace(&format!(" --data {}", reader.bridge.data().display()), "");
    let screen = screen.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
    assert_says(&reader.here(&doctor[0].output), &screen);
}

#[test]
fn mcp_is_tried_without_a_model_as_the_guide_says_and_the_terminal_stays_a_persons() {
    let reader = Reader::at(TestBridge::start());
    let mut terminal = Terminal::open(reader.bridge.at_a_terminal("bash", &["--norc", "--noprofile"]));
    terminal.types(&steps(&block_with(MCP, "notify_user"))[0].command);
    terminal.shows("\"id\":1,");
    terminal.shows("\"isError\":false");
    let token = steps(&block_with(MCP, "token create my-agent"));
    terminal.types(&token[0].command);
    assert_eq!(token[0].output, ["ab_…"]);
    terminal.shows("ab_");
}

#[test]
fn the_first_link_is_printed_and_a_device_paired_as_the_guides_say() {
    let reader = Reader::at(TestBridge::stopped());
    let port = free_port();
    let serving = steps(&block_with(SCRIPTS, "http://127.0.0.1:4760/#pair=…"));
    let line = format!("ASKBRIDGE_LISTEN=127.0.0.1:{port} exec {}", serving[0].command);
    let mut terminal = Terminal::open(reader.bridge.at_a_terminal("bash", &["-c", &line]));
    terminal.shows(&format!("http://127.0.0.1:{port}/#pair="));
    drop(terminal);
    until("it has ended", || reader.bridge.still_running().is_empty().then_some(()));
    let own = steps(&block_with(YOURS, "askbridge serve &"));
    let script = own.iter().map(|step| step.command.as_str()).collect::<Vec<_>>();
    let [serve, pair] = script[..] else { panic!("{script:?}") };
    // A reader types the second line when the first has printed its link.
    let script = format!("export ASKBRIDGE_LISTEN=127.0.0.1:{port}\n{serve}\nread -r go\n{pair}\nkill %1\nwait");
    let mut terminal = Terminal::open(reader.bridge.at_a_terminal("bash", &["-c", &script]));
    terminal.shows(&format!("http://127.0.0.1:{port}/"));
    terminal.types("");
    terminal.shows("Open this on the device that ada will use.");
    terminal.shows("/#pair=pair_");
}

#[test]
fn a_program_elsewhere_and_a_job_in_ci_ask_with_the_lines_of_the_guides() {
    let reader = Reader::at(TestBridge::start());
    let mut tokens = [CI, SCRIPTS].iter().map(|page| {
        let made = steps(&block_with(page, "token create ci"));
        let ran = reader.types(&made[0].command);
        assert_says(&made[0].output, ran.good());
        ran.stdout.trim().to_owned()
    });
    let token = tokens.next_back().unwrap();
    let nginx = Nginx::start(&reader.bridge, free_port(), block(PROXY, "nginx"));
    let (port, authority) = (nginx.https.port, nginx.https.authority.display());
    let elsewhere = steps(&block_with(SCRIPTS, "ASKBRIDGE_TOKEN=ab_… ASKBRIDGE_URL="));
    let line = elsewhere[0]
        .command
        .replace("ab_…", &token)
        .replace("https://ask.example.org", &format!("https://localhost:{port}"));
    let asking = reader.begins(&format!("export ASKBRIDGE_AUTHORITIES='{authority}'\n{line}"));
    let id = reader.bridge.the_open_ask();
    reader.bridge.answer(&[&id, "--option", "Yes"]).good();
    assert_eq!(asking.ended().good(), "Yes\n");

    let job = block_with(CI, "--key \"deploy-$RUN\"").text;
    for (run, label, code) in [("17", "Deploy", 0), ("18", "Do not deploy", 1)] {
        let running = reader.begins(&format!("export RUN={run}\n{job}"));
        let id = reader.bridge.the_open_ask();
        reader.bridge.answer(&[&id, "--option", label]).good();
        assert_eq!(running.ended().code, Some(code), "{label}");
    }
    let mut reader = Reader::at(TestBridge::stopped());
    fs::write(reader.home().join("config.toml"), block_with(CI, "deploys need two").text).unwrap();
    reader.bridge.start_with(&["--listen", "127.0.0.1:0", "--config", "config.toml"]);
    let _running = reader.begins(&format!("export RUN=19\n{job}"));
    reader.bridge.the_open_ask();
    assert_eq!(reader.bridge.open()[0]["quorum"]["needed"], 2, "{}", reader.bridge.open()[0]);
}

#[test]
fn claude_code_is_told_of_the_mcp_server_with_the_lines_of_the_guide() {
    let reader = Reader::at(TestBridge::start());
    reader.stand_in("claude", "printf '%s\\n' \"$@\"");
    let token = reader.types("askbridge token create my-agent").good().trim().to_owned();
    let lines = |text: &str| reader.types(&format!("token={token}\n{}", block_with(MCP, text).text)).good().to_owned();
    let passed_on = lines("-- askbridge mcp\n");
    let after = passed_on.split_once("--\n").expect("the command of the server").1;
    assert_eq!(after, "askbridge\nmcp\n");
    assert!(passed_on.contains(&format!("ASKBRIDGE_TOKEN={token}\n")));
    let over_http = lines("--transport http");
    let header = format!("Authorization: Bearer {token}");
    assert!(over_http.contains(&header), "{over_http}");
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "2.1.197"}}});
    let address = over_http.lines().find(|line| line.starts_with("http://")).unwrap();
    let path = address.strip_prefix("http://127.0.0.1:4760").expect("the port that it listens on by default");
    let headers =
        format!("{header}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n");
    let answered = reader.bridge.send("POST", path, &headers, &hello.to_string());
    assert_eq!(answered.status, 200, "{}", answered.body);
    let prompted = lines("--permission-prompt-tool");
    let tool = prompted.lines().last().unwrap().strip_prefix("mcp__askbridge__").expect("a tool of ours");
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let listed = reader.bridge.bash(&format!("printf '%s\\n' '{hello}' '{list}' | askbridge mcp"));
    let tools: Value = serde_json::from_str(listed.good().lines().last().unwrap()).unwrap();
    let names: Vec<_> = tools["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert!(names.iter().any(|name| *name == tool), "{names:?}");
}

#[test]
fn rules_are_checked_tried_and_explained_with_the_lines_of_the_cookbook() {
    let mut reader = Reader::at(TestBridge::stopped());
    let rules: Vec<_> =
        blocks(RULES).into_iter().filter(|block| block.language == "toml").map(|block| block.text).collect();
    fs::create_dir_all(reader.bridge.data()).unwrap();
    fs::write(reader.bridge.data().join("rules.toml"), rules.concat()).unwrap();
    fs::write(reader.home().join("ask.toml"), "command = \"npm publish\"\n").unwrap();
    // What rules would have decided is asked of the server.
    reader.bridge.start_again();
    let block = block_with(RULES, "askbridge policy check");
    // The home folder that the cookbook's examples are about.
    reader.types(&format!("export HOME=/home/ada\n{}", block.text)).good();
}
