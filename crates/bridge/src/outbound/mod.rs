//! Outgoing calls: the one way out, for push notifications and the trace collector.
//!
//! Only https, except to the collector that the operator names. A name is resolved once, and the connection goes to the
//! addresses that were checked, so that a DNS server cannot give us one address and the connection another. Private
//! addresses are called only if the operator lists them: a client that may register an address could otherwise reach
//! what only this machine can. Redirects are not followed, and everything has a limit. An address may itself be a
//! secret, so errors name the host and nothing more.

mod address;
mod post;
mod reach;
mod trust;

pub(crate) use address::Address;
pub(crate) use post::post_plain;
pub use post::{Answered, Failed, Outbound, OutboundOptions};
pub use trust::Authorities;
