//! Checks the port: free, ours, or taken by another program.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::super::finding::Finding;
use super::super::patient::Patient;
use crate::client::{Client, Error, dialable};

/// How long the program on the port may take to identify itself. Beyond: it is not askbridge.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    let address = patient.settings.served_address();
    if patient.is_served() {
        let dial = patient.settings.server_address();
        return vec![match who_listens(dial).await {
            Some(true) => Finding::good(format!("askbridge answers on {address}")),
            Some(false) => Finding::bad(
                format!("something else listens on {address}, while askbridge runs"),
                "commands with a token would speak to it: restart askbridge with another `--listen`",
            ),
            None => Finding::bad(
                format!("askbridge runs, and nothing answers on {address}"),
                "does it serve on another address? set `listen` to what it printed when it started",
            ),
        }];
    }
    match TcpListener::bind(address).await {
        Ok(_) => vec![Finding::good(format!("{address} is free"))],
        Err(error) => vec![not_free(address, &error).await],
    }
}

async fn not_free(address: SocketAddr, error: &std::io::Error) -> Finding {
    let next = SocketAddr::new(address.ip(), address.port().checked_add(1).unwrap_or(4760));
    let hint = format!("choose another: `askbridge --listen {next}`");
    match error.kind() {
        ErrorKind::AddrInUse if who_listens(dialable(address)).await == Some(true) => {
            let what = format!("another askbridge listens on {address}, with another data folder");
            Finding::bad(what, format!("use its folder with `--data`, or {hint}"))
        }
        ErrorKind::AddrInUse => Finding::bad(format!("another program listens on {address}"), hint),
        _ => Finding::bad(format!("askbridge could not listen on {address}: {error}"), hint),
    }
}

#[derive(Deserialize)]
struct Health {
    #[serde(rename = "version")]
    _version: String,
}

/// Asks the program on the port whether it is askbridge. `None`: nothing listens.
async fn who_listens(address: SocketAddr) -> Option<bool> {
    match timeout(PATIENCE, Client::without_token(address).get("/healthz")).await {
        Ok(Err(Error::Unreachable { .. })) => None,
        Ok(Ok(health)) => Some(health.json::<Health>().is_ok()),
        _ => Some(false),
    }
}
