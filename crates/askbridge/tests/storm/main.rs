//! Storms: the real binary, killed at random moments and raced by many. Judged by the clients' own ledgers.

mod agents;
mod judge;
mod kill;
mod people;
mod race;
mod server;
mod wire;
