//! The only place where an ask is simplified for a lesser screen.
//!
//! A screen says what it can show ([`Abilities`]); [`fit()`] makes a [`Card`] that it can. Whatever is shown leads back:
//! the label or index of every option on a card, and the text of every question, mean to [`crate::unfit()`] what they
//! meant on the card. Nothing that has to be seen is dropped: it moves into the text, or the card is
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
