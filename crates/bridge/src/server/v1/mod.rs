//! The API, version 1: an address is a path, a path is a file.

use askbridge_peers::doors::http;

use crate::runtime::Entrance;

pub(super) mod agents;
pub(super) mod asks;
pub(super) mod away;
pub(super) mod channel;
pub(super) mod channels;
pub(super) mod cluster;
pub(super) mod codes;
pub(super) mod connections;
pub(super) mod devices;
pub(super) mod events;
pub(super) mod folders;
pub(super) mod health;
pub(super) mod hook;
pub(super) mod me;
pub(super) mod metrics;
pub(super) mod pair;
pub(super) mod prune;
pub(super) mod ready;
pub(super) mod remembered;
pub(super) mod rings;
pub(super) mod rules;
pub(super) mod sessions;
pub(super) mod taps;
pub(super) mod tokens;

mod paging;

/// How the wishes of these handlers come in.
const HTTP: Entrance = Entrance::request(http::NAME);
