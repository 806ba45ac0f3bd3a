//! The journal of many machines: NATS JetStream, 2.12 or newer.
//!
//! Sessions are spread over a number of streams. In its stream a session has two subjects, one for each lane; the
//! stream's sequence orders both. Decisions are guarded by the expected last sequence of their subject.
//!
//! **A refused append is not proof of having lost.** When an acknowledgement is lost and the append is made again, the
//! server refuses it because of the first one; and error 10164 comes up now and then for a sole writer. So after any
//! error the session's own entries after the guard are read, from the stream's leader (direct gets may be stale), and
//! only what is found there decides (`letter`).
//!
//! JetStream writes to disk every two minutes unless told otherwise: servers need `sync_interval: always`, or an
//! acknowledged entry can be lost when all of them lose power at once. A client cannot see that setting.

mod bus;
mod connect;
mod error;
mod follow;
mod forget;
mod index;
mod letter;
mod read;
mod shelf;
mod store;

pub use bus::NatsBus;
pub use connect::Options;
pub use error::Error;
pub use store::Nats;
