//! Agents in people's own terminals: handles the events of their hooks, and what is left when a hook is gone.
//!
//! A hook is one request on the local socket, or of a connected machine (`visitor.rs`), that is held as long as its
//! agent waits. `handler.rs` decides nothing:
//! the door (`peers/src/doors/hook`) says what an event means and what is printed, the rules say what may happen to an
//! ask. Here is what needs a machine: whose process it is, the agent's files, whether a person sits there, and the
//! waiting. Why this is not a `Peer` behind the driver: `docs/design/0005-hook-door.md`.

mod around;
mod away;
mod back;
mod consulting;
mod denied;
mod handler;
mod hold;
mod mouth;
mod notes;
mod options;
mod parked;
mod prompting;
mod sessions;
mod strand;
mod terminals;
mod visitor;
mod waiting;

pub use around::branch_of;
pub use away::{AwayMode, Presence};
pub use options::HookOptions;
pub use parked::ParkedRun;
pub use visitor::SeenThere;

pub(crate) use away::{AWAY_KEY, presence, set_away};
pub(crate) use handler::{Event, Hooks, Output, attend};
pub(crate) use parked::parked_runs;
pub(crate) use visitor::{Farewell, leave, visitor_id};
