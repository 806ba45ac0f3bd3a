//! The collector's address: `http://127.0.0.1:4318`, with `/v1/traces` below it.

use std::fmt;

use crate::outbound::Address;

/// A collector that takes OTLP over plain HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collector {
    /// Without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
    /// With the brackets, and the port if one was named: the value of the `Host` header.
    pub authority: String,
    /// Empty, or with a leading slash and no trailing one.
    pub base: String,
}

impl Collector {
    /// The address that spans are posted to.
    pub(super) fn address(&self) -> Address {
        let (host, authority) = (self.host.clone(), self.authority.clone());
        let target = format!("{}/v1/traces", self.base);
        Address { encrypted: false, host, port: self.port, authority, target }
    }
}

impl fmt::Display for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}/v1/traces", self.authority, self.base)
    }
}
