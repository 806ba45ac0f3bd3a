//! The real OpenCode as an MCP client, in front of the scripted model.

use std::fs;
use std::process::{Child, Command, Stdio};

use askbridge_scripted::model::{Script, anything, on_any_result, on_user, text, tool};
use serde_json::json;

use crate::agent::{answer, installed, until_delivered, which_database};
use crate::asked;
use crate::codex::beyond_this_machine;
use crate::house::House;

/// The version that is pinned in `xtask/src/install/agents.rs`.
const VERSION: &str = "1.18.33";
const CALL: &str = "toolu_1";

fn opencode(house: &House) -> Child {
    let model = "anthropic/claude-sonnet-4-5";
    let provider = json!({"options": {"baseURL": format!("{}/v1", house.model.url()), "apiKey": "scripted-key"}});
    let command = [env!("CARGO_BIN_EXE_askbridge"), "mcp"];
    let config = json!({
        "autoupdate": false, "share": "disabled", "model": model, "small_model": model,
        "provider": {"anthropic": provider},
        "mcp": {"askbridge": {"type": "local", "command": command, "environment": {"ASKBRIDGE_DATA": house.data()}}},
    });
    fs::write(house.scratch.work().join("opencode.json"), config.to_string()).unwrap();
    let mut command = Command::new("setsid");
    command.arg(installed("ASKBRIDGE_TEST_OPENCODE", &format!("opencode/{VERSION}/opencode"))).args(["run", "hi"]);
    command.env_clear().envs(house.scratch.env(&house.model.url())).current_dir(house.scratch.work());
    for off in ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_LSP_DOWNLOAD", "OPENCODE_DISABLE_MODELS_FETCH"] {
        command.env(off, "1");
    }
    command.envs(beyond_this_machine());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn opencode_asks_with_our_tool_and_its_model_reads_the_answer() {
    let asks = tool(CALL, "askbridge_ask_user_question", which_database());
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [asks]);
    let house = House::open(script.turn(anything(), [text("A title")]));
    let mut child = opencode(&house);
    let ask = asked(&house);
    assert_eq!(ask["agent"], "opencode", "{ask}");
    answer(&house, &ask, "SQLite");
    assert_eq!(house.model.until_result(CALL).text, "The person answered: SQLite");
    until_delivered(&house, &ask);
    // It exits by itself after the model's last message; the test does not wait for that.
    let _ = child.kill();
    let _ = child.wait();
}
