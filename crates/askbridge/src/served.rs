//! A server in this process: that of `askbridge serve`, and the temporary ones of the demo and the doctor.

use std::fs;
use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use askbridge_bridge::auth::{LinkMadeBy, Secret, TokenInfo, TokenRole, Tokens, make_link};
use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::Clock;
use askbridge_bridge::cluster::{join, renew_id_if_gone};
use askbridge_bridge::hosts::{Hosts, adopt_orphans};
use askbridge_bridge::outbound::Outbound;
use askbridge_bridge::ringing::ring;
use askbridge_bridge::runtime::{Bridge, Handle, Location, OpenError, Options, Store};
use askbridge_bridge::server::{App, AppOptions, Handed, ListenError, Listeners, Server, keep_renewed, serve};
use askbridge_bridge::traces::Telling;
use askbridge_bridge::workflows::GobbySource;
use askbridge_bridge::{keeping, rule_file, stable_node_id, workflows};
use askbridge_core::limits;
use askbridge_journal::nats::SyncAlways;
use askbridge_journal::{Nats, sqlite};
use askbridge_policy::Problem;
use tracing::{debug, info, warn};

use crate::failure::Failure;
use crate::further::Further;
use crate::private::keep_private;
use crate::reach::Reach;
use crate::settings::Settings;
use crate::speaking::Spoken;

/// How often to retry opening a store that another server has locked.
const TRY_AGAIN: Duration = Duration::from_millis(20);

/// A running server.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    /// Where people open it, if that is not its own address.
    public_url: Option<String>,
    app: App,
    bridge: Bridge,
    server: Server,
    hosts: Hosts,
    telling: Option<Telling>,
}

impl Served {
    /// Opens the store and both sockets, or takes the sockets that were handed to us, and begins to accept.
    pub(crate) async fn start(settings: &Settings, handed: Handed, wait_for_lock: bool) -> Result<Self, Failure> {
        let rules = settings.rule_source();
        let read = rules.read().map_err(|problems| bad_rules(&problems))?;
        let gobby = settings.gobby_source();
        let gobby_read = gobby.read().map_err(|error| no_gobby_rules(&gobby, &error))?;
        let (clock, chance) = (Clock::System, Chance::System);
        keep_private(&settings.data);
        let tls = settings.tls()?;
        let location = settings.location()?;
        let store = open_store(&location, &chance, wait_for_lock)
            .await
            .map_err(|error| no_store(settings, &location, error))?;
        say_whether_synced(&location).await;
        // From here on we hold the lock of the folder.
        let stable_node = stable_node_id(&settings.data, &chance).map_err(anyhow::Error::from)?;
        let stable_node = renew_id_if_gone(&store, &settings.data, stable_node, &chance, clock.now()).await;
        let stable_node = stable_node.map_err(anyhow::Error::from)?;
        debug!(node.id = %stable_node, "This is node {stable_node}");
        let (store_too, terms) = (store.clone(), settings.rules.clone());
        let options = Options { store: store_too, stable_node, clock, chance: chance.clone(), rules: terms };
        let bridge = Bridge::start(options).await;
        let telling = settings.collector().and_then(|collector| {
            info!(%collector, "Telling a collector what happens");
            bridge.trace(collector, env!("CARGO_PKG_VERSION"))
        });
        let tokens = Tokens::load(store, chance.clone(), bridge.handle.now()).await;
        let tokens = tokens.context("could not load the tokens")?;
        keep_token_file(settings, &tokens, &chance, &bridge.handle).await?;
        // Last, so that a client that finds the port open finds the token file too.
        let listeners =
            Listeners::take_or_bind(handed, *settings.top.listen, &settings.socket()).await.map_err(no_listener)?;
        let address = listeners.address()?;
        let further = Further::open(settings, tls.is_some()).await?;
        let source = settings.certificate_source()?;
        let (handle, version) = (bridge.handle.clone(), env!("CARGO_PKG_VERSION"));
        let (requests_per_second, failures_per_minute) = (*settings.limits.requests, *settings.limits.failures);
        let public_url = settings.public_url(tls.as_ref(), address);
        let origins = settings.origins(tls.as_ref(), public_url.as_deref());
        let app = App::new(AppOptions { handle, tokens, origins, requests_per_second, failures_per_minute, version });
        let tls_is_on = tls.is_some();
        if let Some(tls) = tls {
            app.encrypt(Arc::new(tls));
        }
        app.be_reached(settings.reach_file());
        app.agents
            .recall(&app.handle.store().own(), app.handle.now())
            .await
            .context("could not recall the agents that run")?;
        app.recall_taps().await.context("could not recall the taps that are waited for")?;
        app.call_out(Outbound::new(settings.calls.clone()));
        app.keep_waiting((*settings.mcp.wait).clone());
        app.hook(settings.hook_options());
        app.handle.always_ask(settings.always_ask_patterns());
        rule_file::follow(&app, rules, read).await;
        workflows::follow(&app, gobby, gobby_read).await;
        // After the rules: an agent that outlived the last server may be waiting for what they say of its call.
        let hosts = Hosts::start(bridge.handle.clone(), settings.host_options(), Arc::clone(&app.agents));
        let hosts = hosts.await.context("could not look after agents")?;
        app.host(hosts.clone());
        app.note_token_uses();
        app.strand_hooks().await;
        app.recall_endings().await.context("could not recall the programs whose sessions end with them")?;
        let spoken = Spoken::prepare(&app, settings).await?;
        keeping::keep(&app, settings.retention());
        let ringing = settings.ringing_options(public_url.clone());
        ring(&app, ringing).await.context("could not look after the channels")?;
        join(&app, settings.node_profile(address, tls_is_on, public_url.as_deref()))
            .await
            .map_err(anyhow::Error::from)?;
        app.look_ahead().await;
        let server = serve(app.clone(), spoken.router.clone(), listeners, settings.top.user.to_string());
        further.serve(&app, &spoken.router);
        if let Some(source) = source {
            keep_renewed(&app, source);
        }
        spoken.serve(&app, settings)?;
        // Optional: without this file our own commands use the configured address.
        let _ = fs::write(settings.address_file(), format!("{address}\n"));
        Ok(Self { address, public_url, app, bridge, server, hosts, telling })
    }

