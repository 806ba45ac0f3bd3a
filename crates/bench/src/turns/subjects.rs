//! What is measured, and how each is started.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use super::script::DOUBLE;
use super::seat::Seat;
use super::speech::Speech;
use crate::agents::end_agents;
use crate::load::greet;
use crate::subject::{AS_FAST_AS_IT_CAN, Subject, beside};
use crate::tongues::{BenchSession, Route, Screen, Tongue, uuid_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contender {
    Bare,
    Durable,
    Faithful,
    FastApi,
    Node,
    Native,
    Prime,
    Gobby,
    /// Prime, on the build of `cargo build --release` instead of the published one.
    ReleasePrime,
}

impl Contender {
    pub(super) const ALL: [Self; 9] = [
        Self::Bare,
        Self::Durable,
        Self::Faithful,
        Self::FastApi,
        Self::Node,
        Self::Native,
        Self::Prime,
        Self::Gobby,
        Self::ReleasePrime,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare relay",
            Self::Durable => "durable relay",
            Self::Faithful => "faithful relay",
            Self::FastApi => "FastAPI + Python SDK",
            Self::Node => "Node ws + SDK",
            Self::Native => "askbridge, native",
            Self::Prime => "askbridge, prime",
            Self::Gobby => "askbridge, gobby",
            Self::ReleasePrime => "askbridge, prime, release build",
        }
    }

    /// Is it built here, without anything that has to be installed?
    pub(super) fn is_ours_or_floor(self) -> bool {
        !matches!(self, Self::FastApi | Self::Node | Self::ReleasePrime)
    }

    pub(super) fn stores(self) -> bool {
        !matches!(self, Self::Bare | Self::FastApi | Self::Node)
    }

    fn speech(self) -> Speech {
        match self {
            Self::Native => Speech::Native,
            Self::Prime | Self::ReleasePrime => Speech::Prime,
            Self::Gobby => Speech::Gobby,
            _ => Speech::Tiny,
        }
    }
}

/// Programs that may be missing. What needs one that is missing is left out.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// A Python with the official SDK, FastAPI and uvicorn.
    pub(super) python: Option<PathBuf>,
    /// A folder with the official SDK and `ws` for Node.
    pub(super) node: Option<PathBuf>,
    /// askbridge as `cargo build --release` builds it.
    pub(super) release: Option<PathBuf>,
}

impl Tools {
    /// Finds what `cargo xtask bench` has installed and built.
    pub(super) fn find() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the bench has no settings module")]
        let named = |name: &str, place: &str| {
            let path = std::env::var_os(name).map_or_else(|| PathBuf::from(place), PathBuf::from);
            std::path::absolute(path).ok().filter(|path| path.exists())
        };
        Self {
            python: named("ASKBRIDGE_BENCH_PYTHON", ".tools/bench-python/0.2.182/bin/python"),
            node: named("ASKBRIDGE_BENCH_NODE", ".tools/bench-node").filter(|node| node.join("node_modules").is_dir()),
            release: named("ASKBRIDGE_BENCH_RELEASE", "target/release/askbridge"),
        }
    }

    /// Returns what there is to measure, and says what is left out.
    pub(super) fn contenders(&self) -> Vec<Contender> {
        let lacks = |contender| match contender {
            Contender::FastApi => self.python.is_none(),
            Contender::Node => self.node.is_none(),
            // Without the published build beside us, there is nothing to compare it with.
            Contender::ReleasePrime => self.release.is_none() || self.release == beside("askbridge").ok(),
            _ => false,
        };
        let (left_out, there): (Vec<_>, Vec<_>) = Contender::ALL.into_iter().partition(|contender| lacks(*contender));
        for contender in left_out {
            eprintln!("{} is not there, and is left out; `cargo xtask bench` brings it", contender.name());
        }
        there
    }
}

/// A running server, with its agents' folders.
pub(super) struct Server {
    pub(super) subject: Subject,
    /// Dropped after the server, which could start others.
    agents: Agents,
    speech: Speech,
    /// The agents' home.
    home: TempDir,
    /// Where the agents work.
    work: PathBuf,
    /// Where the store is.
    folder: TempDir,
}

/// Agents of askbridge outlive it, so they are killed with this, also where a measurement failed. Those of the others end
/// with their input.
struct Agents {
    data: PathBuf,
}

impl Drop for Agents {
    fn drop(&mut self) {
        // Without the folder there were none.
        let _ = end_agents(&self.data);
    }
}

impl Server {
    pub(super) async fn start(contender: Contender, root: &Path, tools: &Tools) -> Result<Self> {
        let folder = TempDir::new_in(fs::canonicalize(root)?)?;
        // Not beside the store: agents write to their homes, which is not what is measured.
        let home = TempDir::new()?;
        let (data, work) = (folder.path().join("data"), home.path().join("work"));
        fs::create_dir(&work)?;
        let speech = contender.speech();
        if speech == Speech::Tiny {
            fs::create_dir(&data)?;
        }
        let agents = Agents { data: data.clone() };
        let child = command(contender, tools, &data, home.path())?.spawn();
        let child = child.with_context(|| format!("could not start {}", contender.name()))?;
        let subject = match speech {
            Speech::Tiny => Subject::relaying(child, &data).await,
            _ => Subject::hosting(child, &data).await,
        };
        let subject = subject.with_context(|| format!("{} did not start", contender.name()))?;
        Ok(Self { subject, agents, speech, home, work, folder })
    }

