//! The state that all handlers share.

use std::net::IpAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use askbridge_core::ids::PartyId;
use askbridge_core::limits;
use askbridge_journal::shelf::ShelfError;
use askbridge_peers::doors::mcp::Patience;
use askbridge_peers::listing::Choices;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::endings::Endings;
use super::foreign::Speaking;
use super::guard::Origins;
use super::taps::{TapTable, recall};
use super::tls::Tls;
use crate::auth::{Agents, Buckets, Tokens};
use crate::hooks::{HookOptions, Hooks};
use crate::hosts::Hosts;
use crate::outbound::Outbound;
use crate::ringing::{Ringing, RingingOptions};
use crate::runtime::Handle;

#[derive(Debug, Clone)]
pub struct App(Arc<AppInner>);

#[derive(Debug)]
pub struct AppInner {
    pub handle: Handle,
    pub tokens: Tokens,
    pub agents: Arc<Agents>,
    /// The agents that we run, if any.
    hosts: OnceLock<Hosts>,
    /// The agents in people's own terminals.
    pub(crate) hooks: Hooks,
    /// The sessions that end with a program on this machine.
    pub(super) endings: Endings,
    /// How the dialects of other systems are served, if any are.
    speaking: OnceLock<Speaking>,
    /// The client for outgoing calls, if there is one.
    outbound: OnceLock<Outbound>,
    /// How people who are away are reached, and what was rung.
    ringing: Ringing,
    ringing_options: OnceLock<Arc<RingingOptions>>,
    /// The certificate, if connections are encrypted here.
    tls: OnceLock<Arc<Tls>>,
    /// The file with which `expose` finds out whether an address leads to this server.
    reached: OnceLock<PathBuf>,
    /// How long programs are kept waiting through the MCP door, if configured.
    patience: OnceLock<Patience>,
    /// The open taps.
    pub(crate) taps: TapTable,
    pub origins: Origins,
    /// The rate limit of each token.
    pub pace: Buckets<PartyId>,
    /// The rate limit of each connected machine.
    pub(super) machine_pace: Buckets<PartyId>,
    /// How often each connected machine may ask.
    pub(super) machine_asks: Buckets<PartyId>,
    /// How often each address may fail to sign in.
    pub failures: Buckets<IpAddr>,
    /// Connections and what runs on them, so that a shutdown can wait for them.
    pub tasks: TaskTracker,
    pub stop: CancellationToken,
    pub version: &'static str,
    /// One request for the metrics at a time: each counts everything that is open.
    pub(crate) looking: tokio::sync::Mutex<()>,
    connections: AtomicUsize,
}

#[derive(Debug)]
pub struct AppOptions {
    pub handle: Handle,
    pub tokens: Tokens,
    pub origins: Origins,
    /// Requests that one token may make per second. After a quiet time, twice as many at once.
    pub requests_per_second: u32,
    /// Wrong tokens and links that one address may try per minute.
    pub failures_per_minute: u32,
    pub version: &'static str,
}

/// One connection, counted as long as this lives.
#[derive(Debug)]
pub(crate) struct Seat(App);

impl App {
    pub fn new(options: AppOptions) -> Self {
        let AppOptions { handle, tokens, origins, requests_per_second, failures_per_minute, version } = options;
        Self(Arc::new(AppInner {
            handle,
            tokens,
            agents: Arc::default(),
            hosts: OnceLock::new(),
            hooks: Hooks::default(),
            endings: Endings::default(),
            speaking: OnceLock::new(),
            outbound: OnceLock::new(),
            ringing: Ringing::default(),
            ringing_options: OnceLock::new(),
            tls: OnceLock::new(),
            reached: OnceLock::new(),
            patience: OnceLock::new(),
            taps: TapTable::default(),
            origins,
            pace: Buckets::new(requests_per_second.saturating_mul(2), Duration::from_secs(1), requests_per_second),
            machine_pace: Buckets::new(
                limits::MACHINE_REQUESTS_PER_SECOND.saturating_mul(2),
                Duration::from_secs(1),
                limits::MACHINE_REQUESTS_PER_SECOND,
            ),
            machine_asks: Buckets::new(
                limits::MACHINE_ASKS_PER_MINUTE,
                Duration::from_secs(60),
                limits::MACHINE_ASKS_PER_MINUTE,
            ),
            failures: Buckets::new(failures_per_minute, Duration::from_secs(60), failures_per_minute),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            version,
            looking: tokio::sync::Mutex::default(),
            connections: AtomicUsize::new(0),
        }))
    }

