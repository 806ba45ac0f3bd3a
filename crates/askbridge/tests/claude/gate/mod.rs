//! Rules that look at every call, on every way in: agents that we run, their test double, and a person's own runs.

mod changing;
mod hosted;
mod table;
mod terminal;
mod without_a_server;
