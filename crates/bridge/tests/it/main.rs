//! The bridge over real sockets, in one binary.

mod doubles;
mod doubles_held;
mod doubles_kit;
