//! Whole turns: a person's message, the agent's turn, its question on the screen, the answer, the turn's end on the screen.
//!
//! `subjects` starts what is measured: askbridge behind a screen of each dialect, three floors (`relay`, which speaks to
//! the agent through `agent`), and what a user would pick instead (`../../peers`). The agent is always the double of Claude
//! Code with the same script (`script`). `speech` is how a screen says and hears each thing, `seat` one session with its
//! screen, `crew` all of them. `answers` checks in the agents' own transcripts that every answer was the one given.
//! `meter` counts CPU, bytes and memory; `run` interleaves everything; `table`, `goals` and `growth` write the page.

mod agent;
mod answers;
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
pub(crate) use run::{alone, check, one, write};
