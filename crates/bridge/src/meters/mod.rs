//! Metrics: counted with atomic additions while the bridge works, rendered as text on request.
//!
//! - `counts` has the counters, `names` a table of counters that adds a row for each new name.
//! - `page` puts everything on one page, `text` renders it in the format of Prometheus, `process` asks the system about
//!   this process.

mod counts;
mod names;
mod page;
mod process;
mod text;

pub use counts::Meters;
pub(crate) use page::{CONTENT_TYPE, page};
