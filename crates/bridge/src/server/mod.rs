//! The server: addresses, connections, and the loop that moves frames between a socket and its peer.

mod app;
mod assets;
mod body;
mod codes;
mod docs;
mod foreign;
mod guard;
mod hosting;
mod identify;
mod listen;
mod look;
mod problem;
mod proof;
mod pump;
mod query;
mod request_id;
mod requests;
mod router;
mod serve;
mod sockets;
mod talk;
mod unix_path;
mod v1;
mod way_in;

pub use app::{App, AppOptions};
pub use askbridge_peers::doors::mcp;
pub use docs::{asyncapi, openapi};
pub use foreign::{Clash, Speaking, can_share, dialect, dialects, foreign_router};
pub use guard::Origins;
pub use listen::{Handed, ListenError, Listeners};
pub use problem::Trouble;
pub use requests::mount as mount_requests;
pub use router::{router, router_speaking, router_with};
pub use serve::{Server, serve, serve_one, serve_port};
pub use sockets::mount as mount_sockets;
pub use unix_path::reachable;
