//! The bridge over real sockets, in one binary.

mod api;
mod doubles;
mod doubles_held;
mod kit;
mod laws;
mod others_bugs;
mod streaming;
