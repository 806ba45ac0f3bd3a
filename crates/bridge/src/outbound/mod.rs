//! Outgoing calls: the one way out, for push notifications, channels and the trace collector.
//!
//! A [`Call`] has one bounded answer ([`Outbound::call`]), or one that is read line by line ([`Outbound::stream`]);
//! [`Outbound::socket`] opens a WebSocket. The same rules hold for all three:
//!
//! - A name is resolved once, and the connection goes to the addresses that were checked, so that a DNS server cannot
//!   give us one address and the connection another.
//! - Private addresses are called only if the operator lists them in `outbound.private`, or named exactly this server
//!   for a channel of their own: a client that may register an address could otherwise reach what only this machine can.
//! - https and wss. http and ws only where every address is private and may be called, so nothing leaves for the open
//!   internet in the clear. The trace collector is the exception: it is called where the operator says.
//! - Redirects are not followed.
//! - Everything has a limit: time, silence, heads, bodies, lines, messages, and calls at the same time. A slow host
//!   delays calls to itself only, and long polls, streams and sockets take no turns from short calls (`turns.rs`).
//! - An address may itself be a secret, so errors name the host and nothing more.

mod address;
mod call;
mod client;
mod connect;
mod exchange;
mod failed;
mod lines;
mod names;
mod reach;
mod socket;
mod stream;
mod trust;
mod turns;

pub(crate) use address::Address;
pub use call::{Answered, Call};
pub use client::{Outbound, OutboundOptions};
pub use connect::{Dialer, Io, SystemDialer, Wire};
pub(crate) use exchange::post_plain;
pub use failed::Failed;
pub use names::{Resolver, SystemResolver};
pub use socket::Socket;
pub use stream::Streamed;
pub use trust::Authorities;