    /// Stops the server, and starts it again on its store.
    pub(super) async fn again(self, contender: Contender, tools: &Tools) -> Result<Self> {
        let Self { mut subject, agents, speech, home, work, folder } = self;
        let (data, tokens) = (subject.data.clone(), (subject.agent.take(), subject.person.take()));
        subject.stop().await?;
        let child = command(contender, tools, &data, home.path())?.spawn()?;
        let mut subject = Subject::relaying(child, &data).await?;
        (subject.agent, subject.person) = tokens;
        Ok(Self { subject, agents, speech, home, work, folder })
    }

    /// Opens sessions, each on a person's screen. One native page and one page of gobby show all sessions of a person;
    /// elsewhere a screen shows one.
    pub(super) async fn seats(&self, sessions: usize) -> Result<Vec<Seat>> {
        let (route, speech) = (Route { to: self.subject.address, from: 0 }, self.speech);
        if speech == Speech::Tiny {
            let mut seats = Vec::with_capacity(sessions);
            for place in 0..sessions {
                seats.push(Seat::on(speech, place.to_string(), route.socket("/turns").await?));
            }
            return Ok(seats);
        }
        let ids = self.sessions(sessions).await?;
        if speech == Speech::Native {
            return Ok(Seat::all_on(speech, ids, greet(&self.subject).await?));
        }
        let uuids = ids.iter().map(|id| uuid_of(id)).collect::<Result<Vec<_>>>()?;
        let token = self.subject.person.clone().context("a person was paired")?;
        let open = async |tongue, uuid: &str| {
            let target = BenchSession { uuid: uuid.to_owned(), token: token.clone() };
            Screen::open(tongue, route, &target).await?.into_socket()
        };
        if speech == Speech::Gobby {
            let socket = open(Tongue::Gobby, &uuids[0]).await?;
            return Ok(Seat::all_on(speech, uuids, socket));
        }
        let mut seats = Vec::with_capacity(sessions);
        for uuid in uuids {
            let socket = open(Tongue::Prime, &uuid).await?;
            seats.push(Seat::on(speech, uuid, socket));
        }
        Ok(seats)
    }

    async fn sessions(&self, sessions: usize) -> Result<Vec<String>> {
        let mut connection = self.subject.connect().await?;
        let wish = json!({"agent": "claude", "cwd": self.work}).to_string();
        let mut ids = Vec::with_capacity(sessions);
        for _ in 0..sessions {
            let started = connection.post("/v1/sessions", self.subject.person.as_deref(), &wish).await?;
            let started: Value = serde_json::from_str(&started)?;
            ids.push(started["id"].as_str().context("a session has an id")?.to_owned());
        }
        Ok(ids)
    }

    /// Waits until everything that was told is also in the index, which a query does.
    pub(super) async fn settle(&self) -> Result<()> {
        if self.speech != Speech::Tiny {
            let mut connection = self.subject.connect().await?;
            connection.get("/v1/asks?limit=1", self.subject.person.as_deref()).await?;
        }
        Ok(())
    }

    pub(super) async fn stop(self) -> Result<()> {
        // The agents are killed before the folders that they use are removed.
        let Self { subject, agents, folder, home, .. } = self;
        subject.stop().await?;
        drop((agents, folder, home));
        Ok(())
    }
}

/// Returns the command of a server, whose address is the first line that it prints.
fn command(contender: Contender, tools: &Tools, data: &Path, home: &Path) -> Result<Command> {
    let (double, work) = (beside("fake-claude")?, home.join("work"));
    let mut command = match contender {
        Contender::Bare | Contender::Durable | Contender::Faithful => {
            let keeps = contender.name().split(' ').next().unwrap_or_default();
            let mut command = alone(&std::env::current_exe()?, home);
            command.args(["relay", keeps]).arg(data).current_dir(&work);
            command
        }
        Contender::FastApi => {
            let mut command = alone(tools.python.as_deref().context("there is a Python")?, home);
            command.arg("-I").arg(peer("python/server.py")?).arg(double).current_dir(&work);
            command
        }
        Contender::Node => {
            let mut command = alone(Path::new("node"), home);
            let modules = tools.node.as_deref().context("there is the SDK for Node")?;
            command.arg(peer("node/server.mjs")?).arg(modules).arg(double).current_dir(&work);
            command
        }
        ours => {
            let program = match ours {
                Contender::ReleasePrime => tools.release.clone().context("there is a release build")?,
                _ => beside("askbridge")?,
            };
            let mut command = Subject::command_of(&program, data, "127.0.0.1:0");
            command.env("ASKBRIDGE_CLAUDE", double).env("ASKBRIDGE_AGENT_ENV", DOUBLE.0);
            command.env("ASKBRIDGE_ROOTS", &work).env("ASKBRIDGE_AGENTS_MAX", "255").env("HOME", home);
            command.envs([AS_FAST_AS_IT_CAN]).env("ASKBRIDGE_DIALECTS", dialect(ours));
            command
        }
    };
    command.envs([DOUBLE]).stdout(Stdio::piped()).kill_on_drop(true);
    Ok(command)
}

fn dialect(ours: Contender) -> &'static str {
    match ours {
        Contender::Prime | Contender::ReleasePrime => "prime",
        Contender::Gobby => "gobby",
        _ => "",
    }
}

/// A command that sees nothing of the environment but the way to other programs.
fn alone(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    #[expect(clippy::disallowed_methods, reason = "the bench has no settings module")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("HOME", home);
    command
}

/// Returns the program of a peer.
fn peer(file: &str) -> Result<PathBuf> {
    let path = Path::new("crates/bench/peers").join(file);
    fs::canonicalize(&path).with_context(|| format!("`{}` is not there; run this at the root", path.display()))
}
