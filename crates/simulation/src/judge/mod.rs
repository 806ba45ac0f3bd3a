//! The eight laws, judged from what the clients wrote down and what the journal says. (The first is judged on the spot,
//! whenever somebody is told something.)
//!
//! [`laws`] holds everything against the journal in the end; [`revoked`] looks at those whose token was taken away; [`disk`]
//! writes the journal to a real file and compares what that file says.

mod disk;
mod laws;
mod revoked;

pub(crate) use disk::Disk;
pub(crate) use laws::{ask_of_key, judge, session_of_key};
pub(crate) use revoked::{settled_after, was_told};
