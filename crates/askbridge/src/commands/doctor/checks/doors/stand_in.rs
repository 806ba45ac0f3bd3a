//! The agent's side of a test: a process between the doctor and the door, where an agent would be.
//!
//! The server takes the process that calls a hook for an agent, and lets nothing below it decide. That must not be the
//! doctor, which has to answer.

use std::path::Path;
use std::process::Stdio;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

/// Runs `$COMMAND`, and remains its parent until it ends.
const SCRIPT: &str = "eval \"$COMMAND\"; exit $?";

/// Starts a command as an agent would; of our variables, it gets only those that lead to a server.
pub(super) fn start(command: &str, folder: Option<&Path>) -> std::io::Result<Child> {
    let mut stand_in = Command::new("/bin/sh");
    stand_in.args(["-c", SCRIPT]).env("COMMAND", command);
    stand_in.env_remove("ASKBRIDGE_TOKEN").env_remove("ASKBRIDGE_HOSTED");
    if let Some(folder) = folder {
        stand_in.env("ASKBRIDGE_DATA", folder);
    }
    stand_in.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).spawn()
}

/// The output of a command that has ended.
#[derive(Debug)]
pub(super) struct CommandOutput {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Writes the input, and waits until the command has ended.
pub(super) async fn run(mut child: Child, input: &str) -> std::io::Result<CommandOutput> {
    if let Some(mut stdin) = child.stdin.take() {
        // A command that has already ended reports the reason itself.
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    let output = child.wait_with_output().await?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    Ok(CommandOutput { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) })
}

impl CommandOutput {
    /// Explains why a command that should have asked did not, if that is obvious.
    pub(super) fn why(&self, verb: &str) -> Option<String> {
        let first = self.stderr.lines().next().unwrap_or_default();
        match self.code {
            Some(127) => Some("there is no such program".to_owned()),
            Some(126) => Some("it cannot be run".to_owned()),
            Some(2) if self.stderr.contains("unrecognized subcommand") => {
                Some(format!("this askbridge has no `{verb}`"))
            }
            Some(0) => None,
            Some(code) => Some(format!("it ended with {code}: {first}")),
            None => Some("it was killed".to_owned()),
        }
    }
}
