//! Why there is no certificate.

use std::path::PathBuf;
use std::time::Duration;

use crate::outbound::Failed;

#[derive(Debug, thiserror::Error)]
pub enum AcmeError {
    #[error("could not reach the ACME server")]
    Unreachable(#[source] Failed),
    #[error("the address `{directory}` is no ACME server's: {why}")]
    NoDirectory { directory: String, why: String },
    /// With the server's own words.
    #[error("the ACME server refused: {why}")]
    Refused {
        why: String,
        /// How long it asks us to wait.
        again_after: Option<Duration>,
    },
    #[error("the ACME server refused one nonce after another")]
    Nonces,
    #[error("the ACME server could not confirm that `{name}` leads here: {why}")]
    Unconfirmed { name: String, why: String },
    #[error("the ACME server offers no {kind} challenge for `{name}`")]
    NoChallenge { name: String, kind: &'static str },
    #[error("the ACME server has no profile `{wanted}`; it has {}", if has.is_empty() { "none".to_owned() } else { has.join(", ") })]
    NoProfile { wanted: String, has: Vec<String> },
    #[error("`{name}` is neither a host name nor an address that a certificate can be for")]
    NoName { name: String },
    #[error("could not make a key or a request: {0}")]
    Make(#[from] rcgen::Error),
    #[error("could not {doing} `{}`", path.display())]
    File {
        doing: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the key of the ACME account in `{}` cannot be used", path.display())]
    AccountKey { path: PathBuf },
    #[error("what the ACME server issued cannot be served: {0}")]
    Unusable(String),
}

impl AcmeError {
    /// How long the server asks us to wait before we try again.
    pub fn again_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { again_after, .. } => *again_after,
            _ => None,
        }
    }

    /// Did our request not reach the server, or was it refused without a look at it? Then an early try costs nothing.
    pub(in crate::server::tls) fn is_passing(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Nonces)
    }
}
