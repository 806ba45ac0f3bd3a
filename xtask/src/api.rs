//! `cargo xtask api`: checks that the real server conforms to its own OpenAPI document, on any input.
//!
//! schemathesis reads the document that the server serves, generates valid and invalid requests from it, and checks the
//! responses against it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::install::schemathesis;
use crate::run::{binaries, go, root};

/// Enough to try every parameter and field; the whole run takes about a minute.
const EXAMPLES: &str = "12";
/// Fixed, so that a failure can be reproduced.
const SEED: &str = "20261115";

pub(crate) fn run() -> Result<()> {
    let tester = schemathesis()?;
    binaries()?;
    let folder = root().join("target/tmp/api");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let (_server, address) = serve(&folder)?;
    let token = token(&folder)?;
    let mut command = Command::new(tester);
    command
        .args(["--config-file", "xtask/schemathesis.toml", "run", &format!("http://{address}/v1/openapi.json")])
        .env("ASKBRIDGE_TOKEN", token)
        .args(["--max-examples", EXAMPLES, "--seed", SEED, "--no-color"]);
    go(command, "schemathesis run /v1/openapi.json")
}

/// The server's process; killed when dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn askbridge(folder: &Path, args: &[&str]) -> Command {
    // In its own session, so that it has no controlling terminal wherever this is run.
    let mut command = Command::new("setsid");
    command.arg(root().join("target/debug/askbridge")).args(args).env("ASKBRIDGE_DATA", folder.join("data"));
    command.env("ASKBRIDGE_LISTEN", "127.0.0.1:0").stdin(Stdio::null());
    // Every address is also tried with wrong tokens; the limit on failures must not replace their 401.
    command.env("ASKBRIDGE_LIMITS_FAILURES", "1000000");
    command
}

fn serve(folder: &Path) -> Result<(Server, String)> {
    let log = std::fs::File::create(folder.join("server.log"))?;
    let mut server = askbridge(folder, &["serve"]).stdout(Stdio::piped()).stderr(log).spawn()?;
    let stdout = server.stdout.take().context("it has an output")?;
    let server = Server(server);
    let mut link = String::new();
    BufReader::new(stdout).read_line(&mut link)?;
    let address = link.strip_prefix("http://").and_then(|link| link.split('/').next());
    let address =
        address.with_context(|| format!("the server printed no link; see {}/server.log", folder.display()))?;
    Ok((server, address.to_owned()))
}

/// Returns an operator's token: it may ask and decide, so most addresses accept it.
fn token(folder: &Path) -> Result<String> {
    let args = ["pair", "--print-token", "--yes-i-am-a-person", "--name", "ada", "--device", "tester"];
    let made = askbridge(folder, &args).output()?;
    if !made.status.success() {
        bail!("could not make a token: {}", String::from_utf8_lossy(&made.stderr));
    }
    Ok(String::from_utf8(made.stdout)?.trim().to_owned())
}
