//! The real binary, in real shells and terminals.

mod agents;
mod answering;
mod asking;
mod bridge;
mod guide;
mod inbox;
mod journal;
mod pairing;
mod patience;
mod screens;
mod terminal;
