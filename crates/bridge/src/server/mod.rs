//! The server: addresses, connections, and the loop that moves frames between a socket and its peer.

mod ahead;
mod app;
mod aside;
mod assets;
mod body;
mod codes;
mod docs;
mod endings;
mod foreign;
mod fresh;
mod guard;
mod guest;
pub(crate) mod identify;
mod listen;
mod look;
mod problem;
mod proof;
mod pump;
mod query;
mod reach;
mod request_id;
mod requests;
mod router;
mod seen;
mod serve;
mod services;
mod sockets;
mod talk;
mod taps;
mod tls;
mod v1;
mod way_in;

pub use app::{App, AppOptions};
pub use askbridge_peers::doors::mcp;
pub use askbridge_peers::listing::Choices;
pub use askbridge_platform::local_socket::reachable;
pub use docs::{asyncapi, openapi};
pub use foreign::{Clash, Speaking, can_share, dialect, foreign_router};
pub use guard::Origins;
pub use listen::{Handed, ListenError, Listeners};
pub use problem::Trouble;
pub use reach::REACH_PATH;
pub use requests::mount as mount_requests;
pub use router::{router, router_speaking};
pub use serve::{Server, keep_renewed, serve, serve_encrypted, serve_one, serve_port, serve_redirects};
pub use sockets::mount as mount_sockets;
pub(crate) use taps::{Purpose, TapRequest, tapped, withdraw_tap};
pub use tls::{
    Acme, AcmeError, Authority, AuthorityError, CertificateError, CertificateSource, ChallengeKind, Challenges,
    LETS_ENCRYPT, LETS_ENCRYPT_STAGING, Offer, PROFILE_PATH, ROOT_PATH, RenewalError, RenewalState, Tailscale, Tls,
    TlsFiles, Validity, prove,
};
