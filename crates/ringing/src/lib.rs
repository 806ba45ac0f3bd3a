//! How people who are away are reached: who is rung, when and over what, and what each channel's requests and responses
//! look like. Without I/O, clock and randomness: the bridge passes them in and carries the requests out.

mod address;
pub mod channel;
mod clip;
pub mod command;
#[cfg(test)]
mod hostile;
pub mod news;
pub mod notice;
pub mod ntfy;
pub mod record;
pub mod ringer;
#[cfg(test)]
mod samples;
pub mod slack;
pub mod telegram;
pub mod text;
pub mod web_push;
pub mod webhook;
pub mod wire;
