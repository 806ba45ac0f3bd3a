//! Makes a host for a session of Claude Code: starts a new process, resumes one, or takes over one that runs.

use std::path::Path;
use std::sync::Arc;

use askbridge_core::ask::{Body, Reach};
use askbridge_core::event::Settings;
use askbridge_core::ids::{Epoch, SessionId};
use askbridge_core::intent::Intent;
use askbridge_peers::consult::{OccurrenceKind, OccurrenceKinds};
use askbridge_peers::doors::claude::{Begin, Carry, Claude, Process, session_uuid};
use askbridge_peers::json::Rfc3339;
use askbridge_peers::wish::Rejection;
use tracing::{info, warn};

use super::argv::{Beginning, Launch, argv};
use super::cli::{Cli, CliError};
use super::recover::{self, Stamp};
use super::{conversation, kind, transcript};
use crate::consult::looked_at;
use crate::hosts::agent_folder::{AgentFolder, Rest};
use crate::hosts::host::Host;
use crate::hosts::pool::HostPool;
use crate::hosts::start::{self, Launching, StartError};

/// Bits of a block's number that count within one process; the others tell the processes of a session apart.
const BLOCK_BITS: u32 = 20;

impl From<CliError> for StartError {
    fn from(error: CliError) -> Self {
        Self::Program(error.to_string())
    }
}

/// Starts a process for a session.
pub(super) async fn start(pool: &Arc<HostPool>, session: SessionId) -> Result<Host<Claude>, StartError> {
    let look = |state: &crate::runtime::CellState| {
        let interrupted = state.session.interrupted.map_or(0, |interruption| interruption.at.0);
        (Arc::clone(&state.session.settings), state.session.epoch, interrupted)
    };
    let (settings, epoch, interrupted) = pool.handle.look(session, look).await?;
    let folder = settings.folder.as_deref().ok_or(StartError::NoFolder)?;
    let folder = pool.options.allow(folder)?;
    let settings = match pool.handle.nodes.is_alone() || epoch > Epoch(0) {
        true => settings,
        false => completed(pool, session, settings, &folder).await?,
    };
    let cli = Cli::find(&pool.options).await?;
    let conversation = conversation::name(pool, session).await?;
    let record = transcript::find(&pool.options, &conversation);
    if let Some(record) = record.as_deref().filter(|_| cli.believes_its_record()) {
        bring_back(pool, session, record, &settings).await?;
    }
    let resumes = record.is_some();
    let (beginning, process) = match resumes {
        true => (Beginning::Resume { waits: cli.awaits_initialize() }, Process::Resumed),
        false => (Beginning::New, Process::New),
    };
    let left = AgentFolder::new(&pool.options.folder, session).rest::<Carry>();
    let mut words = left.map(|rest| rest.carry.words).unwrap_or_default();
    words.extend(conversation::keep(pool, session, &conversation, &settings).await?);
    let (blocks, is_recent) = (first_block(epoch), cli.awaits_initialize());
    let consulted = consulted(pool, session, &settings).await?;
    let carry = Carry { blocks, initialized: false, is_recent, consulted: consulted.bits(), interrupted, words };
    let rest = Rest { offset: 0, carry, resumed: resumes, position: None };
    // A tool of ours may wait for days; options of a question may have previews.
    let mut environment = vec![("MCP_TOOL_TIMEOUT", "2000000000")];
    if pool.options.variable("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT").is_none() {
        environment.push(("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", "markdown"));
    }
    let launching = Launching {
        folder,
        program: cli.path,
        arguments: argv(&conversation, &settings, beginning),
        environment,
        machine: Claude::new(Begin { consulted, ..begin(pool, session, process, &rest, &settings) }),
        rest,
        conversation,
    };
    start::launch(pool, session, launching).await
}

/// Completes the settings of a session that never had a process: if another node took the wish to start it, only this one
/// knows the full path of the folder and what its operator adds.
async fn completed(
    pool: &HostPool,
    session: SessionId,
    settings: Arc<Settings>,
    folder: &Path,
) -> Result<Arc<Settings>, StartError> {
    let mut complete = kind::complete(&pool.options, &settings).await?;
    complete.folder = Some(folder.display().to_string());
    if complete == *settings {
        return Ok(settings);
    }
    pool.handle.submit(session, vec![Intent::Configure(Box::new(complete.clone()))]).await?;
    Ok(Arc::new(complete))
}

/// What the process has to report for the advisers. A call about which a person was asked before it was parked has to
/// find its ask, even if no rule looks at it any more.
async fn consulted(pool: &HostPool, session: SessionId, settings: &Settings) -> Result<OccurrenceKinds, Rejection> {
    let looked_at = looked_at(&pool.handle, settings.folder.as_deref(), settings.mode.as_deref()).await;
    let is_asked = pool.handle.look(session, |state| {
        let mut unfinished = state.session.asks.values().filter(|live| live.is_unfinished());
        unfinished.any(|live| live.ask.reach == Reach::Resumable && matches!(live.ask.body, Body::Approval(_)))
    });
    Ok(if is_asked.await? { looked_at.with(OccurrenceKind::Calling) } else { looked_at })
}

/// Prepares the resume so that a question that was open when its process was killed comes back, if its transcript
/// allows it. Otherwise its answer is sent as a message.
async fn bring_back(pool: &HostPool, session: SessionId, record: &Path, settings: &Settings) -> Result<(), Rejection> {
    let calls = pool.handle.look(session, |state| {
        let held = state.session.asks.values().filter(|live| live.is_unfinished() && !live.stranded && !live.parked);
        let held = held.filter(|live| matches!(live.ask.body, Body::Questions(_) | Body::Plan(_)));
        let held = held.filter(|live| live.ask.reach == Reach::Resumable);
        held.filter_map(|live| live.ask.call.as_ref().map(ToString::to_string)).collect::<Vec<_>>()
    });
    let stamp = Stamp {
        // Any UUID will do.
        uuid: session_uuid(SessionId(pool.handle.chance().u128())),
        at: Rfc3339(pool.handle.now()).to_string(),
        mode: settings.mode.as_deref().unwrap_or("default"),
    };
    match recover::defer(record, &calls.await?, &stamp) {
        Ok(true) => info!(session.id = %session, "A question was open when its agent was killed; it comes back"),
        Ok(false) => {}
        Err(error) => warn!(session.id = %session, %error, "Could not look into the record of an agent"),
    }
    Ok(())
}

/// Takes over a process that an earlier askbridge started, whether or not it still runs.
pub(super) async fn adopt(pool: &Arc<HostPool>, session: SessionId) -> Result<Host<Claude>, StartError> {
    let conversation = conversation::name(pool, session).await?;
    let machine =
        |rest: &Rest<Carry>, settings: &Settings| Claude::new(begin(pool, session, Process::Adopted, rest, settings));
    start::adopt(pool, session, conversation, machine).await
}

fn begin(pool: &HostPool, session: SessionId, process: Process, rest: &Rest<Carry>, settings: &Settings) -> Begin {
    let launch = Launch::of(settings);
    Begin {
        session,
        process,
        carry: rest.carry.clone(),
        interactive: launch.is_interactive(),
        hold_max: launch.hold_max(pool.options.hold_max),
        denied_wait: pool.options.denied_wait,
        // It was checked before it was stored.
        always: launch.always().unwrap_or_default(),
        consulted: OccurrenceKinds::of_bits(rest.carry.consulted),
    }
}

fn first_block(epoch: Epoch) -> u32 {
    epoch.0.wrapping_add(1) << BLOCK_BITS
}
