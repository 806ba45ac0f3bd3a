//! Where spans go: `http://127.0.0.1:4318`, and `/v1/traces` below it.

use std::fmt;

use crate::outbound::Address;

/// A collector that takes OTLP over plain HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collector {
    /// Without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
    /// With the brackets, and the port if one was named: what the `Host` header says.
    pub authority: String,
    /// Empty, or with a slash before and none behind.
    pub base: String,
}

impl Collector {
    /// Where traces go.
    pub(super) fn address(&self) -> Address {
        let (host, authority) = (self.host.clone(), self.authority.clone());
        Address { host, port: self.port, authority, target: format!("{}/v1/traces", self.base) }
    }
}

impl fmt::Display for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}/v1/traces", self.authority, self.base)
    }
}
