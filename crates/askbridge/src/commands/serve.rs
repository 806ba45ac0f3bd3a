//! `askbridge serve`: the server, in the foreground.

use std::fs;
use std::io::{ErrorKind, IsTerminal, Write, stdout};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use askbridge_bridge::auth::{Secret, TokenInfo, TokenRole, Tokens, make_link};
use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::Clock;
use askbridge_bridge::hosts::{HostOptions, Hosts, LAUNCH_COMMAND};
use askbridge_bridge::runtime::{Bridge, Handle, Options, Store};
use askbridge_bridge::server::{App, AppOptions, ListenError, Listeners, Origins, router, serve};
use askbridge_core::terms::Rules;
use askbridge_journal::{LocalBus, Sqlite, sqlite};
use tokio::signal::unix::{SignalKind, signal};
use tracing::info;

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::settings::{AgentSettings, Settings};

#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// End the agents that run when the server ends, instead of leaving them to the next one
    #[arg(long)]
    stop_agents: bool,
}

pub(crate) async fn run(settings: Settings, args: &Args) -> Result<Exit, Failure> {
    let (clock, chance) = (Clock::System, Chance::System);
    let origins = Origins::new(settings.allowed_origins.clone())
        .map_err(|why| Failure::new(format!("ASKBRIDGE_ALLOWED_ORIGINS: {why}")))?;
    let options = sqlite::Options::new(&settings.data, chance.u64());
    let store = Store::Sqlite(Sqlite::open(&options).map_err(|error| no_store(&settings, error))?, LocalBus::default());

    let bridge =
        Bridge::start(Options { store: store.clone(), clock, chance: chance.clone(), rules: Rules::default() }).await;
    let tokens = Tokens::load(store, chance.clone(), bridge.handle.now()).await.context("could not load the tokens")?;
    keep_token_file(&settings, &tokens, &chance, &bridge.handle).await?;
    // Last: whoever finds the port open finds the token file too.
    let listeners = Listeners::bind(settings.listen, &settings.socket()).await.map_err(no_listener)?;
    let address = listeners.address()?;
    let version = env!("CARGO_PKG_VERSION");
    let app = App::new(AppOptions { handle: bridge.handle.clone(), tokens, origins, version });
    app.agents.recall(app.handle.store(), app.handle.now()).await.context("could not recall the agents that run")?;
    let hosts = Hosts::start(bridge.handle.clone(), host_options(&settings), Arc::clone(&app.agents));
    let hosts = hosts.await.context("could not look after agents")?;
    app.host(hosts.clone());
    let server = serve(app.clone(), router(app), listeners, settings.user.clone());
    // A courtesy to our own commands; without it they use what is configured.
    let _ = fs::write(settings.address_file(), format!("{address}\n"));
    greet(&settings, &bridge.handle, address).await?;

    wait_for_the_end().await?;
    info!("Stopping: finishing what is in hand");
    server.stop().await;
    hosts.stop(args.stop_agents).await;
    bridge.stop().await;
    Ok(Exit::Good)
}

fn host_options(settings: &Settings) -> HostOptions {
    let AgentSettings { claude, roots, warm, hold_max, idle, processes_max, environment } = settings.agents.clone();
    HostOptions {
        folder: settings.data.join("run").join("agents"),
        // The program that runs, even if its file was replaced since.
        launcher: vec!["/proc/self/exe".into(), LAUNCH_COMMAND.into()],
        claude,
        environment,
        roots,
        idle,
        warm,
        hold_max,
        processes_max,
    }
}

fn no_store(settings: &Settings, error: sqlite::Error) -> Failure {
    let in_use = matches!(error, sqlite::Error::InUse { .. });
    let failure = Failure::from(anyhow::Error::from(error));
    if in_use {
        let folder = settings.data.display();
        return failure.hint(format!(
            "askbridge already runs on `{folder}`; look at it with `askbridge inbox`, or set ASKBRIDGE_DATA to another folder"
        ));
    }
    failure
}

fn no_listener(error: ListenError) -> Failure {
    let hint = match &error {
        ListenError::Tcp { address, source } => match source.kind() {
            ErrorKind::AddrInUse => {
                let free = address.port().checked_add(1).unwrap_or(4760);
                let other = SocketAddr::new(address.ip(), free);
                Some(format!("another program has this port; choose another: `ASKBRIDGE_LISTEN={other} askbridge`"))
            }
            ErrorKind::AddrNotAvailable => Some(format!("{} is not an address of this machine", address.ip())),
            ErrorKind::PermissionDenied => Some("ports below 1024 need special rights; choose a higher one".to_owned()),
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

/// Makes the local token if there is none, and sees to it that the server knows it.
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
            id: "local".to_owned(),
            name: settings.user.clone(),
            device: "token file".to_owned(),
            role: TokenRole::Local,
            made_at: now.0,
        };
        // A token file that was replaced leaves its former token behind: nobody can hold that any more.
        let _ = tokens.revoke("local").await;
        tokens.keep(&secret, info, now).await?;
    }
    Ok(())
}

/// Writes beside and renames, so that nobody ever reads half a token.
fn write_secret(path: &Path, secret: &Secret) -> std::io::Result<()> {
    let beside = path.with_extension("new");
    let _ = fs::remove_file(&beside);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    writeln!(file, "{}", secret.reveal())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

/// Prints one link. Only a terminal gets one that pairs a device: an agent may read everything else.
async fn greet(settings: &Settings, handle: &Handle, address: SocketAddr) -> Result<()> {
    let link = if stdout().is_terminal() {
        let secret =
            make_link(handle.store(), handle.chance(), &settings.user, TokenRole::Operator, handle.now()).await?;
        format!("http://{address}/#pair={}", secret.reveal())
    } else {
        format!("http://{address}/")
    };
    // Whoever started us may have closed its end; we serve all the same.
    let _ = writeln!(stdout(), "{link}");
    info!(%address, data = %settings.data.display(), "askbridge {} serves", env!("CARGO_PKG_VERSION"));
    Ok(())
}

async fn wait_for_the_end() -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
