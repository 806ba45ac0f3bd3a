//! Snapshots of the screens that people read.

use std::net::TcpListener;

use insta::assert_snapshot;
use serde_json::json;

use crate::bridge::{Ran, TestBridge};

/// Returns everything that a person sees of a command.
fn screen(bridge: &TestBridge, ran: &Ran) -> String {
    let code = ran.code.map_or("killed".to_owned(), |code| code.to_string());
    bridge.redact(&format!("{}{}[exit {code}]", ran.stdout, ran.stderr))
}

/// Makes one ask of each kind, with keys that always give the same ids.
fn one_of_each(bridge: &TestBridge) {
    let schema = json!({"properties": {"name": {"type": "string"}, "age": {"type": "integer"}}});
    let options = json!([{"label": "Yes"}, {"label": "No", "description": "not today"}]);
    let rules = json!([{"label": "npm", "rule": "Bash(npm:*)"}]);
    let context = json!({"folder": "/srv/shop", "branch": "main", "text": "All tests pass."});
    let two = json!([{"question": "Rename it?", "options": ["Yes", "No"]}, {"question": "To what?"}]);
    let many = json!([{"question": "Which parts?", "options": ["api", "web"], "multiSelect": true}]);
    for (key, body) in [
        (
            "1",
            json!({"questions": [{"question": "Deploy now?", "options": options}], "agent": "ci", "context": context}),
        ),
        ("2", json!({"questions": two, "agent": "editor"})),
        ("3", json!({"questions": many, "agent": "builder"})),
        ("4", json!({"question": "What is it called?", "agent": "namer", "timeout_seconds": 3000})),
        ("5", json!({"approval": {"tool": "Bash", "input": {"command": "npm publish"}, "rules": rules}})),
        ("6", json!({"plan": "Rewrite the parser\n\n1. Delete the old one", "agent": "planner"})),
        ("7", json!({"form": {"message": "Who are you?", "schema": schema}, "agent": "desk"})),
        ("8", json!({"question": "Is this\u{1b}[2J fine?\u{202e}", "agent": "evil\u{7}"})),
    ] {
        bridge.ask(key, &body);
    }
}

#[test]
fn an_empty_inbox() {
    let bridge = TestBridge::start();
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox"])), @"
    nothing waits for an answer
    [exit 0]
    ");
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox", "--late"])), @"
    nothing waits for a late answer
    [exit 0]
    ");
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox", "--json"])), @"
    [exit 0]
    ");
}

#[test]
fn an_inbox_with_asks_of_each_kind() {
    let bridge = TestBridge::start();
    one_of_each(&bridge);
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox"])), @r#"
    4eg3  Deploy now?
          ci in /srv/shop (main), waiting N second
          All tests pass.
          Yes | No

    4dj4  Rename it? (and 1 more)
          editor, waiting N second
          2 questions

    2eqj  Which parts?
          builder, waiting N second
          any of: api | web

    4hgf  What is it called?
          namer, waiting N second, N minute left
          free text

    1f8w  May Bash run?
          ada, waiting N second
          {"command":"npm publish"}
          allow | always allow | deny

    2wsw  Rewrite the parser…
          planner, waiting N second
          approve | send back

    7bs8  Who are you?
          desk, waiting N second
          fill in: age, name

    2s69  Is this\u{1b}[2J fine?
          evil\u{7}, waiting N second
          free text
    [exit 0]
    "#);
}

#[test]
fn what_is_over_says_how_it_ended() {
    let bridge = TestBridge::start();
    let options = json!(["Yes", "No"]);
    let ids = ["1", "2", "3"].map(|key| bridge.ask(key, &json!({"question": "Deploy now?", "options": options})));
    bridge.answer(&[&ids[0], "--option", "Yes"]).good();
    bridge.answer(&[&ids[1], "--dismiss", "--words", "not now"]).good();
    bridge.post(&format!("/v1/asks/{}/withdraw", ids[2]), "", &json!({"why": "plans changed"}));
    bridge.run(&["ask", "Too late?", "-o", "Yes", "--key", "4", "--timeout", "20ms"]);
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox", "--all"])), @"
    4hgf  Too late?
          shell in DIR, asked N second ago
          expired; can still be answered late

    2eqj  Deploy now?
          ada, asked N second ago
          withdrawn: plans changed

    4dj4  Deploy now?
          ada, asked N second ago
          dismissed, by ada (phone): not now

    4eg3  Deploy now?
          ada, asked N second ago
          answered: Yes, by ada (phone)
    [exit 0]
    ");
}

#[test]
fn refusals_of_answers() {
    let bridge = TestBridge::start();
    let two = json!([{"question": "Deploy?", "options": ["Yes", "No"]}, {"question": "Tell?", "options": ["Yes"]}]);
    let first = bridge.ask("1", &json!({"question": "Deploy now?", "options": ["Yes", "No"]}));
    let second = bridge.ask("2", &json!({"questions": two}));
    let third = bridge.ask("3", &json!({"approval": {"tool": "Bash"}}));
    assert_snapshot!(screen(&bridge, &bridge.run(&["answer"])), @"
    error: there is no terminal to ask in

    hint: say it with flags, as in `askbridge answer ID --option Yes`; see `askbridge answer --help`
    [exit 2]
    ");
    assert_snapshot!(screen(&bridge, &bridge.run(&["answer", "--option", "Yes"])), @"
    error: 3 asks wait for an answer

    hint: name one:
      4eg3  Deploy now?
      4dj4  Deploy? (and 1 more)
      2eqj  May Bash run?
    [exit 2]
    ");
    assert_snapshot!(screen(&bridge, &bridge.run(&["answer", &first, "--option", "Yes"])), @"
    error: a script may ask but not decide, and there is no terminal here

    hint: answer in a terminal, or give the script a person's token: `askbridge pair --print-token`
    [exit 1]
    ");
    assert_snapshot!(screen(&bridge, &bridge.answer(&["zzzz", "--option", "Yes"])), @"
    error: no ask begins with `zzzz`

    hint: see what is open with `askbridge inbox`
    [exit 1]
    ");
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&first, "--option", "Maybe"])), @"
    error: there is no option `Maybe`

    hint: choose from: Yes, No; or say it in your own words with `--text`
    [exit 2]
    ");
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&second, "--option", "Yes"])), @r#"
    error: more than one question has an option `Yes`

    hint: say which question, as in `--option "1:Yes"`
    [exit 2]
    "#);
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&second, "--text", "fine"])), @r#"
    error: the ask has 2 questions

    hint: say which one, as in `--text "1:fine"`
    [exit 2]
    "#);
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&third, "--option", "Yes"])), @"
    error: this is an approval, and that is no answer to it

    hint: use `--allow`, `--deny` or `--dismiss`
    [exit 2]
    ");
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&third, "--words", "why"])), @"
    error: `--words` goes with `--deny`, `--decline` or `--dismiss`
    [exit 2]
    ");
    bridge.post(&format!("/v1/asks/{first}/withdraw"), "", &json!({"why": "plans changed"}));
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&first, "--option", "Yes"])), @"
    error: the agent no longer waits for this: it was withdrawn
    [exit 1]
    ");
    bridge.answer(&[&third, "--allow"]).good();
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&third, "--deny"])), @"
    error: already decided by ada (phone), N second ago
    [exit 1]
    ");
    let below = ["run", "--", "askbridge", "answer", &second, "--dismiss"];
    assert_snapshot!(screen(&bridge, &bridge.run(&below)), @"
    error: an agent may ask but never decide, and neither may anything that it starts

    hint: answer in a terminal of your own, or on a paired device
    [exit 1]
    ");
}

