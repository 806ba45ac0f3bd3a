//! Identifies the caller: by bearer token, or as a process of the same user on the local socket.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use askbridge_peers::wish::Rejection;
use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use super::app::App;
use super::problem::Trouble;
use crate::auth::{Ancestry, Caller, Pinned, ProcessId, Role};
use crate::runtime::Services;

/// Where a connection comes from.
#[derive(Debug, Clone)]
pub(crate) enum Remote {
    Address {
        ip: IpAddr,
        /// The other end's port, by which its process can be found if it is on this machine.
        port: Option<u16>,
    },
    /// The local socket; the kernel vouches for the process.
    Local(LocalPeer),
}

#[derive(Debug, Clone)]
pub(crate) struct LocalPeer {
    /// The process that opened the connection, held since it was accepted, because its id may be reused.
    process: Arc<Pinned>,
    pub(crate) user: Arc<str>,
}

impl LocalPeer {
    pub(crate) fn new(process: Pinned, user: Arc<str>) -> Self {
        Self { process: Arc::new(process), user }
    }

    /// Returns the calling process. Refused if it has exited: its connection may be in other hands.
    pub(crate) fn process(&self) -> Result<ProcessId, Rejection> {
        if self.process.is_alive() { Ok(self.process.id) } else { Err(Rejection::Unauthorized) }
    }
}

impl FromRequestParts<App> for Caller {
    type Rejection = Trouble;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Trouble> {
        let remote = parts.extensions.get::<Remote>();
        let bearer = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = bearer.and_then(|value| value.split_once(' '));
        let caller = match (bearer, remote) {
            (Some((scheme, token)), _) if scheme.eq_ignore_ascii_case("bearer") => {
                sign_in(app, token.trim(), address_of(remote))?
            }
            (None, Some(Remote::Local(peer))) => local_caller(app, peer)?,
            _ => return Err(Rejection::Unauthorized.into()),
        };
        app.pace(&caller)?;
        Ok(caller)
    }
}

/// Identifies the holder of a token. An address that fails too often has to wait, except with a right token.
pub(crate) fn sign_in(app: &App, token: &str, from: IpAddr) -> Result<Caller, Rejection> {
    let now = app.handle.clock.now();
    if let Some(caller) = app.tokens.caller_at(token, now) {
        return Ok(caller);
    }
    app.failures.take(&from, now).map_err(|retry_after| Rejection::TooFast { retry_after })?;
    Err(Rejection::Unauthorized)
}

pub(crate) fn address_of(remote: Option<&Remote>) -> IpAddr {
    match remote {
        Some(Remote::Address { ip, .. }) => *ip,
        Some(Remote::Local(_)) | None => IpAddr::V4(Ipv4Addr::LOCALHOST),
    }
}

/// The process at the other end of the local socket, even if it has exited since.
pub(super) fn process_of(remote: Option<&Remote>) -> Option<ProcessId> {
    match remote {
        Some(Remote::Local(peer)) => Some(peer.process.id),
        Some(Remote::Address { .. }) | None => None,
    }
}

/// A process of the same user: a person at a terminal, a script, or something that an agent started.
pub(crate) fn local_caller(app: &App, peer: &LocalPeer) -> Result<Caller, Rejection> {
    let (role, device) = match app.agents.ancestry(peer.process()?.pid) {
        Ancestry::LoginTerminal | Ancestry::VouchedTerminal => (Role::Terminal, "terminal"),
        Ancestry::UnprovenTerminal if app.tokens.taps_are_needed() => (Role::Unproven, "terminal"),
        Ancestry::UnprovenTerminal => (Role::Terminal, "terminal"),
        Ancestry::NoTerminal => (Role::Local, "script"),
        Ancestry::BelowAnAgent | Ancestry::Unknown => (Role::Agent, "agent"),
    };
    // The ancestry is the caller's only if its process was there all the while.
    peer.process()?;
    let party = app.handle.local_party();
    Ok(Caller { party, role, name: Arc::clone(&peer.user), device: device.into() })
}
