//! Settings: a file, the environment, flags, and `askbridge config`.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::bridge::{Ran, TestBridge};
use crate::patience::until;
use crate::terminal::Terminal;

fn screen(bridge: &TestBridge, ran: &Ran) -> String {
    let text = bridge.redact(&format!("{}{}[exit {}]", ran.stdout, ran.stderr, ran.code.unwrap()));
    // The width of columns depends on where the tests run.
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(words).collect::<Vec<_>>().join("\n")
}

/// Writes the file that is read by default.
fn write(bridge: &TestBridge, text: &str) {
    let folder = bridge.dir.path().join(".config/askbridge");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

/// Returns one setting of `config show --json`.
fn setting(ran: &Ran, name: &str) -> Value {
    let lines = ran.good().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.into_iter().find(|line| line["name"] == name).unwrap()
}

#[test]
fn a_flag_beats_the_environment_which_beats_the_file_which_beats_the_default() {
    let bridge = TestBridge::stopped();
    let show = "askbridge config show --json";
    let level = |ran: Ran| {
        let setting = setting(&ran, "log.level");
        (setting["value"].as_str().unwrap().to_owned(), setting["source"]["kind"].as_str().unwrap().to_owned())
    };
    let of = |value: &str, source: &str| (value.to_owned(), source.to_owned());
    assert_eq!(level(bridge.bash(show)), of("info", "default"));
    write(&bridge, "[log]\nlevel = \"warn\"\n");
    assert_eq!(level(bridge.bash(show)), of("warn", "file"));
    assert_eq!(level(bridge.bash(&format!("ASKBRIDGE_LOG=error {show}"))), of("error", "env"));
    assert_eq!(
        level(bridge.bash("ASKBRIDGE_LOG=error askbridge --log-level debug config show --json")),
        of("debug", "flag")
    );
}

#[test]
fn every_setting_says_where_it_came_from() {
    let bridge = TestBridge::stopped();
    write(
        &bridge,
        "listen = \"localhost:4999\"\nallowed_hosts = [\"a.example\", \"b.example\"]\n\n[terms]\ntimeout = \"8h\"\n\n\
         [[rules]]\nname = \"deploys\"\nagent = \"ci\"\nquorum = 2\n",
    );
    let ran = bridge.bash("ASKBRIDGE_TOKEN=ab_secret askbridge config show");
    assert_snapshot!(screen(&bridge, &ran), @"
    listen 127.0.0.1:4999 DIR/.config/askbridge/config.toml:1
    data DIR/data $ASKBRIDGE_DATA
    journal sqlite default
    retention keep default
    retention_size keep default
    user ada default
    token (secret) $ASKBRIDGE_TOKEN
    url (none) default
    authorities (none) default
    public_url (none) default
    behind_proxy false default
    allowed_hosts a.example,b.example DIR/.config/askbridge/config.toml:2
    allowed_origins (none) default
    claude (none) default
    rules (none) default
    gobby_rules (none) default
    gobby_projects true default
    roots (none) default
    node.name (none) default
    node.labels (none) default
    node.address (none) default
    nats.replicas 3 default
    nats.credentials (none) default
    nats.nkey (none) default
    nats.user (none) default
    nats.password_file (none) default
    nats.authorities (none) default
    nats.certificate (none) default
    nats.certificate_key (none) default
    nats.monitors (none) default
    tls.cert (none) default
    tls.key (none) default
    tls.listen (none) default
    tls.redirect (none) default
    tls.authority (none) default
    tls.tailscale (none) default
    acme.names (none) default
    acme.directory https://acme-v02.api.letsencrypt.org/directory default
    acme.profile (none) default
    acme.challenge tls-alpn-01 default
    acme.authorities (none) default
    limits.requests 10000 default
    limits.failures 20 default
    agents.warm 10m default
    agents.hold_max off default
    agents.denied_wait 1m default
    agents.always_ask (none) default
    agents.memory off default
    agents.idle 30m default
    agents.max 16 default
    agents.env (none) default
    hooks.accept 300ms default
    hooks.park off default
    hooks.headless 1m default
    hooks.denied_wait 1m default
    hooks.away_after 5m default
    hooks.back 2m default
    notify.grace 15s default
    notify.remind 10m,1h default
    notify.quiet (none) default
    notify.digest 18:00-19:00 default
    dialects.speak (none) default
    dialects.folder DIR default
    dialects.insecure_loopback false default
    dialects.empty_dismissals false default
    dialects.whimmy_approvals false default
    outbound.private (none) default
    outbound.authorities (none) default
    mcp.wait (none) default
    log.level info default
    log.format text default
    otel.endpoint none default
    terms.timeout 8h DIR/.config/askbridge/config.toml:5
    terms.on_expiry tell default
    terms.on_dismissal tell default
    terms.undo none default
    terms.quorum 1 default
    terms.messages hold default
    terms.parallel true default
    rules deploys DIR/.config/askbridge/config.toml:7
    [exit 0]
    ");
}

#[test]
fn nothing_starts_with_a_setting_that_does_not_exist() {
    let bridge = TestBridge::stopped();
    write(&bridge, "\nlisen = \"127.0.0.1:1\"\n");
    assert_snapshot!(screen(&bridge, &bridge.run(&["serve"])), @"
    error: DIR/.config/askbridge/config.toml:2: there is no setting `lisen`

    hint: did you mean `listen`?
    [exit 1]
    ");
    assert_eq!(bridge.run(&["inbox"]).code, Some(1));
    write(&bridge, "[terms]\ntimeout = 600\nquorum = 99\n");
    assert_snapshot!(screen(&bridge, &bridge.run(&["serve"])), @r#"
    error: DIR/.config/askbridge/config.toml:2: `terms.timeout`: this number has no unit; write "600s" for seconds

    hint: and 1 more; see `askbridge config check`
    [exit 1]
    "#);
}

#[test]
fn a_check_finds_everything_at_once() {
    let bridge = TestBridge::stopped();
    let untouched = "env -u ASKBRIDGE_DATA askbridge config check";
    assert_snapshot!(screen(&bridge, &bridge.bash(untouched)), @"
    there is no file `DIR/.config/askbridge/config.toml`; everything is at its default
    [exit 0]
    ");
    write(&bridge, "lisen = 1\ntoken = \"x\"\n[log]\nlevel = \"loud\"\n");
    assert_snapshot!(screen(&bridge, &bridge.run(&["config", "check"])), @"
    DIR/.config/askbridge/config.toml:1: there is no setting `lisen` (did you mean `listen`?)
    DIR/.config/askbridge/config.toml:2: `token` does not belong in a file (an agent could read it here; set ASKBRIDGE_TOKEN where it is needed)
    DIR/.config/askbridge/config.toml:4: `log.level`: `loud` is not error, warn, info or debug
    error: 3 things are wrong with the settings

    hint: every setting is in `askbridge config reference`
    [exit 1]
    ");
    let ran = bridge.run(&["config", "check", "--json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&report["good"], report["problems"].as_array().unwrap().len()), (&json!(false), 3));
    let good = bridge.dir.path().join("good.toml");
    fs::write(&good, "listen = \"127.0.0.1:1\"\n").unwrap();
    assert_snapshot!(screen(&bridge, &bridge.run(&["config", "check", good.to_str().unwrap()])), @"
    DIR/good.toml: all is as it should be (settings: 1, rules: 0)
    [exit 0]
    ");
}

#[test]
fn a_check_finds_what_refuses_a_server_wherever_it_was_said() {
    let bridge = TestBridge::stopped();
    let wrong = "ASKBRIDGE_LISTEN=nowhere askbridge --log-level quiet";
    assert_snapshot!(screen(&bridge, &bridge.bash(&format!("{wrong} config check"))), @"
    $ASKBRIDGE_LISTEN: `nowhere` is not an address with a port, like 127.0.0.1:4760
    --log-level: `quiet` is not error, warn, info or debug
    error: 2 things are wrong with the settings

    hint: every setting is in `askbridge config reference`
    [exit 1]
    ");
    let report: Value = serde_json::from_str(&bridge.bash(&format!("{wrong} config check --json")).stdout).unwrap();
    assert_eq!((&report["good"], &report["problems"][1]["place"]), (&json!(false), &json!("--log-level")));
    assert_eq!(bridge.bash(&format!("{wrong} serve")).code, Some(1));
    // A file for another machine is checked alone.
    let elsewhere = bridge.dir.path().join("elsewhere.toml");
    fs::write(&elsewhere, "listen = \"127.0.0.1:1\"\n").unwrap();
    bridge.bash(&format!("{wrong} config check {}", elsewhere.display())).good();
}

#[test]
fn a_file_that_was_named_has_to_be_there() {
    let bridge = TestBridge::stopped();
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox", "--config", "/nowhere/askbridge.toml"])), @"
    error: /nowhere/askbridge.toml: there is no such file

    hint: `--config` and $ASKBRIDGE_CONFIG name the file with the settings
    [exit 1]
    ");
    assert_eq!(bridge.bash("ASKBRIDGE_CONFIG=/nowhere/a.toml askbridge inbox").code, Some(1));
}

#[test]
fn a_setting_of_the_server_is_no_setting_of_a_command() {
    let bridge = TestBridge::stopped();
    assert_snapshot!(screen(&bridge, &bridge.run(&["--terms-undo", "5s", "inbox"])), @"
    error: `--terms-undo` is a setting of the server, and this command is not

    hint: start the server with it: `askbridge serve --terms-undo …`
    [exit 2]
    ");
    assert_eq!(bridge.run(&["inbox", "--terms-undo", "5s"]).code, Some(2));
}

#[test]
fn terms_from_the_file_hold_and_the_ask_and_a_rule_are_stronger() {
    let mut bridge = TestBridge::stopped();
    let file = bridge.dir.path().join("terms.toml");
    let rules = "[[rules]]\nname = \"patience\"\nagent = \"slow\"\ntimeout = \"never\"\n";
    fs::write(&file, format!("listen = \"127.0.0.1:0\"\n[terms]\ntimeout = \"1h\"\nundo = \"30s\"\n{rules}")).unwrap();
    bridge.start_with(&["--config", file.to_str().unwrap()]);
    let waits = |body: Value| {
        let ask = bridge.post("/v1/asks", &body.to_string().len().to_string(), &body);
        let minute = |time: &Value| time.as_str().map(|time| time[11..16].to_owned());
        (minute(&ask["asked_at"]), minute(&ask["deadline"]))
    };
    let (asked, deadline) = waits(json!({"question": "One hour?"}));
    assert_ne!(deadline, None);
    assert_ne!(asked, deadline);
    let (_, longer) = waits(json!({"question": "Two hours, says the ask?", "timeout_seconds": 7200}));
    assert_ne!(longer, deadline);
    assert_eq!(waits(json!({"question": "For ever, says the rule?", "timeout_seconds": 1, "agent": "slow"})).1, None);
    let id = bridge.ask("undo", &json!({"question": "Deploy now?", "options": ["Yes"]}));
    let ran = bridge.answer(&[&id, "--option", "Yes"]);
    assert!(ran.stderr.contains("it can be taken back"), "{}", ran.stderr);
}

/// Sends one request as a browser behind a proxy would.
fn status(bridge: &TestBridge, host: &str) -> String {
    let address = fs::read_to_string(bridge.data().join("run/address")).unwrap();
    let mut socket = TcpStream::connect(address.trim()).unwrap();
    write!(socket, "GET /healthz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
    let mut response = String::new();
    socket.read_to_string(&mut response).unwrap();
    response.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn a_name_behind_a_proxy_is_ours_once_it_is_listed() {
    let mut bridge = TestBridge::stopped();
    bridge.start_with(&["--listen", "127.0.0.1:0", "--allowed-hosts", "ask.example,b.example"]);
    assert_eq!(status(&bridge, "ask.example"), "200");
    assert_eq!(status(&bridge, "evil.example"), "403");
}

#[test]
fn links_begin_with_what_people_type() {
    let mut bridge = TestBridge::stopped();
    write(&bridge, "listen = \"127.0.0.1:0\"\npublic_url = \"https://ask.example/\"\n");
    bridge.start_with(&[]);
    assert_eq!(status(&bridge, "ask.example"), "200");
    let ran = bridge.run(&["pair", "--json", "--yes-i-am-a-person"]);
    let made: Value = serde_json::from_str(ran.good()).unwrap();
    assert!(made["link"].as_str().unwrap().starts_with("https://ask.example/#pair=pair_"), "{made}");
    for wrong in ["ask.example", "ftp://ask.example", "https://ask.example/path", "https://a@b"] {
        assert_eq!(bridge.run(&["--public-url", wrong, "config", "show"]).code, Some(1), "{wrong}");
    }
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "-o", "Yes", "--no-wait"]).good();
    let mut inbox = bridge.at_a_terminal(env!("CARGO_BIN_EXE_askbridge"), &["inbox"]);
    let mut plain = inbox.clone();
    inbox.env_remove("NO_COLOR");
    plain.env("NO_COLOR", "1");
    for (command, coloured) in [(inbox, true), (plain, false)] {
        let mut terminal = Terminal::open(command);
        terminal.shows("Deploy now?");
        terminal.shows("Yes");
        assert_eq!(terminal.screen().contains("\x1b["), coloured);
    }
}

#[test]
fn logs_are_json_for_programs() {
    let mut bridge = TestBridge::stopped();
    bridge.start_with(&["--listen", "127.0.0.1:0", "--log-format", "json"]);
    let line = until("the server logs", || bridge.log().lines().next().map(str::to_owned));
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["level"], "INFO");
    assert!(line["message"].as_str().unwrap().contains("serves"), "{line}");
}

#[test]
fn completions_know_every_command() {
    let bridge = TestBridge::stopped();
    for shell in ["bash", "zsh", "fish"] {
        let ran = bridge.run(&["completions", shell]);
        for command in ["doctor", "inbox", "demo", "allowed-hosts"] {
            assert!(ran.good().contains(command), "{shell}: {command}");
        }
    }
    let script = "source <(askbridge completions bash) && complete -p askbridge";
    assert!(bridge.bash(script).good().contains("_askbridge"));
}
