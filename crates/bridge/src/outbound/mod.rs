//! Everything that leaves the house: one way out, for pushes and whatever else calls somebody outside.
//!
//! Only https. A name is looked up once, and what was looked at is what is connected to, so that nobody can answer one
//! thing to us and another to the connection. Addresses of private networks are called only where the operator lists them:
//! whoever may register an address could otherwise reach what only this machine can. Redirects are not followed, and
//! everything is bounded. An address may be a secret in itself, so errors name the host and nothing more.

mod address;
mod post;
mod reach;
mod trust;

pub(crate) use address::Address;
pub(crate) use post::post_plain;
pub use post::{Answered, Failed, Outbound, OutboundOptions};
pub use trust::Authorities;
