//! How people's apps speak to us. Dialects never see doors, nor each other.

pub mod ccc;
pub mod gobby;
pub mod native;
pub mod prime;
pub mod seline;
