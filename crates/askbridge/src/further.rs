//! The addresses that are served beside `listen`: https for other machines, and redirects to it.

use std::io::ErrorKind;
use std::net::SocketAddr;

use anyhow::Result;
use askbridge_bridge::server::{App, ListenError, serve_encrypted, serve_redirects};
use axum::Router;
use tokio::net::TcpListener;
use tracing::{info, warn};

use crate::failure::Failure;
use crate::served::no_listener;
use crate::settings::Settings;

/// Open, and not served yet.
#[derive(Debug, Default)]
pub(crate) struct Further {
    encrypted: Option<TcpListener>,
    redirects: Option<TcpListener>,
    /// Where redirects lead to, as people see it.
    public_port: u16,
}

impl Further {
    pub(crate) async fn open(settings: &Settings, has_certificate: bool) -> Result<Self, Failure> {
        let (listen, redirect) = (*settings.tls.listen, *settings.tls.redirect);
        if (listen.is_some() || redirect.is_some()) && !has_certificate {
            let setting = if listen.is_some() { "tls.listen" } else { "tls.redirect" };
            return Err(Failure::new(format!("`{setting}` is set, and there is no certificate to encrypt with"))
                .hint("name one with `--tls-cert FILE --tls-key FILE`, or obtain one with `askbridge expose`"));
        }
        let encrypted = match listen {
            None => None,
            Some(address) => Some(TcpListener::bind(address).await.map_err(|source| taken(address, source))?),
        };
        // People get along without: agents here should not go without a server for it.
        let redirects = match redirect {
            None => None,
            Some(address) => TcpListener::bind(address)
                .await
                .inspect_err(|error| warn!(%address, %error, "Could not listen on {address}; http is not redirected"))
                .ok(),
        };
        let said = settings.top.public_url.as_deref().and_then(|url| url.strip_prefix("https://"));
        let said = said.map(|host| host.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or(443));
        let own = listen.unwrap_or(*settings.top.listen).port();
        Ok(Self { encrypted, redirects, public_port: said.unwrap_or(own) })
    }

    /// Begins to accept.
    pub(crate) fn serve(self, app: &App, router: &Router) {
        if let Some(tcp) = self.encrypted {
            if let Ok(address) = tcp.local_addr() {
                info!(%address, "Serving https on {address}");
            }
            serve_encrypted(app, router.clone(), tcp);
        }
        if let Some(tcp) = self.redirects {
            serve_redirects(app, tcp, self.public_port);
        }
    }
}

fn taken(address: SocketAddr, source: std::io::Error) -> Failure {
    let is_taken = source.kind() == ErrorKind::AddrInUse;
    let failure = no_listener(ListenError::Tcp { address, source });
    match is_taken {
        true => failure.hint("another program has this port; stop it, or choose another for `tls.listen`"),
        false => failure,
    }
}
