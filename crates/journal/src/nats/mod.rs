//! The journal of many machines: NATS JetStream, 2.12 or newer.
//!
//! Sessions are spread over a number of streams. In its stream a session has two subjects, one for each lane; the
//! stream's sequence orders both. Decisions are guarded by the expected last sequence of their subject.
//!
//! **A refused append does not prove that another was first.** If an acknowledgement is lost and the append is retried,
//! the server refuses it because of the first try; and error 10164 occurs now and then for a sole writer. So after any
//! error the session's own entries after the guard are read, from the stream's leader (direct gets may be stale), and
//! only what is found there decides (`guarded_message`).
//!
//! JetStream syncs to disk every two minutes by default: servers need `sync_interval: always`, or an acknowledged entry
//! can be lost when all of them lose power at once. A client cannot see that setting; [`Nats::check_sync`] asks the
//! servers' monitoring addresses.

mod bus;
mod connect;
mod error;
mod feed;
mod follow;
mod forget;
mod guarded_message;
mod index;
mod link;
mod monitor;
mod options;
mod read;
mod shelf;
mod store;
mod streams;
mod time;
mod watch;
mod whole;

pub use bus::NatsBus;
pub use error::{Difference, Error};
pub use index::CatchingUp;
pub use monitor::SyncAlways;
pub use options::{Auth, Options, Secret, Tls, without_secrets};
pub use store::Nats;
