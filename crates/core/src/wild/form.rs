//! Forms: a message, and a flat JSON schema of primitive fields or a page to visit.

use crate::ask::Form;
use crate::ids::Raw;

use super::{Wild, WildError};

/// Reads `{message, schema | url}`. `render` writes a value as JSON.
pub fn form(_value: &Wild, _render: &dyn Fn(&Wild) -> Raw) -> Result<Form, WildError> {
    Err(WildError::NoFields)
}
