//! The official Python SDK as the host, with the same model and the same answers.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::launch::ScratchHome;
use super::places;
use crate::model::{Model, ModelRequest};

const HOST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/python/host.py");

/// How the SDK's host answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    CanUseTool,
    Hook,
}

/// Lets the SDK host the real CLI: sends the prompts one after the other, and answers calls by their ids with
/// `{"allow": fields to add to the input}` or `{"deny": words}`. Returns the requests that the model got.
#[track_caller]
pub fn hosted_by_sdk(
    scratch: &ScratchHome,
    model: &Model,
    via: Via,
    prompts: &[&str],
    replies: &Value,
) -> Vec<ModelRequest> {
    let via = match via {
        Via::CanUseTool => "can_use_tool",
        Via::Hook => "hook",
    };
    let wanted = json!({"cli": places::claude(), "prompts": prompts, "via": via, "replies": replies});
    let mut command = Command::new(places::sdk_python());
    command.args(["-I", HOST]).env_clear().envs(scratch.env(&model.url())).current_dir(scratch.work());
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the SDK's Python can be started");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    stdin.write_all(wanted.to_string().as_bytes()).expect("the SDK's host reads its input");
    drop(stdin);
    let out = child.wait_with_output().expect("it is our child");
    assert!(out.status.success(), "the SDK's host failed: {}", String::from_utf8_lossy(&out.stderr));
    let results: Vec<Value> = serde_json::from_slice(&out.stdout).expect("the SDK's host prints its results");
    assert_eq!(results.len(), prompts.len(), "every prompt has a result");
    model.heard()
}
