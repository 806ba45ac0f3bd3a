//! The commands: one file or folder per verb.

pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod away;
pub(crate) mod channel;
pub(crate) mod cluster;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod connect;
pub(crate) mod demo;
pub(crate) mod digest;
pub(crate) mod doctor;
pub(crate) mod expose;
pub(crate) mod hook;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod journal;
pub(crate) mod mcp;
pub(crate) mod notify;
pub(crate) mod pair;
pub(crate) mod policy;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod taps;
pub(crate) mod token;
