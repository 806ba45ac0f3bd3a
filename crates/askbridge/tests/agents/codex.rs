//! The real Codex as an MCP client, in front of a scripted model that speaks its protocol.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::agent::{answer, house, installed, ticket, until_delivered, which_database};
use crate::asked;
use crate::house::House;
use crate::model::Model;

/// The version that is pinned in `xtask/src/install/agents.rs`.
const VERSION: &str = "0.166.0";

/// Nothing listens there.
const NOWHERE: &str = "http://127.0.0.1:9";

/// Finds the program.
pub(crate) fn program() -> PathBuf {
    installed("ASKBRIDGE_TEST_CODEX", &format!("codex/{VERSION}/codex"))
}

/// Returns the folder with its settings.
pub(crate) fn home(house: &House) -> PathBuf {
    house.scratch.home().join("codex")
}

/// Variables that send all traffic beyond this machine nowhere.
pub(crate) fn beyond_this_machine() -> [(&'static str, &'static str); 4] {
    [("HTTP_PROXY", NOWHERE), ("HTTPS_PROXY", NOWHERE), ("ALL_PROXY", NOWHERE), ("NO_PROXY", "127.0.0.1")]
}

/// Returns its whole environment.
pub(crate) fn environment(house: &House) -> Vec<(String, String)> {
    let mut variables = house.scratch.env(NOWHERE);
    let home = home(house).to_string_lossy().into_owned();
    let more = [("CODEX_HOME", home.as_str()), ("SCRIPTED_KEY", "none")];
    let more = more.into_iter().chain(beyond_this_machine());
    variables.extend(more.map(|(name, value)| (name.to_owned(), value.to_owned())));
    variables
}

fn codex(house: &House, model: &Model) -> Child {
    let home = home(house);
    fs::create_dir_all(&home).unwrap();
    let (binary, data) = (env!("CARGO_BIN_EXE_askbridge"), house.data());
    let config = format!(
        "{}approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n[mcp_servers.askbridge]\n\
         command = \"{binary}\"\nargs = [\"mcp\"]\nenv = {{ ASKBRIDGE_DATA = \"{}\" }}\n",
        model.settings(),
        data.display()
    );
    fs::write(home.join("config.toml"), config).unwrap();
    let mut command = Command::new("setsid");
    command.arg(program()).args(["exec", "--skip-git-repo-check", "hi"]);
    command.env_clear().envs(environment(house)).current_dir(house.scratch.work());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn codex_asks_with_our_tool_and_its_model_reads_the_answer() {
    let house = house(&[]);
    let model = Model::start("ask_user_question", &which_database());
    let mut child = codex(&house, &model);
    let ask = asked(&house);
    assert!(ask["agent"].as_str().unwrap().to_lowercase().starts_with("codex"), "{ask}");
    answer(&house, &ask, "SQLite");
    let read = model.result();
    assert!(read.contains("The person answered: SQLite"), "{read}");
    assert!(child.wait().unwrap().success());
    until_delivered(&house, &ask);
}

#[test]
fn codex_gets_a_ticket_before_it_would_give_up() {
    let house = house(&[("ASKBRIDGE_MCP_WAIT", "codex=1s")]);
    let model = Model::start("ask_user_question", &which_database());
    let mut child = codex(&house, &model);
    let words = model.result();
    assert_eq!(ticket(&words), asked(&house)["id"], "{words}");
    assert!(child.wait().unwrap().success());
}