    /// The base of links to this server.
    pub(crate) fn reach(&self) -> Reach {
        Reach::of(self.address, self.public_url.as_deref())
    }

    /// Was a person's device ever paired here?
    pub(crate) fn someone_was_paired(&self) -> bool {
        self.app.tokens.someone_was_paired()
    }

    /// Adopts orphaned processes of agents from now on, so that they stay below this process.
    pub(crate) fn adopt_orphans(&self) {
        if let Err(error) = adopt_orphans(&self.app.agents) {
            warn!(%error, "What agents leave behind is not kept below the server");
        }
    }

    /// Makes a link that pairs the user's first device.
    pub(crate) async fn link(&self, settings: &Settings) -> Result<String> {
        let (handle, name) = (&self.bridge.handle, &*settings.top.user);
        let (role, made_by) = (TokenRole::Operator, LinkMadeBy::ThisMachine);
        let secret = make_link(handle.store(), handle.chance(), name, role, made_by, handle.now()).await?;
        Ok(format!("{}/#pair={}", self.reach().base, secret.reveal()))
    }

    /// Makes a token that may decide. For servers that only this process knows of.
    pub(crate) async fn person(&self, name: &str) -> Result<String> {
        let made = self.app.tokens.make(name, "askbridge", TokenRole::Person, self.bridge.handle.now()).await?;
        Ok(made.0.reveal().to_owned())
    }

    /// Notes in the lock file that the store will be free in a moment.
    pub(crate) fn leaving(&self) {
        self.bridge.handle.store().leaving();
    }

    /// Finishes requests in progress, and stops. Agents keep running, unless `stop_agents`.
    pub(crate) async fn stop(self, stop_agents: bool) {
        let Self { app, bridge, server, hosts, telling, .. } = self;
        server.stop().await;
        hosts.stop(stop_agents).await;
        bridge.stop().await;
        // From here on the store is unlocked for the next server.
        drop((app, hosts));
        if let Some(telling) = telling {
            telling.finish().await;
        }
    }
}

/// Opens the store, and waits if the server that holds it is stopping, or if told to.
async fn open_store(location: &Location, chance: &Chance, wait_for_lock: bool) -> Result<Store, OpenError> {
    let begun = Instant::now();
    let mut told = false;
    loop {
        match Store::open(location, chance).await {
            Err(OpenError::Sqlite(sqlite::Error::InUse { pid, leaving, .. }))
                if wait_for_lock || (leaving && begun.elapsed() < limits::HANDOVER_MAX) =>
            {
                if !std::mem::replace(&mut told, true) {
                    info!(pid, "Waiting for another askbridge to stop");
                }
                tokio::time::sleep(TRY_AGAIN).await;
            }
            opened => return opened,
        }
    }
}

/// Says whether the servers of a journal on NATS have each entry on disk before they acknowledge it: a client cannot see
/// that, only their monitoring pages say it.
async fn say_whether_synced(location: &Location) {
    let Location::Nats { access, .. } = location else { return };
    match Nats::check_sync(&access.monitors).await {
        SyncAlways::Verified => info!("The servers of the journal sync each entry to disk"),
        SyncAlways::NotSet { servers } => warn!(
            servers = servers.join(", "),
            "The servers of the journal do not sync each entry to disk: what was acknowledged can be lost when all of \
             them lose power at once. Set `sync_interval: always` in their `jetstream` section"
        ),
        SyncAlways::Unknown { why } => warn!(
            why,
            "Whether the servers of the journal sync each entry to disk is not known. Set `sync_interval: always` in their \
             `jetstream` section, and name their monitoring addresses in `nats.monitors`"
        ),
    }
}

