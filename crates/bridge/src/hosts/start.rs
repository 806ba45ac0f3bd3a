//! Makes a host for a session: starts a process, or takes over one that runs.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use askbridge_core::event::{Event, Process as ProcessName, Settings};
use askbridge_core::ids::{Epoch, SessionId};
use askbridge_core::intent::{Intent, Takeover};
use askbridge_core::refusal::Refusal;
use askbridge_peers::wish::Rejection;
use tokio::process::Command;
use tracing::{info, warn};

use super::agent_folder::{AgentFolder, Rest};
use super::host::{Host, Hosted};
use super::machine::Machine;
use super::options::RootError;
use super::pipe::Pipe;
use super::pool::HostPool;
use super::process::Running;
use super::spool::Spool;
use crate::auth::ProcessId;
use crate::runtime::down;

/// Why a process could not be started. People read it in the session.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("{0}")]
    Folder(#[from] RootError),
    /// No program was found.
    #[error("{0}")]
    Program(String),
    #[error("the session has no folder to work in")]
    NoFolder,
    #[error("this askbridge does not run agents of the door `{0}`")]
    NoKind(String),
    /// Often because the disk is full.
    #[error(
        "could not make the agent's files in `{folder}`: {source}; once that is mended, say something and it starts"
    )]
    Files { folder: String, source: io::Error },
    #[error("could not start the agent: {0}")]
    System(#[from] io::Error),
    #[error("{0}")]
    Journal(#[from] Rejection),
    #[error("the agent ended before it began")]
    Stillborn,
}

/// A process that is about to be started.
pub(super) struct Launching<M: Machine> {
    /// Its working folder.
    pub(super) folder: PathBuf,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    /// Variables of its environment, besides those of every agent.
    pub(super) environment: Vec<(&'static str, &'static str)>,
    pub(super) machine: M,
    pub(super) rest: Rest<M::Carry>,
    /// The agent's own name for the conversation.
    pub(super) conversation: String,
}

/// Starts a process.
pub(super) async fn launch<M: Machine>(
    pool: &Arc<HostPool>,
    session: SessionId,
    launching: Launching<M>,
) -> Result<Host<M>, StartError> {
    let agent_folder = AgentFolder::new(&pool.options.folder, session);
    let files = |source| StartError::Files { folder: pool.options.folder.display().to_string(), source };
    agent_folder.prepare(&launching.rest).map_err(files)?;
    let pipe = Pipe::open(&agent_folder.stdin(), agent_folder.writing())?;
    let process = spawn(pool, &agent_folder, &launching).await?;
    let Launching { machine, rest, conversation, .. } = launching;
    let epoch = match claim(pool, session, Some(process)).await {
        Ok(epoch) => epoch,
        Err(error) => {
            // Without a claim it would run on, and no server would know of it.
            if let Some(running) = Running::hold(process)? {
                running.end().await;
            }
            agent_folder.clear().map_err(files)?;
            return Err(error.into());
        }
    };
    info!(session.id = %session, pid = process.pid, resumes = rest.resumed, "Agent started");
    let hosted = Hosted {
        session,
        spool: Spool::open(&agent_folder.spool(), 0)?,
        pipe,
        process,
        running: Running::hold(process)?,
        machine,
        is_new: !rest.resumed,
        agent_folder,
        rest,
        conversation,
        epoch,
    };
    Host::open(pool, hosted).await.map_err(StartError::Journal)
}

/// Takes over a process that an earlier askbridge started, whether or not it still runs.
pub(super) async fn adopt<M: Machine>(
    pool: &Arc<HostPool>,
    session: SessionId,
    conversation: String,
    machine: impl FnOnce(&Rest<M::Carry>, &Settings) -> M,
) -> Result<Host<M>, StartError> {
    let agent_folder = AgentFolder::new(&pool.options.folder, session);
    let process = agent_folder.process().ok_or(StartError::Stillborn)?;
    let running = Running::hold(process)?;
    if let (Some(running), true) = (&running, agent_folder.writing().exists()) {
        // Half a line is in its pipe. What we write next would be taken for the other half.
        warn!(session.id = %session, "An agent was left with half a line; it is ended and will be resumed");
        running.end().await;
    }
    let settings = pool.handle.look(session, |state| Arc::clone(&state.session.settings)).await?;
    let rest = agent_folder.rest().unwrap_or_default();
    info!(session.id = %session, pid = process.pid, alive = running.is_some(), "Agent found, taking over");
    let hosted = Hosted {
        session,
        spool: Spool::open(&agent_folder.spool(), rest.offset)?,
        pipe: Pipe::open(&agent_folder.stdin(), agent_folder.writing())?,
        epoch: claim(pool, session, running.is_some().then_some(process)).await?,
        machine: machine(&rest, &settings),
        is_new: false,
        process,
        running,
        agent_folder,
        rest,
        conversation,
    };
    Host::open(pool, hosted).await.map_err(StartError::Journal)
}

/// Claims the session's process for this server in the journal.
async fn claim(pool: &HostPool, session: SessionId, process: Option<ProcessId>) -> Result<Epoch, Rejection> {
    let process = process.map(|process| ProcessName { pid: process.pid, started: process.started });
    // This node alone claims its sessions, and holds the lock of its data folder, so the earlier host is gone.
    let claim = Intent::Claim { node: pool.handle.node, process, takeover: Takeover::HostIsGone };
    let claim = match pool.handle.nodes.is_alone() {
        true => claim,
        false => claim.of_host(may_claim(pool, session).await?),
    };
    let done = pool.handle.submit(session, vec![claim]).await?;
    let epoch = done.events.iter().find_map(|written| match &*written.event {
        Event::Hosted { epoch, .. } => Some(*epoch),
        _ => None,
    });
    epoch.ok_or_else(|| Rejection::Down("the claim was not recorded".to_owned()))
}

/// Returns the epoch after which this node may claim a session.
///
/// A node is declared gone before its sessions are claimed. So if it is not gone after the epoch was read, either the
/// claim comes before the other's, or it is refused.
async fn may_claim(pool: &HostPool, session: SessionId) -> Result<Epoch, Rejection> {
    let epoch = pool.handle.look(session, |state| state.session.epoch).await?;
    match pool.handle.is_declared_gone().await {
        Ok(false) => Ok(epoch),
        Ok(true) => Err(Rejection::Refused(Refusal::StaleEpoch)),
        Err(error) => Err(down(error)),
    }
}

async fn spawn<M: Machine>(
    pool: &HostPool,
    agent_folder: &AgentFolder,
    launching: &Launching<M>,
) -> Result<ProcessId, StartError> {
    let [launcher, first @ ..] = pool.options.launcher.as_slice() else {
        return Err(StartError::System(io::Error::new(io::ErrorKind::NotFound, "there is no launcher")));
    };
    let complaints = agent_folder.prefix().with_extension("err");
    let complaints = OpenOptions::new().append(true).create(true).mode(0o600).open(complaints)?;
    let mut command = Command::new(launcher);
    command.args(first).arg(std::process::id().to_string()).arg(agent_folder.prefix());
    command.arg(&launching.program).args(&launching.arguments);
    command.current_dir(&launching.folder).env_clear().envs(pool.options.environment.iter().cloned());
    // So that our own hooks stay silent inside.
    command.env("ASKBRIDGE_HOSTED", "1").envs(launching.environment.iter().copied());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(complaints);
    let mut child = command.spawn()?;
    let process = child.id().and_then(ProcessId::of).ok_or(StartError::Stillborn);
    // As long as we are its parent, we have to reap it.
    tokio::spawn(async move { child.wait().await });
    let process = process?;
    let now = pool.handle.now();
    if let Err(error) = pool.agents.announce_for_good(process.pid, &pool.handle.store().own(), now).await {
        warn!(%error, "Could not remember a process as an agent beyond this run");
    }
    Ok(process)
}
