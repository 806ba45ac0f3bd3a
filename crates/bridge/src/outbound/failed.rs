//! The ways in which an outgoing call fails.

use std::net::IpAddr;
use std::time::Duration;

/// Errors name the host and nothing more: an address, a header and a body may all be secrets.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error(
        "only addresses that begin with https:// or wss:// are called (http:// and ws:// only on a private network), without a user name"
    )]
    NotAnAddress,
    #[error("the header `{name}` cannot be set, because the connection sets it")]
    Header { name: String },
    #[error("could not find `{host}`")]
    NoSuchHost {
        host: String,
        #[source]
        source: std::io::Error,
    },
    #[error(
        "`{host}` is on a private network, which is called only if it is listed in `outbound.private` (it leads to {address})"
    )]
    Private { host: String, address: IpAddr },
    #[error(
        "`{host}` is not on a private network, so it is called only with https:// or wss:// (it leads to {address})"
    )]
    InTheClear { host: String, address: IpAddr },
    #[error("could not connect to `{host}`: {why}")]
    Connect { host: String, why: String },
    #[error("`{host}` did not answer: {why}")]
    NoAnswer { host: String, why: String },
    #[error("`{host}` answered {status} and opened no WebSocket")]
    NoSocket { host: String, status: u16 },
    #[error("`{host}` did not answer within {} seconds", .after.as_secs_f64())]
    TooSlow { host: String, after: Duration },
    #[error("`{host}` sent nothing for {} seconds", .after.as_secs_f64())]
    Silent { host: String, after: Duration },
    #[error("`{host}` sent {what} of more than {bytes_max} bytes")]
    TooLarge { host: String, what: &'static str, bytes_max: usize },
    #[error("`{host}` was not called: {at_once} long calls, streams and sockets are open already")]
    Busy { host: String, at_once: usize },
    #[error("{0}")]
    NoTrust(String),
}
