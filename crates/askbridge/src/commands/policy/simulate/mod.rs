//! `askbridge policy simulate`: what rules would have done with the asks that were asked, beside what people decided.
//!
//! `people` reads a person's decision from an ask as the API shows it, `tally` compares and counts, `report` prints. Asks
//! come from the server page by page, and only counts and a bounded list of differences are kept. Nothing is written.

mod args;
mod people;
mod report;
mod tally;

pub(super) use args::{Args, simulate};
