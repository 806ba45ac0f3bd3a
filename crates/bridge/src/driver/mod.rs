//! The conversation driver: the one loop body behind every protocol machine.
//!
//! A machine ([`Peer`](askbridge_peers::peer::Peer)) has no I/O. [`Driver`] lets it act and carries out what it leaves
//! in its outbox: wishes and queries become replies, watches become a follower, records are stored, an alarm wakes it.
//! What differs between a client's connection and an agent's process that we run is behind [`Endpoint`]:
//! `server/talk/connection.rs` and `hosts/endpoint.rs`.

mod drive;
mod endpoint;
mod replies;

pub(crate) use drive::{Driver, Stepped};
pub(crate) use endpoint::{Endpoint, Lost, Order, Watched};
pub(crate) use replies::Replies;
