//! Errors of the NATS servers, and what to do about them.

use std::path::PathBuf;

use crate::fault::Fault;

#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error(
        "address {number} of the NATS servers cannot be read; write nats://HOST:PORT, with commas between several, and encode `,`, `@`, `/` and `%` in a password as `%2C`, `%40`, `%2F` and `%25`"
    )]
    Address { number: usize },
    #[error("the addresses of the NATS servers name two different users; give one user for all of them")]
    TwoUsers,
    #[error("could not read `{}`, which the connection to NATS needs", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: Fault,
    },
    #[error("could not reach NATS at {url}; check the address and that the server runs")]
    Connect {
        url: String,
        #[source]
        source: Fault,
    },
    #[error("NATS at {url} does not accept the user, password, token, nkey or credentials that were given")]
    Refused { url: String },
    #[error("could not make an encrypted connection to NATS at {url}; check the file of its authority")]
    Tls {
        url: String,
        #[source]
        source: Fault,
    },
    #[error("the NATS server at {url} is version {found}, which can let two writers win; it has to be 2.12 or newer")]
    TooOld { url: String, found: String },
    #[error(
        "the NATS server at {url} accepts messages of {found} bytes, an entry can have {needed}; set `max_payload: {needed}` or more in the servers' configuration"
    )]
    SmallMessages { url: String, found: usize, needed: usize },
    #[error(
        "the NATS server at {url} does not have JetStream; add `jetstream {{ store_dir: … }}` to its configuration, or start it with `--jetstream`"
    )]
    NoJetStream { url: String },
    #[error(
        "the NATS server at {url} stands alone, so it cannot keep {replicas} copies of each entry; connect to a cluster of {replicas} servers, or ask for 1 copy (then the journal is lost with that server's disk)"
    )]
    StandsAlone { url: String, replicas: usize },
    #[error("could not set up the stream `{name}`; JetStream has to be enabled on {replicas} servers")]
    Setup {
        name: String,
        replicas: usize,
        #[source]
        source: Fault,
    },
    #[error("the stream `{name}` was not made by askbridge")]
    NotOurs { name: String },
    #[error("the stream `{name}` is not as the journal needs it: {}", list(differences))]
    Different { name: String, differences: Vec<Difference> },
    #[error(
        "the journal has {streams} streams, but stream `{name}` is missing; put it back from a backup of the servers"
    )]
    Missing { name: String, streams: usize },
    #[error("could not {what} in NATS")]
    Request {
        what: &'static str,
        #[source]
        source: Fault,
    },
}

/// One way in which a stream differs from what the journal needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What it is and what it has to be.
    pub what: String,
    /// The command that mends it; `None` if a stream cannot be changed in this way.
    pub mend: Option<String>,
}

fn list(differences: &[Difference]) -> String {
    let one = |Difference { what, mend }: &Difference| match mend {
        Some(mend) => format!("{what} (mend it with `{mend}`)"),
        None => format!("{what} (this cannot be changed; make the journal anew under another name, and migrate)"),
    };
    differences.iter().map(one).collect::<Vec<_>>().join("; ")
}
