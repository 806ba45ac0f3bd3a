//! Guides with several steps, each followed to the letter: a deploy in CI, a bot, a team, and where data is stored.

use std::fs;

use serde_json::{Value, json};

use crate::bridge::{Ran, Running, TestBridge};
use crate::nginx::{Nginx, block, free_port};
use crate::patience::until;

const CI: &str = include_str!("../../../../docs/guides/ci.md");
const BOT: &str = include_str!("../../../../docs/guides/bot.md");
const TEAM: &str = include_str!("../../../../docs/guides/team.md");
const DATA: &str = include_str!("../../../../docs/guides/your-data.md");
const PROXY: &str = include_str!("../../../../docs/guides/proxy.md");

/// Returns the script of a step of the workflow.
fn step(name: &str) -> String {
    let workflow = block(CI, "yaml");
    let after = workflow.split_once(&format!("- name: {name}\n")).expect("there is such a step").1;
    let script = after.split_once("run: |\n").expect("it runs a script").1;
    script.lines().map_while(|line| line.strip_prefix("          ")).collect::<Vec<_>>().join("\n")
}

/// A minimal GitHub runner, with what the workflow uses.
struct Runner {
    bridge: TestBridge,
    nginx: Nginx,
    listen: String,
    token: String,
}

impl Runner {
    fn start() -> Self {
        let mut bridge = TestBridge::stopped();
        let listen = format!("127.0.0.1:{}", free_port());
        bridge.start_with(&["--listen", &listen]);
        let nginx = Nginx::start(&bridge, free_port(), block(PROXY, "nginx"));
        let token = bridge.run(&["token", "create", "ci"]).good().trim().to_owned();
        fs::write(bridge.dir.path().join("env"), "").unwrap();
        Self { bridge, nginx, listen, token }
    }

    /// Runs a step as a runner does: with `bash -e`, and with what earlier steps put into the environment.
    fn step(&self, run: &str, name: &str) -> Running {
        fs::write(self.bridge.dir.path().join("step.sh"), step(name)).unwrap();
        let (port, authority) = (self.nginx.https.port, &self.nginx.https.authority);
        let (token, authority) = (&self.token, authority.display());
        self.bridge.spawn_bash(&format!(
            "export ASKBRIDGE_URL=https://localhost:{port} ASKBRIDGE_TOKEN={token} CURL_CA_BUNDLE='{authority}'\n\
             export GITHUB_SHA=4f2a9c1d7e GITHUB_ACTOR=ada GITHUB_REPOSITORY=shop/web GITHUB_SERVER_URL=https://github.example\n\
             export GITHUB_RUN_ID={run} GITHUB_RUN_ATTEMPT=1 GITHUB_ENV=$PWD/env\n\
             set -a; . ./env; set +a\nexec bash -e step.sh"
        ))
    }

    fn answer(&self, label: &str) {
        self.bridge.answer(&[&self.bridge.the_open_ask(), "--option", label]).good();
    }
}

#[test]
fn the_job_deploys_after_a_yes_also_through_a_restart() {
    let mut runner = Runner::start();
    runner.bridge.person();
    runner.step("17", "Ask").ended().good();
    let shown = &runner.bridge.open()[0];
    assert_eq!(shown["questions"][0]["question"], "Deploy 4f2a9c1?");
    assert_eq!(shown["context"]["title"], "shop/web");
    runner.step("17", "Ask").ended().good();
    let waiting = runner.step("17", "Wait for an answer");
    let asked = runner.bridge.the_open_ask();
    until("the step waits", || runner.nginx.answered().contains("POST /v1/asks ").then_some(()));
    runner.bridge.kill();
    until("it was told 502", || runner.nginx.answered().contains("\" 502 ").then_some(()));
    let listen = runner.listen.clone();
    runner.bridge.start_with(&["--listen", &listen]);
    assert_eq!(runner.bridge.the_open_ask(), asked, "a step that is repeated asks once");
    runner.answer("Deploy");
    let waited = waiting.ended();
    assert_eq!(waited.good(), "ada: Deploy\n");
}

#[test]
fn the_job_fails_after_a_no_and_takes_its_question_back_when_it_is_cancelled() {
    let runner = Runner::start();
    runner.step("18", "Ask").ended().good();
    let waiting = runner.step("18", "Wait for an answer");
    runner.answer("Do not deploy");
    let Ran { code, stdout, .. } = waiting.ended();
    assert_eq!((code, stdout.as_str()), (Some(1), "ada: Do not deploy\n"));
    runner.step("19", "Ask").ended().good();
    let id = runner.bridge.the_open_ask();
    let taken_back = runner.step("19", "Take the question back").ended();
    let ask: Value = serde_json::from_str(taken_back.good()).unwrap();
    assert_eq!((&ask["id"], &ask["state"]), (&json!(id), &json!("withdrawn")));
    assert!(runner.bridge.open().is_empty());
    let over = runner.step("19", "Wait for an answer").ended();
    assert_eq!((over.code, over.stdout.as_str()), (Some(1), "withdrawn\n"));
}

