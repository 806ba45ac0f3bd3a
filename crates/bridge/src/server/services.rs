//! What the gate needs of the server: rate limits, the agents that run here, outgoing calls.

use askbridge_core::event::Settings;
use askbridge_core::ids::StableNodeId;
use askbridge_core::refusal::Refusal;
use askbridge_peers::listing::APPS;
use askbridge_peers::wish::{Called, OutboundCall, Rejection};
use futures_util::future::BoxFuture;
use tracing::debug;

use super::app::App;
use crate::auth::Caller;
use crate::hosts::{Hosts, check_mode, prepare_elsewhere};
use crate::ringing::adopt;
use crate::runtime::{Gate, Services, chain};

impl App {
    /// The gate that every wish goes through.
    pub(crate) fn gate(&self) -> Gate<'_> {
        Gate::new(&self.handle, self)
    }
}

impl Services for App {
    fn pace(&self, caller: &Caller) -> Result<(), Rejection> {
        let buckets = if caller.machine().is_some() { &self.machine_pace } else { &self.pace };
        let taken = buckets.take(&caller.party, self.handle.clock.now());
        taken.map_err(|retry_after| Rejection::TooFast { retry_after })
    }

    fn pace_ask(&self, caller: &Caller) -> Result<(), Rejection> {
        if caller.machine().is_none() {
            return Ok(());
        }
        let taken = self.machine_asks.take(&caller.party, self.handle.clock.now());
        taken.map_err(|retry_after| Rejection::TooFast { retry_after })
    }

    fn prepare<'a>(
        &'a self,
        door: &'a str,
        settings: &'a mut Settings,
        host: &'a mut Option<String>,
    ) -> BoxFuture<'a, Result<(), Rejection>> {
        Box::pin(prepare(self, door, settings, host))
    }

    fn allow(&self, folder: &str, host: Option<StableNodeId>) -> Result<String, Rejection> {
        let nodes = &self.handle.nodes;
        if let Some(elsewhere) = host.filter(|host| *host != nodes.here()) {
            nodes.check_folder(elsewhere, folder)?;
            return Ok(folder.to_owned());
        }
        let folder = hosts(self)?.options().allow(folder).map_err(|error| bad(error.to_string()))?;
        Ok(folder.display().to_string())
    }

    fn check_mode(&self, door: &str, mode: &str) -> Result<(), Rejection> {
        check_mode(door, self.hosts().map(Hosts::options), mode)
    }

    fn readers(&self, name: &str) -> Vec<Caller> {
        let loopback = self.speaking().and_then(|speaking| speaking.loopback.clone());
        self.tokens.people(name).into_iter().chain(loopback.filter(|caller| *caller.name == *name)).collect()
    }

    fn kept<'a>(&'a self, dialect: &'a str, name: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if APPS.iter().any(|apps| apps.dialect == dialect && name.starts_with(apps.kept)) {
                adopt(self).await;
            }
        })
    }

    fn post<'a>(&'a self, call: &'a OutboundCall) -> BoxFuture<'a, Result<Called, Rejection>> {
        Box::pin(async move {
            let outbound =
                self.outbound().ok_or_else(|| Rejection::Down("this askbridge makes no outgoing calls".to_owned()))?;
            match outbound.post(&call.url, call.body.as_str().to_owned()).await {
                Ok(answered) => {
                    let body = String::from_utf8_lossy(&answered.body).into_owned();
                    Ok(Called { status: answered.status, body })
                }
                Err(failed) => {
                    debug!(error = chain(&failed), "An outgoing call failed");
                    Err(Rejection::Down(failed.to_string()))
                }
            }
        })
    }
}

/// Checks everything that can be checked before a session exists, and completes its settings.
async fn prepare(app: &App, door: &str, settings: &mut Settings, host: &mut Option<String>) -> Result<(), Rejection> {
    // Clients of other systems often cannot say where the agent is to work.
    let usual = || app.speaking().and_then(|speaking| speaking.folder.clone());
    let folder = settings.folder.take().or_else(usual);
    let place = place(app, host.as_deref(), folder.as_deref())?;
    if let Some(elsewhere) = place.filter(|place| *place != app.handle.nodes.here()) {
        let folder = folder.ok_or_else(|| bad("say in `cwd` in which folder it works".to_owned()))?;
        settings.folder = Some(app.allow(&folder, place)?);
        *host = Some(elsewhere.to_string());
        return prepare_elsewhere(door, settings);
    }
    *host = place.map(|place| place.to_string());
    let hosts = hosts(app)?;
    let folder = folder.ok_or_else(|| bad("say in `cwd` in which folder it works".to_owned()))?;
    settings.folder = Some(app.allow(&folder, place)?);
    hosts.prepare(door, settings).await?;
    settings.wishes.warm = settings.wishes.warm.or(hosts.options().warm);
    Ok(())
}

/// The node that runs the agent. `None`: there is only this one.
fn place(app: &App, host: Option<&str>, folder: Option<&str>) -> Result<Option<StableNodeId>, Rejection> {
    let nodes = &app.handle.nodes;
    match host {
        Some(name) => nodes.named(name).map(|node| Some(node).filter(|_| !nodes.is_alone())),
        None if nodes.is_alone() => Ok(None),
        None => {
            // A folder of this machine may have other names than that of a root.
            let is_here = |folder: &str| app.hosts().is_some_and(|hosts| hosts.options().allow(folder).is_ok());
            let there = folder.filter(|folder| !is_here(folder)).and_then(|folder| nodes.with_folder(folder));
            there.unwrap_or(Ok(nodes.here())).map(Some)
        }
    }
}

fn hosts(app: &App) -> Result<&Hosts, Rejection> {
    app.hosts().ok_or_else(|| bad("this askbridge runs no agents".to_owned()))
}

fn bad(why: String) -> Rejection {
    Rejection::Refused(Refusal::BadRequest(why))
}
