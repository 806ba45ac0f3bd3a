//! How the bridge is doing, in numbers: counted with additions alone while it works, written as text when somebody looks.
//!
//! - `counts` is what is counted, `names` a table of counters that learns its names as they come.
//! - `page` puts everything on one page, `text` writes it as Prometheus reads it, `process` asks the system about us.

mod counts;
mod names;
mod page;
mod process;
mod text;

pub use counts::Meters;
pub(crate) use page::{CONTENT_TYPE, page};
