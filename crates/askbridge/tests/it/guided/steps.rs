//! Guides with commands of our own, each typed as it stands.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::bridge::TestBridge;
use crate::https::{NAME, certify};
use crate::nginx::{Nginx, block, free_port};
use crate::patience::until;

use super::page::{Step, assert_says, block_with, steps};
use super::reader::Reader;

const BACKUP: &str = include_str!("../../../../../docs/guides/backup.md");
const INIT: &str = include_str!("../../../../../docs/guides/init.md");
const OPERATIONS: &str = include_str!("../../../../../docs/guides/operations.md");
const PROXY: &str = include_str!("../../../../../docs/guides/proxy.md");
const TERMINAL: &str = include_str!("../../../../../docs/guides/terminal.md");
const UPGRADE: &str = include_str!("../../../../../docs/guides/upgrade.md");
/// The address that the guides use.
const LISTENS: &str = "127.0.0.1:4760";

/// The only step of a block.
#[track_caller]
fn step(page: &str, text: &str) -> Step {
    let mut steps = steps(&block_with(page, text));
    assert_eq!(steps.len(), 1, "{steps:?}");
    steps.remove(0)
}

fn question(text: &str) -> Value {
    json!({"questions": [{"question": text, "options": ["Yes", "No"]}]})
}

#[test]
fn a_journal_is_backed_up_and_restored_as_the_guide_says() {
    let mut reader = Reader::at(TestBridge::start());
    for key in ["one", "two"] {
        reader.bridge.ask(key, &question(key));
    }
    let backup = step(BACKUP, "$ askbridge journal backup");
    assert_says(&backup.output, reader.types(&backup.command).good());
    let nightly = block_with(BACKUP, "date +%a").text;
    assert!(nightly.contains("\"/backup/"));
    fs::create_dir(reader.home().join("backup")).unwrap();
    let nightly = nightly.replace("\"/backup/", "\"$HOME/backup/");
    for night in ["the first", "the same day of the next week"] {
        reader.types(&nightly).good();
        assert_eq!(fs::read_dir(reader.home().join("backup")).unwrap().count(), 1, "{night}");
    }
    reader.bridge.ask("three", &question("three"));
    let restore = step(BACKUP, "$ askbridge journal restore monday.db");
    assert_ne!(reader.types(&restore.command).code, Some(0), "the server has to be stopped first");
    reader.bridge.kill();
    let replaced = reader.types(&format!("{} --replace", restore.command));
    assert_says(&reader.here(&restore.output), &format!("{}{}", replaced.good(), replaced.stderr));
    let export = block_with(BACKUP, "before-restore-1 askbridge journal export").text;
    assert!(reader.types(&export).good().contains("three"), "what was there before can be read");
    reader.bridge.start_again();
    assert_eq!(reader.bridge.open().len(), 2, "everything is as it was when the copy was made");
}

#[test]
fn a_journal_that_lost_its_end_is_refused_with_the_guides_words_and_accepted_as_it_says() {
    let mut reader = Reader::at(TestBridge::start());
    reader.bridge.ask("one", &question("one"));
    reader.bridge.run(&["journal", "backup", "older.db"]).good();
    reader.bridge.ask("two", &question("two"));
    reader.bridge.kill();
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(reader.bridge.data().join(format!("askbridge.db{end}")));
    }
    fs::copy(reader.home().join("older.db"), reader.bridge.data().join("askbridge.db")).unwrap();
    let refused = step(BACKUP, "although entry");
    let ran = reader.types(&refused.command);
    assert_ne!(ran.code, Some(0));
    assert_says(&reader.here(&refused.output), &ran.stderr);
    assert!(BACKUP.contains("`askbridge journal accept`"));
    reader.types("askbridge journal accept").good();
    reader.bridge.start_again();
    assert_eq!(reader.bridge.open().len(), 1);
}

#[test]
fn a_server_is_followed_by_the_next_one_without_systemd_as_the_guide_says() {
    let mut reader = Reader::at(TestBridge::start());
    let ask = reader.bridge.ask("one", &question("one"));
    fs::create_dir(reader.home().join("new")).unwrap();
    symlink(env!("CARGO_BIN_EXE_askbridge"), reader.home().join("new/askbridge")).unwrap();
    let block = block_with(UPGRADE, "--wait-for-lock");
    let next = reader.begins(&format!("export ASKBRIDGE_LISTEN=127.0.0.1:0\n{}wait", block.text));
    until("the old server ends", || reader.bridge.has_ended().then_some(()));
    next.prints("http://");
    assert_eq!(reader.bridge.the_open_ask(), ask);
}

