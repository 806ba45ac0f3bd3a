//! Whole turns: a person's message, the agent's turn, its question on the screen, the answer, the turn's end on the screen.
//!
//! `subjects` starts what is measured: askbridge behind a screen of each dialect, three floors (`relay`, which speaks to
//! the agent through `agent`), and what a user would pick instead (`../../peers`). The agent is always the double of Claude
//! Code (`script`). `speech` is how a screen says and hears each thing, `seat` one session with its screen, which also
//! checks that the agent got the answer that was given, `crew` all of them. `meter` counts CPU, bytes and memory; `run` interleaves everything; `table`, `goals` and `growth` write the page.

mod agent;
mod crew;
mod goals;
mod growth;
mod meter;
mod relay;
mod run;
mod script;
mod seat;
mod speech;
mod subjects;
mod table;

pub(crate) use relay::{Keeps, serve};
pub(crate) use run::{alone, check, one, only_growth, write};