#[test]
fn errors_with_hints() {
    let bridge = TestBridge::stopped();
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox"])), @"
    error: askbridge is not running: nothing listens at `DIR/data/run/askbridge.sock`

    hint: start it with `askbridge`, and leave it running
    [exit 13]
    ");
    assert_snapshot!(screen(&bridge, &bridge.run(&["run", "--", "true"])), @"
    error: askbridge is not running: nothing listens at `DIR/data/run/askbridge.sock`

    hint: start it with `askbridge`, or run the program unannounced with `--anyway`
    [exit 13]
    ");
    assert_snapshot!(screen(&bridge, &bridge.run(&["ask", "Deploy?", "--on-expiry", "stop"])), @"
    error: without a deadline nothing expires

    hint: add `--timeout 10m`
    [exit 2]
    ");
    assert_snapshot!(screen(&bridge, &bridge.run(&["ask", "Deploy?", "--timeout", "10"])), @"
    error: invalid value '10' for '--timeout <SPAN>': `10` is not a span of time; write it like 30s, 10m, 2h or 1d

    For more information, try '--help'.
    [exit 2]
    ");
    assert_snapshot!(screen(&bridge, &bridge.run(&["journal", "verify"])), @"
    error: there is no journal in `DIR/data`

    hint: `--data`, $ASKBRIDGE_DATA or `data` in the settings names the folder
    [exit 1]
    ");
    let bridge = TestBridge::start();
    assert_snapshot!(screen(&bridge, &bridge.run(&["pair"])), @"
    error: this is not a terminal; a script that a person runs says `--yes-i-am-a-person`

    hint: run `askbridge pair` in a terminal, or add `--yes-i-am-a-person`
    [exit 1]
    ");
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox", "--token", "nonsense"])), @"
    error: there is no token in the request, or the server does not know it

    hint: make a token with `askbridge token create NAME` or `askbridge pair --print-token`
    [exit 1]
    ");
    assert_snapshot!(screen(&bridge, &bridge.run(&["token", "revoke", "nonsense"])), @"
    error: there is no token `nonsense`

    hint: see `askbridge token list`
    [exit 1]
    ");
}

#[test]
fn a_server_that_cannot_start_says_what_to_do() {
    let bridge = TestBridge::start();
    let second = bridge.redact(&bridge.run(&["serve"]).stderr);
    let second: Vec<_> = second
        .split(' ')
        .map(|word| if word.starts_with(|c: char| c.is_ascii_digit()) { "PID;" } else { word })
        .collect();
    assert_snapshot!(second.join(" "), @"
    error: `DIR/data/lock` is held by process PID; stop it, or choose another folder

    hint: askbridge already runs on `DIR/data`; look at it with `askbridge inbox`, take its place with `askbridge serve --wait-for-lock`, or set ASKBRIDGE_DATA to another folder
    ");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let elsewhere = TestBridge::stopped();
    let ran = elsewhere.bash(&format!("ASKBRIDGE_LISTEN={address} askbridge"));
    let next = address.port().checked_add(1).unwrap_or(4760).to_string();
    let told = ran.stderr.replace(&address.port().to_string(), "PORT").replace(&next, "NEXT");
    assert_snapshot!(told, @"
    error: could not listen on 127.0.0.1:PORT: Address already in use (os error 98)

    hint: another program has this port; choose another: `askbridge --listen 127.0.0.1:NEXT`
    ");
    assert_snapshot!(elsewhere.bash("ASKBRIDGE_LISTEN=nowhere askbridge").stderr, @"
    error: $ASKBRIDGE_LISTEN: `nowhere` is not an address with a port, like 127.0.0.1:4760
    ");
}

#[test]
fn the_help_of_ask_lists_its_exit_codes() {
    assert_snapshot!(TestBridge::stopped().run(&["ask", "--help"]).good(), @r#"
    Ask a person, wait, and print the answer

    Usage: askbridge ask [OPTIONS] <QUESTION>

    Arguments:
      <QUESTION>  The question

    Options:
      -o, --option <LABEL>         An answer to offer; repeat it. Without any, the answer is free text
          --describe <LABEL=TEXT>  What an option means, as LABEL=TEXT; repeat it
          --multi                  Let several options be chosen; they are printed one on each line
          --header <HEADER>        A word or two to show above the question
          --timeout <SPAN>         How long to wait: 30s, 10m, 2h, 1d [default: for ever]
          --on-expiry <WHAT>       When nobody comes: tell, stop, or assume:LABEL
          --context <TEXT>         What a person should know to decide
          --title <TITLE>          What this is about, for lists of sessions
          --session <ID>           Ask within this session [default: a new one]
          --agent <NAME>           Who asks [default: shell]
          --key <KEY>              Asking again with the same key is the same question, also after a
                                   crash
          --undo <SPAN>            How long the person can take the answer back: 5s
          --no-wait                Print the ask's id and do not wait
          --json                   Print the whole ask as JSON
          --token <TOKEN>          A token to ask with, over TCP; better in ASKBRIDGE_TOKEN, where `ps`
                                   does not show it
      -h, --help                   Print help

    Settings:
          --config <FILE>       The file with the settings
          --listen <ADDRESS>    Address to serve on, and to reach with a token
          --data <FOLDER>       Folder of the journal, the token file and the local socket
          --url <URL>           Server that `ask`, `wait`, `inbox`, `answer`, `mcp` and `hook` speak to,
                                with a token, instead of the one on this machine, or the one that this
                                machine is connected to; here: the one on this machine, connected or not
          --authorities <FILE>  A PEM file with certificate authorities that commands trust beside those
                                of the machine, for a `url` with https

    Exit codes:
        0  answered; the answer is on stdout (if a rule answered, stderr says so)
        1  something else went wrong; stderr says what
        2  unknown flag or missing argument; see --help
       10  closed without an answer; their words, if any, are on stderr
       11  nobody answered in time; with `assume:`, the assumed answer is on stdout
       12  withdrawn or overtaken: the answer is no longer needed
       13  askbridge is not running; the question was not asked, unless stderr names a key
      130  interrupted with Ctrl-C; the question was withdrawn

    Examples:
      askbridge ask "Deploy now?" -o Yes -o No
      askbridge ask "Which ones?" -o api -o web -o docs --multi
      askbridge ask "What should the release be called?"
      askbridge ask "Deploy now?" -o Yes -o No --timeout 10m --on-expiry assume:No
      askbridge ask "Which database?" -o Postgres -o SQLite --describe "SQLite=one file, no server"

      if answer=$(askbridge ask "Deploy now?" -o Yes -o No) && [ "$answer" = Yes ]; then ./deploy; fi
    "#);
}

#[test]
fn every_verb_has_help_with_examples() {
    let bridge = TestBridge::stopped();
    for verb in [
        "serve",
        "ask",
        "wait",
        "inbox",
        "answer",
        "pair",
        "token",
        "taps",
        "journal",
        "policy",
        "digest",
        "run",
        "hook",
        "away",
        "resume",
        "demo",
        "config",
        "doctor",
        "completions",
    ] {
        let help = bridge.run(&[verb, "--help"]);
        assert!(help.good().contains("Examples:\n  "), "{verb}");
    }
    assert!(bridge.run(&["--help"]).good().contains("Examples:\n  "));
    let settings = bridge.run(&["help", "settings"]);
    for flag in ["--listen <ADDRESS>", "--terms-timeout <SPAN>", "--claude <FILE>", "--config <FILE>"] {
        assert!(settings.good().contains(flag), "{flag}");
    }
    assert_eq!(bridge.run(&["settings"]).good(), settings.good());
}
