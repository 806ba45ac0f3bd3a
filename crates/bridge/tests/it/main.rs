//! The bridge over real sockets, in one binary.

mod api;
mod bots;
mod cookies;
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
mod nodes;
mod others_bugs;
mod outbound;
mod paths;
mod people;
mod revoked;
mod riders;
mod schemas;
mod security;
mod streaming;
mod typescript;
