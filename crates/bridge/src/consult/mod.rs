//! Asks the advisers about what an agent is about to do, does and has done: one consultation for both doors.
//!
//! `ask.rs` has the fixed list of advisers and asks them in order; `rules.rs` is the first of them, the rules that look
//! at every call. An agent that we run asks through its machine's query (`hosts/endpoint.rs`), one in a terminal through
//! its hook (`hooks/consulting.rs`). What is asked and said is in `askbridge_peers::consult`.

mod ask;
mod rules;

pub(crate) use ask::{consult, looked_at};
