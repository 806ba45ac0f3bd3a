//! Claude Code as a kind of agent: how a session's settings are checked, and how it gets its process.

use std::sync::Arc;

use askbridge_core::event::Settings;
use askbridge_core::ids::SessionId;
use askbridge_core::refusal::Refusal;
use askbridge_peers::doors::claude;
use askbridge_peers::wish::Rejection;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::argv::Launch;
use super::cli::{Cli, is_root_without_a_sandbox};
use super::start;
use crate::hosts::host::ProcessEnd;
use crate::hosts::kind::{Kind, StartMode};
use crate::hosts::options::HostOptions;
use crate::hosts::pool::HostPool;
use crate::hosts::start::StartError;

pub(in crate::hosts) struct ClaudeCode;

impl Kind for ClaudeCode {
    fn door(&self) -> &'static str {
        claude::NAME
    }

    fn prepare<'a>(
        &'a self,
        options: &'a HostOptions,
        settings: &'a mut Settings,
    ) -> BoxFuture<'a, Result<(), Rejection>> {
        prepare(options, settings).boxed()
    }

    fn prepare_elsewhere(&self, settings: &mut Settings) -> Result<(), Rejection> {
        let launch = Launch::of(settings);
        check(&launch, settings.mode.as_deref(), false)?;
        settings.more = Some(launch.kept());
        Ok(())
    }

    fn check_mode(&self, options: Option<&HostOptions>, mode: &str) -> Result<(), Rejection> {
        check(&Launch::default(), Some(mode), options.is_some_and(is_root_without_a_sandbox))
    }

    fn host(
        &self,
        pool: Arc<HostPool>,
        session: SessionId,
        mode: StartMode,
    ) -> BoxFuture<'static, Result<ProcessEnd, StartError>> {
        async move {
            let host = match mode {
                StartMode::Start => start::start(&pool, session).await?,
                StartMode::Adopt => start::adopt(&pool, session).await?,
            };
            Ok(host.run().await)
        }
        .boxed()
    }
}

/// Completes the settings of a session that was started on another node: what the operator of this one adds. The session
/// has never had a process.
pub(super) async fn complete(options: &HostOptions, settings: &Settings) -> Result<Settings, Rejection> {
    let mut complete = settings.clone();
    let mut launch = Launch::of(&complete);
    launch.always_ask.retain(|tool| !options.always_ask.contains(tool));
    complete.more = Some(launch.kept());
    prepare(options, &mut complete).await?;
    complete.wishes.warm = complete.wishes.warm.or(options.warm);
    Ok(complete)
}

/// What only Claude Code understands is in `settings.more`, as a serialized [`Launch`].
async fn prepare(options: &HostOptions, settings: &mut Settings) -> Result<(), Rejection> {
    let mut launch = Launch::of(settings);
    // A session cannot remove tools that the operator names.
    launch.always_ask.splice(0..0, options.always_ask.iter().cloned());
    check(&launch, settings.mode.as_deref(), is_root_without_a_sandbox(options))?;
    Cli::find(options).await.map_err(|error| Rejection::NoClaude(error.to_string()))?;
    settings.more = Some(launch.kept());
    Ok(())
}

fn check(launch: &Launch, mode: Option<&str>, is_root: bool) -> Result<(), Rejection> {
    let checked = launch.check(mode, is_root);
    checked.map_err(|error| Rejection::Refused(Refusal::BadRequest(error.to_string())))
}
