//! The runtime of askbridge: sockets, timers, callers. Moves bytes; holds no rules of its own.
//!
//! [`runtime`] submits wishes and follows the journal; [`auth`] identifies callers; [`server`] listens; [`hosts`] runs
//! agents, [`hooks`] serves those in people's own terminals, `consult` asks rules what either may do, [`workflows`] asks gobby's;
//! [`keeping`] forgets sessions after their retention; [`outbound`] makes calls to other servers; [`meters`] counts, [`cluster`] knows the nodes that share a journal,
//! [`traces`] exports spans.

pub mod auth;
pub mod chance;
pub mod clock;
pub mod cluster;
mod consult;
mod derived;
mod driver;
pub mod hooks;
pub mod hosts;
pub mod keeping;
pub mod meters;
mod node_id;
pub mod outbound;
mod regular;
pub mod ringing;
pub mod rule_file;
mod rule_trust;
pub mod runtime;
pub mod server;
pub mod traces;
pub mod when_down;
pub mod workflows;

pub use node_id::{NODE_ID_FILE, NodeIdError, stable_node_id};
