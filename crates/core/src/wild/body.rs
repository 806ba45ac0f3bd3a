//! Questions as agents really send them.

use crate::ask::Body;

use super::{Wild, WildError};

/// Reads questions. `parse` reads JSON, for the strings that turn out to hold some.
pub fn body(_value: &Wild, _parse: &dyn Fn(&str) -> Option<Wild>) -> Result<Body, WildError> {
    Err(WildError::NoQuestions)
}
