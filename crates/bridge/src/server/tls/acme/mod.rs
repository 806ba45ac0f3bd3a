//! Certificates from an ACME server (RFC 8555), such as Let's Encrypt: for names, and for addresses (RFC 8738).
//!
//! `caller.rs` carries the requests of `instant-acme` over `outbound`, `account.rs` keeps the account's key, `order.rs`
//! obtains one certificate. Who calls it, and when: `expose` for the first certificate, `renewal.rs` for every later one.

mod account;
mod caller;
mod error;
mod order;

use std::path::PathBuf;

pub use error::AcmeError;

use super::challenges::Challenges;
use crate::outbound::Outbound;

/// Let's Encrypt.
pub const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
/// Its server for trying things out, whose certificates no browser trusts.
pub const LETS_ENCRYPT_STAGING: &str = "https://acme-staging-v02.api.letsencrypt.org/directory";

/// How often an order is begun anew because the server refused every nonce of a request: `instant-acme` gives up after
/// three in a row, which happens to servers behind a load balancer, and to pebble by intent. Beyond: it failed.
const NONCE_TRIES_MAX: usize = 3;

/// How we show an ACME server that a name leads here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChallengeKind {
    /// In a handshake on port 443.
    TlsAlpn01,
    /// Over plain HTTP on port 80.
    Http01,
}

/// What is needed to obtain a certificate.
#[derive(Debug, Clone)]
pub struct Acme {
    /// Where the account and the certificate are kept.
    pub folder: PathBuf,
    /// The address of the ACME server.
    pub directory: String,
    /// Names, or addresses.
    pub names: Vec<String>,
    /// A kind of certificate that the server offers, like `shortlived`; `None`: its usual one.
    pub profile: Option<String>,
    pub challenge: ChallengeKind,
    pub outbound: Outbound,
}

impl Acme {
    /// The certificate with its chain and its key, in one file.
    pub fn certificate(&self) -> PathBuf {
        self.folder.join("certificate.pem")
    }

    /// Where the terms are that the person has to accept, if the server has any.
    pub async fn terms(&self) -> Result<Option<String>, AcmeError> {
        account::terms(self).await
    }

    /// Obtains a certificate and puts it in its file. The terms were accepted by the person before.
    pub async fn obtain(&self, challenges: &Challenges) -> Result<(), AcmeError> {
        for _ in 1..NONCE_TRIES_MAX {
            match order::obtain(self, challenges).await {
                Err(AcmeError::Nonces) => {}
                obtained => return obtained,
            }
        }
        order::obtain(self, challenges).await
    }
}
