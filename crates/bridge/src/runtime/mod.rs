//! The heart: submit a wish, follow what happens. Everything else is a way in or out.

mod access;
mod bell;
mod bots;
mod cache;
mod deltas;
mod drafts;
mod ends;
mod error;
mod flush;
mod follow;
mod forget;
pub(crate) mod gone;
mod handle;
mod hub;
mod kept;
mod looks;
mod lookup;
mod news;
mod open_bytes;
mod own;
mod record;
mod resolve;
mod rollover;
mod seats;
mod snoozes;
mod store;
mod submit;
mod timers;
mod view;
mod whispers;
mod wishes;

pub use follow::{Follower, Heard};
pub use handle::{Bridge, Decide, Handle, Options};
pub use hub::Interest;
pub use news::News;
pub use store::Store;
pub use submit::Done;

pub(crate) use cache::CellState;
pub(crate) use error::{chain, from_read};
pub(crate) use forget::{Conversation, together};
pub(crate) use seats::Present;
pub(crate) use view::{has_votes, of_known};