#[test]
fn an_operator_checks_keeps_and_traces_a_server_as_the_guide_says() {
    let mut reader = Reader::at(TestBridge::stopped());
    let kept = block_with(OPERATIONS, "retention_size = ");
    fs::write(reader.home().join("config.toml"), kept.text).unwrap();
    reader.bridge.start_with(&["--listen", "127.0.0.1:0", "--config", "config.toml"]);
    reader.bridge.ask("one", &question("one"));
    let ready = step(OPERATIONS, "/readyz");
    assert_says(&ready.output, reader.types(&ready.command.replace(LISTENS, &reader.bridge.address())).good());
    let scrape = block_with(OPERATIONS, "scrape_configs");
    assert!(scrape.text.contains(&format!("targets: [\"{LISTENS}\"]")), "the address and, by default, `/metrics`");
    assert_eq!(reader.bridge.get("/metrics", "").status, 200);
    reader.bridge.without_taps();
    let prune = step(OPERATIONS, "journal prune");
    let pruned = reader.bridge.bash_with_token(&prune.command, &reader.bridge.person());
    assert!(pruned.good().contains("sessions would go"), "{}", pruned.stdout);
    reader.bridge.kill();
    let traced = block_with(OPERATIONS, "--otel-endpoint").text;
    let serving = reader.begins(&format!("export ASKBRIDGE_LISTEN=127.0.0.1:0\nexec {traced}"));
    serving.prints("http://");
    serving.interrupt();
    serving.ended().good();
}

#[test]
fn https_without_a_proxy_is_set_up_as_the_guide_says_by_flags_and_by_settings() {
    let reader = Reader::at(TestBridge::stopped());
    certify(reader.home());
    let port = free_port();
    // Listens on this machine alone, because it is a test.
    let here =
        |text: &str| text.replace("0.0.0.0:4760", &format!("127.0.0.1:{port}")).replace(":4760", &format!(":{port}"));
    let flags = step(PROXY, "--tls-cert fullchain.pem");
    let serving = reader.begins(&format!("exec {}", here(&flags.command)));
    serving.prints(&format!("https://{NAME}:{port}/"));
    assert_says(&[here(&flags.output[0])], &serving.stdout());
    serving.interrupt();
    serving.ended().good();
    let settings = block_with(PROXY, "[tls]").text;
    let folder = format!("/etc/letsencrypt/live/{NAME}");
    assert!(settings.contains(&folder));
    let settings = here(&settings).replace(&folder, reader.home().to_str().unwrap());
    fs::write(reader.home().join("config.toml"), settings).unwrap();
    let serving = reader.begins("exec askbridge --config config.toml");
    serving.prints(&format!("https://{NAME}:{port}/"));
    drop(serving);
    let local = step(PROXY, "$ askbridge --listen 0.0.0.0:4760\n");
    let serving = reader.begins(&format!("exec {}", here(&local.command)));
    serving.prints(&format!("http://127.0.0.1:{port}/"));
}

#[test]
fn whether_the_proxy_is_right_is_checked_as_the_guide_says() {
    let mut reader = Reader::at(TestBridge::stopped());
    fs::write(reader.home().join("config.toml"), block(PROXY, "toml").replace("\n   ", "\n").trim_start()).unwrap();
    reader.bridge.start_with(&["--listen", "127.0.0.1:0", "--config", "config.toml"]);
    let nginx = Nginx::start(&reader.bridge, free_port(), block(PROXY, "nginx"));
    // So that curl finds the name here.
    let (port, authority) = (nginx.https.port, nginx.https.authority.display());
    let curlrc = format!("connect-to = \"{NAME}:443:127.0.0.1:{port}\"\ncacert = \"{authority}\"\n");
    fs::write(reader.home().join(".curlrc"), curlrc).unwrap();
    for step in steps(&block_with(PROXY, "askbridge config show")) {
        let ran = reader.types(&format!("export ASKBRIDGE_CONFIG=config.toml\n{}", step.command));
        assert_says(&step.output, ran.good());
    }
}

#[test]
fn init_prints_what_its_guide_shows_and_the_agent_gets_its_token() {
    let reader = Reader::at(TestBridge::start());
    for folder in [".claude", ".codex", ".cursor"] {
        fs::create_dir(reader.home().join(folder)).unwrap();
    }
    fs::write(reader.home().join(".claude/settings.json"), "{}\n").unwrap();
    reader.types("askbridge init cursor").good();
    for step in steps(&block_with(INIT, "$ askbridge init claude --dry-run")) {
        let ran = reader.types(&step.command);
        assert_says(&reader.here(&step.output), &format!("{}{}", ran.good(), ran.stderr));
    }
    let settings = || fs::read_to_string(reader.home().join(".claude/settings.json")).unwrap();
    assert!(settings().contains(" hook\""), "{}", settings());
    reader.types("askbridge uninstall claude").good();
    reader.stand_in("claude", "echo \"${#ASKBRIDGE_TOKEN}\"");
    let ran = reader.types(&block_with(INIT, "askbridge init claude --http\n").text);
    assert!(ran.good().lines().last().unwrap().parse::<usize>().unwrap() > 20, "it has a token: {}", ran.stdout);
    assert!(settings().contains("http://") && settings().contains("ASKBRIDGE_TOKEN"), "{}", settings());
}

#[test]
fn completions_are_installed_as_the_guide_says_and_complete() {
    let reader = Reader::at(TestBridge::stopped());
    for step in steps(&block_with(TERMINAL, "completions bash")) {
        reader.types(&step.command).good();
    }
    let script = "source ~/.local/share/bash-completion/completions/askbridge\n\
                  COMP_WORDS=(askbridge inb) COMP_CWORD=1 COMP_LINE='askbridge inb' COMP_POINT=13\n\
                  \"$(complete -p askbridge | sed 's/.*-F \\([^ ]*\\).*/\\1/')\" askbridge inb askbridge\n\
                  echo \"${COMPREPLY[@]}\"";
    assert_eq!(reader.bridge.bash(script).good(), "inbox\n");
}
