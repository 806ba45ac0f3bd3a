//! The only place where an ask is simplified for a screen that can show less.
//!
//! A screen states what it can show ([`Abilities`]); [`fit()`] makes a [`Card`] that it can. Everything on a card maps
//! back: [`crate::unfit()`] understands the label or index of every option, and the text of every question, as they
//! were on the card. Nothing that the person must see is dropped: it moves into the text, or the card is
//! [`Card::Unshowable`] and says why.

mod abilities;
mod card;
mod names;
mod simplify;
pub(crate) mod stand_in;

pub use abilities::Abilities;
pub use card::{Card, CardOption, CardQuestion};
pub(crate) use names::{key_of, option_names, question_names};
pub use simplify::fit;
pub use stand_in::{ACCEPT, ALLOW, APPROVE, DECLINE, DENY, NO, SEND_BACK, YES};
