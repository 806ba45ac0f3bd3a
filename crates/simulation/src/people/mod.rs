//! People, in three languages and of one mind: what they are shown they decide, sooner or later, once or twice or never.

mod chorus;
mod letterbox;
mod mind;
mod native;

pub(crate) use chorus::live as chorus;
pub(crate) use letterbox::live as letterbox;
pub(crate) use mind::Mind;
pub(crate) use native::live as native;
