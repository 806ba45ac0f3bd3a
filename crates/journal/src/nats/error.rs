//! Errors of the NATS servers, and what to do about them.

use crate::fault::Fault;

#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error("could not reach NATS at {url}; check the address and that the server runs")]
    Connect {
        url: String,
        #[source]
        source: Fault,
    },
    #[error("the NATS server at {url} is version {found}, which can let two writers win; it has to be 2.12 or newer")]
    TooOld { url: String, found: String },
    #[error("could not set up the stream `{name}`; JetStream has to be enabled on {replicas} servers")]
    Setup {
        name: String,
        replicas: usize,
        #[source]
        source: Fault,
    },
    #[error("the stream `{name}` was not made by askbridge")]
    NotOurs { name: String },
    #[error("could not {what} in NATS")]
    Request {
        what: &'static str,
        #[source]
        source: Fault,
    },
}
