//! The only place where replies become answers.
//!
//! A peer has typed the reply already: an index is an index, a label is a label, text is text. Nothing is guessed here,
//! and all problems of a reply are reported at once, each with its question.

mod form;
mod joined;
mod questions;
mod reply;
mod stand_in;
mod value;
mod whole;

pub use reply::{FormReply, Mismatch, Problem, QuestionKey, QuestionReply, Reply, Value};
pub use whole::{EditCheck, takes_several, unfit};
