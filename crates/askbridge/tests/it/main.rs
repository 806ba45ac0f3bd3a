//! The real binary, in real shells and terminals.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod agents;
mod answering;
mod asking;
mod board;
mod bridge;
mod caddy;
mod collector;
mod config;
mod copies;
mod demo;
mod digest;
mod doctor;
mod doors;
mod elsewhere;
mod exposed;
mod guide;
mod guided;
mod guides;
mod handover;
mod hooks;
mod https;
mod inbox;
mod journal;
mod logs;
mod nginx;
mod operations;
mod others_bugs;
mod pairing;
mod patience;
mod pinned;
mod policy;
mod projects;
mod proxied;
mod rebinding;
mod recipes;
mod remembered;
mod screens;
mod simulate;
mod taps;
mod terminal;
mod tls;
mod traces;
mod unattended;
mod wire;
