//! Agents that we run: what is looked at before there is a session, whoever wishes for one.

use askbridge_core::event::Settings;
use askbridge_core::refusal::Refusal;
use askbridge_peers::wish::Rejection;

use super::app::App;
use crate::auth::{Action, Caller};
use crate::hosts::Hosts;

/// Checks everything that can be checked before there is a session of this hosted door, and completes its settings.
pub(crate) async fn prepare(app: &App, caller: &Caller, door: &str, settings: &mut Settings) -> Result<(), Rejection> {
    caller.may(Action::RunAgent, None)?;
    let hosts = hosts(app)?;
    let folder = settings.folder.as_deref().ok_or_else(|| bad("say in `cwd` in which folder it works".to_owned()))?;
    settings.folder = Some(allowed(app, caller, folder)?);
    hosts.prepare(door, settings).await?;
    settings.wishes.warm = settings.wishes.warm.or(hosts.options().warm);
    Ok(())
}

/// Returns a folder in full if this caller may start an agent there.
pub(super) fn allowed(app: &App, caller: &Caller, folder: &str) -> Result<String, Rejection> {
    caller.may(Action::RunAgent, None)?;
    let folder = hosts(app)?.options().allow(folder).map_err(|error| bad(error.to_string()))?;
    Ok(folder.display().to_string())
}

fn hosts(app: &App) -> Result<&Hosts, Rejection> {
    app.hosts().ok_or_else(|| bad("this askbridge runs no agents".to_owned()))
}

fn bad(why: String) -> Rejection {
    Rejection::Refused(Refusal::BadRequest(why))
}

/// The same on behalf of a client of another system, which often cannot say where the agent is to work.
pub(crate) async fn prepare_wished(
    app: &App,
    caller: &Caller,
    door: &str,
    settings: &mut Settings,
) -> Result<(), Rejection> {
    if settings.folder.is_none() {
        settings.folder = app.speaking().and_then(|speaking| speaking.folder.clone());
    }
    prepare(app, caller, door, settings).await
}
