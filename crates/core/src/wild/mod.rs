//! The lenient parser for asks: many spellings in, one form out.
//!
//! Models send JSON inside strings, one object where a list belongs, options as plain strings, and five names for the
//! same field. All of that is accepted here, in one place, within the limits. What cannot be understood is refused with
//! the number of the question and what to do about it; nothing is left out silently.

mod blank;
mod body;
mod error;
mod form;
mod native;
mod tools;
mod value;

pub(crate) use blank::seen;
pub use blank::{is_blank, is_plain};
pub use body::body;
pub use error::WildError;
pub use form::form;
pub use native::{approval, plan};
pub use tools::is_ask_tool;
pub use value::Wild;
