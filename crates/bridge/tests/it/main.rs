//! The bridge over real sockets, in one binary.

mod api;
mod bots;
mod crowd;
mod described;
mod disconnect;
mod documents;
mod doubles;
mod doubles_held;
mod folders;
mod keeping;
mod kit;
mod laws;
mod nats;
mod nodes;
mod others_bugs;
mod outbound;
mod pace;
mod paths;
mod people;
mod revoked;
mod riders;
mod ruled;
mod schemas;
mod security;
mod streaming;
mod typescript;
