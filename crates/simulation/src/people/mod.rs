//! People, in many dialects with one behaviour: they decide what they are shown, soon or late, once, twice or never.

mod ccc;
mod foreign;
mod gobby;
mod mind;
mod native;
mod prime;
mod seline;
mod stream;
mod watching;

pub(crate) use foreign::{Tongue, live as foreign};
pub(crate) use mind::Mind;
pub(crate) use native::live as native;
pub(crate) use stream::live as stream;

/// The dialects of other systems, in the order of [`crate::plan::Plan::foreign`].
pub(crate) const TONGUES: [&Tongue; 4] = [&prime::PRIME, &ccc::CCC, &gobby::GOBBY, &seline::SELINE];
