//! The real binary, in real shells and terminals.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod agents;
mod answering;
mod asking;
mod board;
mod bridge;
mod collector;
mod config;
mod copies;
mod demo;
mod doctor;
mod doors;
mod elsewhere;
mod guide;
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
mod proxied;
mod rebinding;
mod recipes;
mod screens;
mod taps;
mod terminal;
mod tls;
mod traces;
mod wire;
