//! `cargo xtask api`: does the real server keep to its own document, whatever it is sent?
//!
//! schemathesis reads the document that the server serves, makes requests of it, good ones and bad ones, and holds the
//! answers against it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::install::schemathesis;
use crate::run::{binaries, go, root};

/// Enough to try every parameter and field; the whole run takes about a minute.
const EXAMPLES: &str = "12";
/// The same on every run, so that a failure can be looked into.
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

/// Ends with the run.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn askbridge(folder: &Path, args: &[&str]) -> Command {
    // In a session of its own, so that it is nobody's terminal wherever this is run.
    let mut command = Command::new("setsid");
    command.arg(root().join("target/debug/askbridge")).args(args).env("ASKBRIDGE_DATA", folder.join("data"));
    command.env("ASKBRIDGE_LISTEN", "127.0.0.1:0").stdin(Stdio::null());
    // Every address is tried with wrong tokens too, and a wrong token has to be called wrong, however many there were.
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

/// An operator's: it may ask and decide, so most addresses have something to say to it.
fn token(folder: &Path) -> Result<String> {
    let args = ["pair", "--print-token", "--yes-i-am-a-person", "--name", "ada", "--device", "tester"];
    let made = askbridge(folder, &args).output()?;
    if !made.status.success() {
        bail!("could not make a token: {}", String::from_utf8_lossy(&made.stderr));
    }
    Ok(String::from_utf8(made.stdout)?.trim().to_owned())
}
