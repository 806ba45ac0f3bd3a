//! `askbridge expose`: each way against a real counterpart, except Tailscale, which is in no package registry.

mod acme;
mod address;
pub(crate) mod home;
mod lan;
mod off;
pub(crate) mod pebble;
mod renewal;
mod tailscale;
mod tunnels;
