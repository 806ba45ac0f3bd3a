//! From a reply to an answer.

use crate::answer::Answer;
use crate::ask::Ask;

use super::{Mismatch, Reply};

/// Turns a reply into an answer to `ask`.
pub fn unfit(_ask: &Ask, _reply: Reply) -> Result<Answer, Mismatch> {
    Err(Mismatch { problems: Vec::new() })
}
