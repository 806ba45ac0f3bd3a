//! From an ask to a card.

use crate::ask::Ask;

use super::{Abilities, Card};

/// Simplifies an ask for a screen.
pub fn fit(_ask: &Ask, _abilities: &Abilities) -> Card {
    Card::Unshowable(String::new())
}
