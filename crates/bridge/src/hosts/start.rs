//! From a session to a running process: a new one, one that goes on where it was, or one that runs already.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use askbridge_core::ask::{Body, Reach};
use askbridge_core::event::{Event, Process as ProcessName, Settings};
use askbridge_core::ids::{Epoch, SessionId};
use askbridge_core::intent::{Intent, Takeover};
use askbridge_peers::doors::claude::{Begin, Carry, Process, session_uuid};
use askbridge_peers::json::Rfc3339;
use askbridge_peers::wish::Rejection;
use tokio::process::Command;
use tracing::{info, warn};

use super::claude::argv::{Beginning, Launch, argv};
use super::claude::cli::{Cli, CliError};
use super::claude::recover::{self, Stamp};
use super::claude::{conversation, transcript};
use super::desk::Inner;
use super::host::{Host, Hosted};
use super::options::RootError;
use super::pipe::Pipe;
use super::place::{Place, Rest};
use super::process::Running;
use super::spool::Spool;
use crate::auth::ProcessId;

/// Bits of a block's number that count within one process; the others tell processes of a session apart.
const BLOCK_BITS: u32 = 20;

/// Why a process could not be started. Read by people, in the session.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("{0}")]
    Folder(#[from] RootError),
    #[error("{0}")]
    Cli(#[from] CliError),
    #[error("the session has no folder to work in")]
    NoFolder,
    /// Often there is no room left.
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

/// Starts a process for a session.
pub(super) async fn start(desk: &Arc<Inner>, session: SessionId) -> Result<Host, StartError> {
    let look = |state: &crate::runtime::CellState| {
        let interrupted = state.session.interrupted.map_or(0, |interruption| interruption.at.0);
        (Arc::clone(&state.session.settings), state.session.epoch, interrupted)
    };
    let (settings, epoch, interrupted) = desk.handle.look(session, look).await?;
    let folder = settings.folder.as_deref().ok_or(StartError::NoFolder)?;
    let folder = desk.options.allow(folder)?;
    let cli = Cli::find(&desk.options).await?;
    let conversation = conversation::name(desk, session).await?;
    let record = transcript::find(&desk.options, &conversation);
    if let Some(record) = record.as_deref().filter(|_| cli.believes_its_record()) {
        bring_back(desk, session, record, &settings).await?;
    }
    let resumes = record.is_some();
    let beginning = match resumes {
        true => Beginning::Resume { waits: cli.awaits_initialize() },
        false => Beginning::New,
    };
    let place = Place::new(&desk.options.folder, session);
    let mut words = place.rest().map(|rest| rest.carry.words).unwrap_or_default();
    words.extend(conversation::keep(desk, session, &conversation, &settings).await?);
    let (blocks, is_recent) = (first_block(epoch), cli.awaits_initialize());
    let carry = Carry { blocks, initialized: false, is_recent, interrupted, words };
    let rest = Rest { offset: 0, carry, resumed: resumes };
    let files = |source| StartError::Files { folder: desk.options.folder.display().to_string(), source };
    place.prepare(&rest).map_err(files)?;
    let pipe = Pipe::open(&place.stdin(), place.writing())?;
    let process = spawn(desk, &place, &cli, &folder, argv(&conversation, &settings, beginning)).await?;
    info!(session.id = %session, pid = process.pid, resumes, "Agent started");
    let hosted = Hosted {
        session,
        spool: Spool::open(&place.spool(), 0)?,
        pipe,
        process,
        running: Running::hold(process)?,
        begin: begin(desk, session, if resumes { Process::Resumed } else { Process::New }, &rest, &settings),
        place,
        rest,
        conversation,
        epoch: claim(desk, session, Some(process)).await?,
    };
    Host::open(desk, hosted).await.map_err(StartError::Journal)
}

/// A question that was open when its process was killed comes back with the resume, if its record allows it. Otherwise
/// its answer is said in words.
async fn bring_back(desk: &Inner, session: SessionId, record: &Path, settings: &Settings) -> Result<(), Rejection> {
    let calls = desk.handle.look(session, |state| {
        let held = state.session.asks.values().filter(|live| live.is_unfinished() && !live.stranded && !live.parked);
        let held = held.filter(|live| matches!(live.ask.body, Body::Questions(_) | Body::Plan(_)));
        let held = held.filter(|live| live.ask.reach == Reach::Resumable);
        held.filter_map(|live| live.ask.call.as_ref().map(ToString::to_string)).collect::<Vec<_>>()
    });
    let stamp = Stamp {
        // Any will do, as long as it is one.
        uuid: session_uuid(SessionId(desk.handle.chance().u128())),
        at: Rfc3339(desk.handle.now()).to_string(),
        mode: settings.mode.as_deref().unwrap_or("default"),
    };
    match recover::defer(record, &calls.await?, &stamp) {
        Ok(true) => info!(session.id = %session, "A question was open when its agent was killed; it comes back"),
        Ok(false) => {}
        Err(error) => warn!(session.id = %session, %error, "Could not look into the record of an agent"),
    }
    Ok(())
}

/// Takes over a process that an earlier askbridge started, dead or alive.
pub(super) async fn adopt(desk: &Arc<Inner>, session: SessionId) -> Result<Host, StartError> {
    let place = Place::new(&desk.options.folder, session);
    let process = place.process().ok_or(StartError::Stillborn)?;
    let running = Running::hold(process)?;
    if let (Some(running), true) = (&running, place.writing().exists()) {
        // Half a line is in its pipe. Whatever we write next would be taken for the other half.
        warn!(session.id = %session, "An agent was left with half a line; it is ended and will be resumed");
        running.end().await;
    }
    let settings = desk.handle.look(session, |state| Arc::clone(&state.session.settings)).await?;
    let rest = place.rest().unwrap_or_default();
    info!(session.id = %session, pid = process.pid, alive = running.is_some(), "Agent found, taking over");
    let hosted = Hosted {
        session,
        spool: Spool::open(&place.spool(), rest.offset)?,
        pipe: Pipe::open(&place.stdin(), place.writing())?,
        epoch: claim(desk, session, running.is_some().then_some(process)).await?,
        begin: begin(desk, session, Process::Adopted, &rest, &settings),
        process,
        running,
        place,
        rest,
        conversation: conversation::name(desk, session).await?,
    };
    Host::open(desk, hosted).await.map_err(StartError::Journal)
}

fn begin(desk: &Inner, session: SessionId, process: Process, rest: &Rest, settings: &Settings) -> Begin {
    let launch = Launch::of(settings);
    Begin {
        session,
        process,
        carry: rest.carry.clone(),
        interactive: launch.is_interactive(),
        hold_max: launch.hold_max(desk.options.hold_max),
        // It was checked before it was kept.
        always: launch.always().unwrap_or_default(),
    }
}

fn first_block(epoch: Epoch) -> u32 {
    epoch.0.wrapping_add(1) << BLOCK_BITS
}

/// Says in the journal that the session's process is ours now.
async fn claim(desk: &Inner, session: SessionId, process: Option<ProcessId>) -> Result<Epoch, Rejection> {
    let process = process.map(|process| ProcessName { pid: process.pid, started: process.started });
    // The journal's file is locked: whoever hosted before us is gone.
    let claim = Intent::Claim { node: desk.handle.node, process, takeover: Takeover::HostIsGone };
    let done = desk.handle.submit(session, vec![claim]).await?;
    let epoch = done.events.iter().find_map(|written| match &*written.event {
        Event::Hosted { epoch, .. } => Some(*epoch),
        _ => None,
    });
    epoch.ok_or_else(|| Rejection::Down("the claim was not recorded".to_owned()))
}

async fn spawn(
    desk: &Inner,
    place: &Place,
    cli: &Cli,
    folder: &Path,
    argv: Vec<String>,
) -> Result<ProcessId, StartError> {
    let [launcher, first @ ..] = desk.options.launcher.as_slice() else {
        return Err(StartError::System(io::Error::new(io::ErrorKind::NotFound, "there is no launcher")));
    };
    let complaints = place.prefix().with_extension("err");
    let complaints = OpenOptions::new().append(true).create(true).mode(0o600).open(complaints)?;
    let mut command = Command::new(launcher);
    command.args(first).arg(std::process::id().to_string()).arg(place.prefix()).arg(&cli.path).args(argv);
    command.current_dir(folder).env_clear().envs(desk.options.environment.iter().cloned());
    // Our own hooks stay silent inside; options may have previews; a tool of ours may wait for days.
    command.env("ASKBRIDGE_HOSTED", "1").env("MCP_TOOL_TIMEOUT", "2000000000");
    if desk.options.variable("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT").is_none() {
        command.env("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", "markdown");
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(complaints);
    let mut child = command.spawn()?;
    let process = child.id().and_then(ProcessId::of).ok_or(StartError::Stillborn);
    // Somebody has to bury it, as long as we are its parent.
    tokio::spawn(async move { child.wait().await });
    let process = process?;
    let now = desk.handle.now();
    if let Err(error) = desk.agents.announce_for_good(process.pid, desk.handle.store(), now).await {
        warn!(%error, "Could not remember a process as an agent beyond this run");
    }
    Ok(process)
}
