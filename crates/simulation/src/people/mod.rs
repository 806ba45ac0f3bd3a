//! People, in many languages and of one mind: what they are shown they decide, sooner or later, once or twice or never.

mod ccc;
mod chorus;
mod foreign;
mod gobby;
mod letterbox;
mod mind;
mod native;
mod prime;
mod seline;

pub(crate) use chorus::live as chorus;
pub(crate) use foreign::{Tongue, live as foreign};
pub(crate) use letterbox::live as letterbox;
pub(crate) use mind::Mind;
pub(crate) use native::live as native;

/// The languages of other systems, in the order of [`crate::plan::Plan::foreign`].
pub(crate) const TONGUES: [&Tongue; 4] = [&prime::PRIME, &ccc::CCC, &gobby::GOBBY, &seline::SELINE];
