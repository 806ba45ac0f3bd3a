//! The server process that is measured, started for one measurement.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::{TcpStream, UnixStream};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::http::Connection;

/// How long a server may take to stop. Beyond: it is killed.
const STOP_MAX: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bare,
    Durable,
    Askbridge,
}

pub(crate) struct Subject {
    pub(crate) address: SocketAddr,
    pub(crate) pid: u32,
    /// Tokens for asking and deciding; the floor needs none.
    pub(crate) agent: Option<String>,
    pub(crate) person: Option<String>,
    /// The server's data folder.
    pub(crate) data: PathBuf,
    child: Child,
    folder: Option<TempDir>,
}

/// Lifts the rate limit: one token makes all asks and another answers them, more than a token may.
pub(crate) const AS_FAST_AS_IT_CAN: (&str, &str) = ("ASKBRIDGE_LIMITS_REQUESTS", "1000000");

impl Subject {
    pub(crate) async fn start(kind: Kind, root: &Path) -> Result<Self> {
        Self::start_with(kind, root, &[]).await
    }

    /// Starts a server to compare with the floor, which has no limits.
    pub(crate) async fn measured(kind: Kind, root: &Path) -> Result<Self> {
        Self::start_with(kind, root, &[AS_FAST_AS_IT_CAN]).await
    }

    /// Starts a server with these variables.
    pub(crate) async fn start_with(kind: Kind, root: &Path, env: &[(&str, &str)]) -> Result<Self> {
        let folder = TempDir::new_in(root)?;
        let mut command = match kind {
            Kind::Bare | Kind::Durable => {
                let mut command = Command::new(std::env::current_exe()?);
                command.arg("floor");
                match kind {
                    Kind::Durable => command.arg("durable").arg(folder.path()),
                    _ => command.arg("bare"),
                };
                command
            }
            Kind::Askbridge => Self::command(folder.path(), "127.0.0.1:0")?,
        };
        command.envs(env.iter().copied());
        Self::of(kind, command.stdout(Stdio::piped()).kill_on_drop(true).spawn()?, folder).await
    }

    /// Starts a server with these dialects of other systems.
    pub(crate) async fn speaking(root: &Path, dialects: &str) -> Result<Self> {
        let folder = TempDir::new_in(root)?;
        let mut command = Self::command(folder.path(), "127.0.0.1:0")?;
        command.env("ASKBRIDGE_DIALECTS", dialects).stdout(Stdio::piped());
        Self::of(Kind::Askbridge, command.spawn()?, folder).await
    }

    /// Returns the command of a server that is not started yet.
    pub(crate) fn command(data: &Path, listen: &str) -> Result<Command> {
        Ok(Self::command_of(&beside("askbridge")?, data, listen))
    }

    /// The same for another build of it.
    pub(crate) fn command_of(program: &Path, data: &Path, listen: &str) -> Command {
        let mut command = Command::new(program);
        command.env("ASKBRIDGE_DATA", data).env("ASKBRIDGE_LISTEN", listen).env("ASKBRIDGE_LOG", "warn");
        command.stdout(Stdio::null()).kill_on_drop(true);
        command
    }

    /// Wraps a floor or a peer that the caller has started.
    pub(crate) async fn relaying(child: Child, data: &Path) -> Result<Self> {
        Self::known(Kind::Bare, child, data.to_owned(), None).await
    }

    /// Wraps a server that the caller has configured and started.
    pub(crate) async fn hosting(child: Child, data: &Path) -> Result<Self> {
        Self::known(Kind::Askbridge, child, data.to_owned(), None).await
    }

    async fn of(kind: Kind, child: Child, folder: TempDir) -> Result<Self> {
        Self::known(kind, child, folder.path().to_owned(), Some(folder)).await
    }

    async fn known(kind: Kind, mut child: Child, data: PathBuf, folder: Option<TempDir>) -> Result<Self> {
        let stdout = child.stdout.take().context("the child has a stdout")?;
        let mut line = String::new();
        timeout(Duration::from_secs(30), BufReader::new(stdout).read_line(&mut line)).await??;
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/');
        let address = address.parse().with_context(|| format!("`{}` is no link", line.trim()))?;
        let pid = child.id().context("the child runs")?;
        let (mut agent, mut person) = (None, None);
        if kind == Kind::Askbridge {
            agent = Some(std::fs::read_to_string(data.join("token"))?.trim().to_owned());
            person = Some(pair(&data).await?);
        }
        Ok(Self { address, pid, agent, person, data, child, folder })
    }

    pub(crate) async fn connect(&self) -> Result<Connection<TcpStream>> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection::new(stream))
    }

    /// Starts a session to ask in.
    pub(crate) async fn session(&self, connection: &mut Connection<TcpStream>) -> Result<Option<String>> {
        if self.agent.is_none() {
            return Ok(None);
        }
        let started = connection.post("/v1/sessions", self.agent.as_deref(), r#"{"agent":"bench"}"#).await?;
        let started: Value = serde_json::from_str(&started)?;
        Ok(started["id"].as_str().map(str::to_owned))
    }

    /// Kills the server and starts another one on the same store. Returns once that is ready.
    pub(crate) async fn again(mut self) -> Result<Self> {
        self.child.kill().await?;
        let mut command = Self::command(&self.data, "127.0.0.1:0")?;
        let child = command.stdout(Stdio::piped()).spawn()?;
        let person = self.person.take();
        let mut again = Self::known(Kind::Bare, child, self.data, self.folder).await?;
        again.agent = self.agent.take();
        again.person = person;
        Ok(again)
    }

    /// Checks the whole store with `journal verify`, as an operator would.
    pub(crate) async fn verify(&self) -> Result<()> {
        let mut command = Command::new(beside("askbridge")?);
        let verified = command.args(["journal", "verify"]).env("ASKBRIDGE_DATA", &self.data).output().await?;
        anyhow::ensure!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
        Ok(())
    }

    /// Stops it with SIGTERM, so that it can write its counters.
    pub(crate) async fn stop(mut self) -> Result<()> {
        if let Some(pid) = Pid::from_raw(self.pid.cast_signed()) {
            kill_process(pid, Signal::TERM)?;
        }
        if timeout(STOP_MAX, self.child.wait()).await.is_err() {
            self.child.kill().await?;
        }
        Ok(())
    }
}

async fn pair(folder: &Path) -> Result<String> {
    let socket = UnixStream::connect(folder.join("run/askbridge.sock")).await?;
    let wish = json!({"name": "bench", "token": true, "i_am_a_person": true}).to_string();
    let paired: Value = serde_json::from_str(&Connection::new(socket).post("/v1/pairings", None, &wish).await?)?;
    paired["token"].as_str().map(str::to_owned).context("pairing gives a token")
}

/// Finds a binary that was built beside this one.
pub(crate) fn beside(name: &str) -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name(name);
    if !path.exists() {
        bail!("`{}` is not there; build it with `cargo build --release`", path.display());
    }
    Ok(path)
}
