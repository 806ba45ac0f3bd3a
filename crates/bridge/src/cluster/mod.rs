//! The nodes that share a journal: who they are, which of them live, what each may do that only one may.
//!
//! - `record` is what a node writes about itself on the shared shelf.
//! - `nodes` is this node's view of all of them: who lives, and what place this node has among them.
//! - `member` renews the record and the view; it is the only task here that runs without being asked.
//! - `forget` declares a node gone.
//! - `home` says which node runs the agent of a session.
//! - `place` chooses the node that runs a new session's agent.
//! - `lease` gives one node at a time the right to do something.
//! - `watch` keeps what is remembered of the shared shelf equal to it.
//! - `report` is what `GET /v1/cluster` says.
//!
//! On SQLite and in memory a node is alone: nothing here is written, read or waited for. Why so:
//! [nodes that share a journal](../../../../docs/design/0017-cluster.md).

mod forget;
mod home;
mod lease;
mod member;
mod nodes;
mod place;
mod record;
mod report;
mod watch;

pub use forget::{RenewIdError, renew_id_if_gone};
pub use home::FIRST;
pub use member::{JoinError, Membership, join};
pub use nodes::{NodeState, NodeView, Nodes};
pub use record::{NodeProfile, NodeRecord};

pub(crate) use forget::{ForgetNodeError, ForgottenNode, forget_node};
pub(crate) use lease::Lease;
pub(crate) use member::look;
pub(crate) use report::{ClusterJson, report};
