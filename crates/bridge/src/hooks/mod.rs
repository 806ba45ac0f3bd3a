//! Agents in people's own terminals: what their hooks tell us, what they are told, and what becomes of it without them.
//!
//! A hook is one request on the local socket that is held as long as its agent waits. [`desk`](self) decides nothing: what
//! an event means and what is printed is the door's (`peers/src/doors/hook`), what may happen to an ask is the rules'. Here
//! is what needs a machine: whose process it is, what lies around it, whether somebody sits there, and the waiting.
//! Why this is not a `Peer` behind the driver: `docs/design/0005-hook-door.md`.

mod around;
mod away;
mod back;
mod desk;
mod hold;
mod mouth;
mod notes;
mod options;
mod parked;
mod prompting;
mod sessions;
mod strand;
mod terminals;
mod waiting;

pub use around::branch_of;
pub use away::{AwayMode, Presence};
pub use options::HookOptions;
pub use parked::ParkedRun;

pub(crate) use away::{presence, set_away};
pub(crate) use desk::{Event, Hooks, Output, attend};
pub(crate) use parked::parked_runs;
