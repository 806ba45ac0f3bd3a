//! Dialects of other systems: which are enabled, and on which ports.

use std::fmt::Write;
use std::fs;
use std::net::SocketAddr;

use anyhow::Context;
use askbridge_bridge::auth::Caller;
use askbridge_bridge::server::{
    App, Choices, Speaking, can_share, dialect, foreign_router, router, router_speaking, serve_port,
};
use axum::Router;
use tokio::net::TcpListener;
use tracing::{info, warn};

use crate::failure::Failure;
use crate::settings::Settings;

/// The enabled dialects, ready to be served: the router of our own port, and other ports with theirs.
pub(crate) struct Spoken {
    pub(crate) router: Router,
    ports: Vec<(Vec<&'static str>, TcpListener, Router)>,
}

impl Spoken {
    /// Makes the routers and opens the ports. Nothing is accepted yet.
    pub(crate) async fn prepare(app: &App, settings: &Settings) -> Result<Self, Failure> {
        if *settings.dialects.insecure_loopback && app.origins.expect_a_proxy() {
            let why = "`dialects.insecure_loopback` cannot be combined with `behind_proxy`, a certificate, `public_url`, \
                       `allowed_hosts` or an entry in `allowed_origins` that is not on this machine: what a proxy or a \
                       tunnel passes on comes from this machine too, and would need no token";
            return Err(Failure::new(why).hint("leave `--insecure-loopback` out and give those clients a token"));
        }
        let mut places: Vec<(Option<SocketAddr>, Vec<_>)> = Vec::new();
        for (listing, address) in settings.dialects.speak.iter().filter_map(|(name, at)| Some((dialect(name)?, *at))) {
            // Port 0 is any free port, a different one each time.
            let is_any = address.is_some_and(|address| address.port() == 0);
            match places.iter_mut().find(|(known, _)| *known == address && !is_any) {
                Some((_, listings)) => listings.push(listing),
                None => places.push((address, vec![listing])),
            }
        }
        let loopback = settings.dialects.insecure_loopback.then(|| Caller::without_token(&settings.top.user));
        let choices = Choices {
            empty_dismissals: *settings.dialects.empty_dismissals,
            whimmy_approvals: *settings.dialects.whimmy_approvals,
        };
        let folder = settings.dialects.folder.as_ref().filter(|folder| folder.is_absolute());
        let folder = folder.map(|folder| folder.display().to_string());
        let names = settings.dialects.speak.iter().map(|(name, _)| *name).collect();
        app.speak(Speaking { names, folder, loopback, choices });
        let mut spoken = Self { router: router(app.clone()), ports: Vec::new() };
        for (address, mut listings) in places {
            listings.dedup_by_key(|listing| listing.name);
            can_share(&listings).map_err(|clash| {
                let hint = format!("give one of them a port of its own: `--dialect {}=127.0.0.1:8000`", clash.second);
                Failure::new(&clash).hint(hint)
            })?;
            let names: Vec<_> = listings.iter().map(|listing| listing.name).collect();
            let Some(address) = address else {
                spoken.router = router_speaking(app.clone(), listings);
                continue;
            };
            let port = TcpListener::bind(address).await;
            let port = port.with_context(|| format!("could not listen on {address} for {}", names.join(", ")))?;
            spoken.ports.push((names, port, foreign_router(app.clone(), listings)));
        }
        Ok(spoken)
    }

    /// Begins to accept on the other ports, and logs what is served where.
    pub(crate) fn serve(self, app: &App, settings: &Settings) -> std::io::Result<()> {
        let mut written = String::new();
        for (names, port, router) in self.ports {
            let (names, address) = (names.join(","), port.local_addr()?);
            serve_port(app, router, port);
            info!(dialect = names, %address, "Speaking {names} on {address}");
            writeln!(written, "{names} {address}").expect("writing to a string does not fail");
        }
        for (name, _) in settings.dialects.speak.iter().filter(|(_, address)| address.is_none()) {
            info!(dialect = name, "Speaking {name} on our own port");
        }
        if *settings.dialects.insecure_loopback && !settings.dialects.speak.is_empty() {
            warn!(
                "INSECURE: clients of other systems need no token from this machine. Every program that runs here, \
                 agents too, may start agents and decide in your name. Leave --insecure-loopback out to end this"
            );
        }
        // For information only; nothing depends on it.
        let _ = fs::write(settings.dialects_file(), written);
        Ok(())
    }
}
