//! The rules of askbridge: what may happen to an ask, and what an agent is told.
//!
//! Pure and synchronous. No serde, no I/O, no clock, no chance: whoever calls brings the time.
//!
//! **Nouns.** An agent makes an [`ask::Ask`] in a [`session::Session`]; a person gives an [`answer::Answer`]; the agent
//! is told a [`verdict::Verdict`]. **Verbs.** [`decide()`] turns a wish ([`intent::Intent`]) into facts
//! ([`event::Event`]) or a [`refusal::Refusal`]; [`session::evolve`] folds facts into the session; [`fit()`] simplifies
//! an ask for a lesser screen and [`unfit()`] turns a reply back into an answer; [`wild`] takes asks as agents really
//! send them; [`terms::terms`] is policy.

pub mod answer;
pub mod ask;
pub mod decide;
pub mod event;
pub mod fit;
pub mod ids;
pub mod intent;
pub mod limits;
pub mod refusal;
pub mod session;
pub mod terms;
pub mod unfit;
pub mod verdict;
pub mod view;
pub mod wild;

pub use decide::decide;
pub use fit::fit;
pub use session::{Session, evolve};
pub use unfit::unfit;
