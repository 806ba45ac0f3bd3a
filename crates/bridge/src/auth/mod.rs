//! Who calls, and what they may do. Returns a [`Caller`], never a bool.

mod above;
mod ancestry;
mod buckets;
mod caller;
mod known_agents;
mod loopback;
mod pairing;
mod pinned;
mod secret;
mod tokens;

pub use above::agent_above;
pub(crate) use above::command_line;
pub use ancestry::ProcessId;
pub use ancestry::{Agents, Ancestry};
pub use buckets::Buckets;
pub use caller::{Access, Action, Caller, Role};
pub(crate) use loopback::may_be_the_user;
pub use pairing::{Paired, PairingError, make_code, make_link, redeem, redeem_code};
pub(crate) use pinned::Pinned;
pub use secret::Secret;
pub(crate) use secret::{hash, hex};
pub use tokens::{TokenInfo, TokenRole, Tokens, TokensError};