#[test]
fn the_bot_of_the_guide_answers_what_it_knows_and_leaves_the_rest_to_people() {
    let mut bridge = TestBridge::start();
    bridge.without_taps();
    let make = ["pair", "--role", "bot", "--name", "nightly", "--print-token", "--yes-i-am-a-person"];
    let token = bridge.run(&make).good().to_owned();
    fs::create_dir_all(bridge.dir.path().join(".config")).unwrap();
    fs::write(bridge.dir.path().join(".config/nightly.token"), token).unwrap();
    let other =
        bridge.run(&["ask", "Rebuild the house?", "-o", "Yes", "-o", "No", "--no-wait"]).good().trim().to_owned();
    let bot = bridge.spawn_bash(block(BOT, "bash"));
    let asked = bridge.spawn(&["ask", "Rebuild the cache?", "-o", "Yes", "-o", "No", "--json"]).ended();
    let ask: Value = serde_json::from_str(asked.good()).unwrap();
    assert_eq!((&ask["state"], &ask["by"]), (&json!("ruled"), &json!({"rule": "bot nightly"})), "{ask}");
    assert_eq!(bridge.the_open_ask(), other);
    bridge.kill();
    drop(bot);
    until("nothing of the bot runs any more", || bridge.still_running().is_empty().then_some(()));
}

#[test]
fn the_settings_of_the_team_hold_and_each_person_is_let_in_by_a_tap() {
    let mut bridge = TestBridge::stopped();
    let settings: Vec<_> = block(TEAM, "toml").lines().map(|line| line.strip_prefix("   ").unwrap_or(line)).collect();
    fs::write(bridge.dir.path().join("config.toml"), settings.join("\n")).unwrap();
    bridge.start_with(&["--listen", "127.0.0.1:0", "--config", "config.toml"]);
    bridge.person();
    let pairing = bridge.spawn(&["pair", "--name", "bob", "--role", "person", "--yes-i-am-a-person"]);
    bridge.tap("--allow");
    let link = pairing.ended().good().trim().to_owned();
    let secret = link.strip_prefix("https://ask.example.org/#pair=").expect("it leads to where people open it");
    let bob = bridge.send("POST", "/v1/pair", "", &json!({"secret": secret, "device": "phone"}).to_string()).json();
    let bob = bob["token"].as_str().expect("a device has a token");
    let asking = bridge.spawn(&["ask", "Deploy to production?", "-o", "Yes", "-o", "No"]);
    let id = bridge.the_open_ask();
    assert_eq!(bridge.open()[0]["quorum"]["needed"], 2, "{}", bridge.open()[0]);
    bridge.answer(&[&id, "--option", "Yes"]).good();
    assert_eq!(bridge.the_open_ask(), id, "one is not enough");
    bridge.bash_with_token(&format!("askbridge answer {id} --option Yes"), bob).good();
    assert_eq!(asking.ended().good(), "Yes\n");
    assert_eq!(bridge.get("/metrics", "").status, 401, "as the guide says");
}

#[test]
fn everything_in_the_data_folder_is_on_the_page_that_lists_it_and_goes_as_it_says() {
    let mut bridge = TestBridge::start();
    bridge.bash("mkdir .claude && echo '{}' > .claude/settings.json && askbridge init claude").good();
    bridge.ask("k", &json!({"question": "Deploy now?"}));
    bridge.run(&["journal", "backup", "copy.db"]).good();
    bridge.kill();
    bridge.run(&["journal", "restore", "--replace", "copy.db"]).good();
    bridge.start_again();
    bridge.person();
    let known = |name: &str| DATA.contains(&format!("`{name}`")) || DATA.contains(&format!("`{name}/`"));
    let folder = |path: &std::path::Path| {
        let names = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<Vec<_>>()
    };
    let names = folder(&bridge.data());
    for needed in ["askbridge.db", "before-restore-1", "index.db", "installed", "run", "token", "watermark"] {
        assert!(names.iter().any(|name| name == needed), "{needed} is not made any more: {names:?}");
    }
    for name in names.iter().filter(|name| !name.starts_with("index.db")) {
        assert!(known(name), "`{name}` is not on the page");
    }
    bridge.kill();
    let listed = bridge.run(&["uninstall"]);
    assert!(listed.good().contains("`askbridge uninstall claude` takes it out"), "{}", listed.stdout);
    bridge.run(&["uninstall", "claude"]).good();
    bridge.bash(block(DATA, "bash")).good();
    assert!(!bridge.data().exists() && !bridge.dir.path().join(".config/askbridge").exists());
    assert_eq!(fs::read_to_string(bridge.dir.path().join(".claude/settings.json")).unwrap(), "{}\n");
}
