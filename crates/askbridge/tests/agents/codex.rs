//! The real Codex as a client, in front of a scripted model that speaks its language.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::agent::{answer, house, installed, ticket, until_delivered, which_database};
use crate::asked;
use crate::house::House;

/// The version that `cargo xtask agents` pins.
const VERSION: &str = "0.166.0";

/// A model that calls one tool, and says what it was told.
struct Model {
    child: Child,
    said: BufReader<ChildStdout>,
    address: String,
}

impl Model {
    fn start(tool: &str, arguments: &Value) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents/clients/responses.py");
        let mut command = Command::new("python3");
        command.args(["-I", script, tool, &arguments.to_string()]).stdout(Stdio::piped()).stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut address = String::new();
        said.read_line(&mut address).unwrap();
        Self { child, said, address: address.trim().to_owned() }
    }

    /// What the model read as the result of its call.
    #[track_caller]
    fn read(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn codex(house: &House, model: &Model) -> Child {
    let home = house.room.home().join("codex");
    fs::create_dir_all(&home).unwrap();
    let (binary, data) = (env!("CARGO_BIN_EXE_askbridge"), house.data());
    let config = format!(
        "model = \"scripted\"\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\n\
         sandbox_mode = \"danger-full-access\"\n[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}\"\n\
         wire_api = \"responses\"\nenv_key = \"SCRIPTED_KEY\"\n[mcp_servers.askbridge]\ncommand = \"{binary}\"\n\
         args = [\"mcp\"]\nenv = {{ ASKBRIDGE_DATA = \"{}\" }}\n",
        model.address,
        data.display()
    );
    fs::write(home.join("config.toml"), config).unwrap();
    let mut command = Command::new("setsid");
    command.arg(installed("ASKBRIDGE_TEST_CODEX", &format!("codex/{VERSION}/codex")));
    command.args(["exec", "--skip-git-repo-check", "hi"]).env_clear().envs(house.room.env("http://127.0.0.1:9"));
    command.env("CODEX_HOME", &home).env("SCRIPTED_KEY", "none").current_dir(house.room.work());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn codex_asks_with_our_tool_and_its_model_reads_the_answer() {
    let house = house(&[]);
    let mut model = Model::start("ask_user_question", &which_database());
    let mut child = codex(&house, &model);
    let ask = asked(&house);
    assert!(ask["agent"].as_str().unwrap().to_lowercase().starts_with("codex"), "{ask}");
    answer(&house, &ask, "SQLite");
    let read = model.read();
    assert!(read.contains("The person answered: SQLite"), "{read}");
    assert!(child.wait().unwrap().success());
    until_delivered(&house, &ask);
}

#[test]
fn codex_gets_a_ticket_before_it_would_give_up() {
    let house = house(&[("ASKBRIDGE_MCP_WAIT", "codex=1s")]);
    let mut model = Model::start("ask_user_question", &which_database());
    let mut child = codex(&house, &model);
    let read: Value = serde_json::from_str(&model.read()).unwrap();
    let words = read.to_string().replace("\\n", " ");
    assert_eq!(ticket(&words), asked(&house)["id"], "{words}");
    assert!(child.wait().unwrap().success());
}
