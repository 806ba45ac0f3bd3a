//! Everything that askbridge asks of the operating system and that differs between systems.
//!
//! One folder per system, with one file per concern: [`processes`] (their parents, users, start times), [`pinned`] and
//! [`running`] (a process held so that its id cannot come to mean another), [`families`] (all descendants of a process,
//! and their memory), [`orphans`] and [`launch`] (parents and sessions), [`local_socket`] and [`loopback`] (the process
//! at the other end of a connection), [`fifo`], [`watch`] and [`files`], [`limits`] and [`disk`], [`terminal`], [`local_time`],
//! [`ourselves`], [`service_manager`]. Another system is another folder with the same modules.
//!
//! This crate reports and acts; its callers decide. It knows no agent, no ask and no setting.

#[cfg(not(target_os = "linux"))]
compile_error!(
    "askbridge runs on Linux only so far: for another system, add a folder beside crates/platform/src/linux with the same modules"
);

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub use linux::*;
