//! Who calls. What they may do is the gate's to say. Returns a [`Caller`], never a bool.

mod above;
mod ancestry;
mod buckets;
mod caller;
mod connecting;
mod cookies;
mod first;
mod known_agents;
mod loopback;
mod pairing;
mod secret;
mod tokens;

pub use above::agent_above;
pub use ancestry::{Agents, Ancestry, Origin};
pub(crate) use askbridge_platform::pinned::Pinned;
pub use askbridge_platform::processes::ProcessId;
pub(crate) use askbridge_platform::processes::{command_line, look_up};
pub use buckets::Buckets;
pub use caller::{Access, AgentOf, Caller, Role};
pub use connecting::MachineToken;
pub(crate) use connecting::connect_code;
pub(crate) use connecting::read_digest;
pub(crate) use loopback::{is_a_known_agent, may_be_the_user};
pub use pairing::{LinkMadeBy, Paired, PairingError, make_code, make_link, redeem, redeem_code};
pub use secret::Secret;
pub(crate) use secret::{hash, hex};
pub use tokens::{TokenInfo, TokenRole, Tokens, TokensError, checked_name};
pub(crate) use tokens::{is_of_tokens, party_of};
