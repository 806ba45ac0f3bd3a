//! The only place where an ask is simplified for a lesser screen.

use crate::ask::Ask;

/// What a screen can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {}

/// An ask as a screen can show it.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {}

/// Simplifies an ask for a screen.
pub fn fit(_ask: &Ask, _abilities: &Abilities) -> Card {
    Card {}
}