fn no_store(settings: &Settings, location: &Location, error: OpenError) -> Failure {
    use sqlite::Error::{InUse, Lost, Replaced};
    let in_use = matches!(error, OpenError::Sqlite(InUse { .. }));
    let has_lost = matches!(error, OpenError::Sqlite(Lost { .. } | Replaced { .. }));
    let is_remote = matches!(error, OpenError::Nats(_));
    let failure = Failure::from(anyhow::Error::from(error));
    if in_use {
        let folder = settings.data.display();
        return failure.hint(format!(
            "askbridge already runs on `{folder}`; look at it with `askbridge inbox`, take its place with `askbridge serve --wait-for-lock`, or set ASKBRIDGE_DATA to another folder"
        ));
    }
    if has_lost {
        return failure.hint(
            "if its log `askbridge.db-wal` was moved, put it back; otherwise put back a copy with `askbridge journal restore --replace FILE`. If it is meant to be as it is, type `askbridge journal accept`",
        );
    }
    if is_remote {
        return failure.hint(format!(
            "are the servers of the journal `{location}` running, version 2.12 or newer, with JetStream switched on (`--jetstream`)? `askbridge cluster up` starts some to try it out"
        ));
    }
    failure
}

pub(crate) fn no_listener(error: ListenError) -> Failure {
    let hint = match &error {
        ListenError::Tcp { address, source } => match source.kind() {
            ErrorKind::AddrInUse => {
                let free = address.port().checked_add(1).unwrap_or(4760);
                let other = SocketAddr::new(address.ip(), free);
                Some(format!("another program has this port; choose another: `askbridge --listen {other}`"))
            }
            ErrorKind::AddrNotAvailable => Some(format!("{} is not an address of this machine", address.ip())),
            ErrorKind::PermissionDenied => Some(
                "ports below 1024 need special rights: choose a higher one, or allow every program here to use them with \
                 `sudo sysctl -w net.ipv4.ip_unprivileged_port_start=80`"
                    .to_owned(),
            ),
            _ => None,
        },
        ListenError::Unix { .. } => Some("the socket lies in the data folder; ASKBRIDGE_DATA moves it".to_owned()),
    };
    let failure = Failure::from(anyhow::Error::from(error));
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Refuses to start with rules that cannot be read: what they were to deny would be asked, or worse.
pub(crate) fn bad_rules(problems: &[Problem]) -> Failure {
    let Some(first) = problems.first() else { return Failure::new("the rules cannot be read") };
    let failure = Failure::new(first);
    match (&first.hint, problems.len() - 1) {
        (_, more @ 1..) => failure.hint(format!("and {more} more; see `askbridge policy check {}`", first.file)),
        (Some(hint), 0) => failure.hint(hint),
        (None, 0) => failure,
    }
}

fn no_gobby_rules(source: &GobbySource, error: &std::io::Error) -> Failure {
    let folder = source.folder.as_ref().map(|folder| folder.display().to_string()).unwrap_or_default();
    Failure::new(format!("could not read the folder of gobby's rules `{folder}`: {error}"))
        .hint("correct `gobby_rules` in the settings (ASKBRIDGE_GOBBY_RULES), or unset it")
}

/// Makes the local token if there is none, and makes sure that the server knows it.
async fn keep_token_file(settings: &Settings, tokens: &Tokens, chance: &Chance, handle: &Handle) -> Result<()> {
    let path = settings.token_file();
    let secret = match fs::read_to_string(&path) {
        Ok(text) if !text.trim().is_empty() => Secret::from(text.trim().to_owned()),
        _ => {
            let secret = Secret::fresh("ab", chance);
            write_secret(&path, &secret)
                .with_context(|| format!("could not write the token file `{}`", path.display()))?;
            secret
        }
    };
    if tokens.caller(secret.reveal()).is_none() {
        let now = handle.now();
        let info = TokenInfo {
            id: handle.local_token_id(),
            name: settings.top.user.to_string(),
            device: "token file".to_owned(),
            role: TokenRole::Local,
            made_at: now.0,
            connected_by: None,
        };
        // The token file was replaced, so its former token is of no use to anyone.
        let _ = tokens.revoke(&handle.local_token_id()).await;
        tokens.keep(&secret, info, now).await?;
    }
    Ok(())
}

/// Writes a new file and renames it, so that no reader ever sees a partial token.
fn write_secret(path: &Path, secret: &Secret) -> std::io::Result<()> {
    let beside = path.with_extension("new");
    let _ = fs::remove_file(&beside);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    writeln!(file, "{}", secret.reveal())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}