    /// From now on it is stored when tokens were last used.
    pub fn note_token_uses(&self) {
        self.tasks.spawn(super::v1::connections::note_uses(self.clone()));
    }

    /// Continues to watch the taps that an earlier server asked for.
    pub async fn recall_taps(&self) -> Result<(), ShelfError> {
        recall(self).await
    }

    /// Connections over TCP are encrypted with this certificate. To be called before they are served.
    pub fn encrypt(&self, tls: Arc<Tls>) {
        // Only the first call counts.
        let _ = self.tls.set(tls);
    }

    pub(crate) fn tls(&self) -> Option<&Arc<Tls>> {
        self.tls.get()
    }

    /// From now on, a request can find out that it reached the server of this file.
    pub fn be_reached(&self, file: PathBuf) {
        // Only the first call counts.
        let _ = self.reached.set(file);
    }

    pub(crate) fn reached(&self) -> Option<&PathBuf> {
        self.reached.get()
    }

    /// From now on, agents are run here.
    pub fn host(&self, hosts: Hosts) {
        // Only the first call counts.
        let _ = self.hosts.set(hosts);
    }

    pub(crate) fn hosts(&self) -> Option<&Hosts> {
        self.hosts.get()
    }

    /// Sets how agents in people's own terminals are treated.
    pub fn hook(&self, options: HookOptions) {
        self.hooks.set(options);
    }

    /// From now on, dialects of other systems are served like this.
    pub fn speak(&self, speaking: Speaking) {
        // Only the first call counts.
        let _ = self.speaking.set(speaking);
    }

    pub(crate) fn speaking(&self) -> Option<&Speaking> {
        self.speaking.get()
    }

    /// What the operator decided about dialects.
    pub(crate) fn choices(&self) -> Choices {
        self.speaking().map(|speaking| speaking.choices).unwrap_or_default()
    }

    /// From now on, outgoing calls are allowed.
    pub fn call_out(&self, outbound: Outbound) {
        // Only the first call counts.
        let _ = self.outbound.set(outbound);
    }

    pub(crate) fn outbound(&self) -> Option<&Outbound> {
        self.outbound.get()
    }

    pub(crate) fn ringing(&self) -> &Ringing {
        &self.ringing
    }

    /// From now on, people are rung like this.
    pub(crate) fn ring_as(&self, options: Arc<RingingOptions>) {
        // Only the first call counts.
        let _ = self.ringing_options.set(options);
    }

    /// How people are rung, if they are.
    pub(crate) fn ringing_options(&self) -> Option<&RingingOptions> {
        self.ringing_options.get().map(|options| &**options)
    }

    /// From now on, programs are kept waiting through the MCP door for this long.
    pub fn keep_waiting(&self, patience: Patience) {
        // Only the first call counts.
        let _ = self.patience.set(patience);
    }

    pub(crate) fn patience(&self) -> &Patience {
        self.patience.get_or_init(Patience::default)
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Takes one of the connection slots, if one is free.
    pub(crate) fn seat(&self) -> Option<Seat> {
        let taken = self.connections.fetch_add(1, Ordering::Relaxed);
        let seat = Seat(self.clone());
        (taken < limits::CONNECTIONS_MAX).then_some(seat)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Deref for App {
    type Target = AppInner;

    fn deref(&self) -> &AppInner {
        &self.0
    }
}
