//! Where a store is, parsed from the text of a setting.

use std::fmt;
use std::path::{Path, PathBuf};

use askbridge_journal::nats::{self, Auth, Tls, without_secrets};

use crate::chance::Chance;

/// How to be let in by NATS servers, and which of them to believe.
#[derive(Debug, Clone, Default)]
pub struct NatsAccess {
    pub auth: Auth,
    pub tls: Tls,
    /// Addresses of the servers' monitoring pages, which say whether each entry is on disk before it is acknowledged.
    pub monitors: Vec<String>,
}

/// Where a store is, and what is needed to open it.
#[derive(Debug, Clone)]
pub enum Location {
    /// A file in this folder, for one server alone.
    Sqlite { folder: PathBuf },
    /// In memory: gone with the process.
    Memory,
    /// Streams on NATS servers, shared by all nodes that connect to them.
    Nats {
        /// Addresses, separated by commas.
        servers: String,
        /// Over how many streams the sessions are spread. Cannot be changed once there is a journal.
        streams: usize,
        /// How many servers keep a copy of each entry.
        replicas: usize,
        /// How to be let in.
        access: NatsAccess,
        /// The data folder, for this node's own files: its index and its own shelf. `None` keeps both in memory.
        folder: Option<PathBuf>,
    },
}

/// The text names no store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no store: it is `sqlite`, `sqlite:FOLDER`, `memory`, or `nats://HOST:PORT,…`")]
pub struct NotALocation(String);

/// The index of a remote journal, in the data folder. Not `index.db`, which belongs to the journal beside it.
pub(super) const INDEX_COPY: &str = "index-copy.db";
const STREAMS: usize = 16;
const REPLICAS: usize = 3;

impl fmt::Display for Location {
    /// For people, without what a URL may hold of secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite { folder } => write!(f, "{}", folder.display()),
            Self::Memory => f.write_str("memory"),
            Self::Nats { servers, .. } => f.write_str(&without_secrets(servers)),
        }
    }
}

impl Location {
    /// How to connect to a journal on NATS. `None`: it is elsewhere.
    pub fn nats_options(&self, chance: &Chance) -> Option<nats::Options> {
        let Self::Nats { servers, streams, replicas, access, .. } = self else { return None };
        Some(nats::Options {
            streams: *streams,
            replicas: *replicas,
            auth: access.auth.clone(),
            tls: access.tls.clone(),
            monitors: access.monitors.clone(),
            ..nats::Options::new(servers, chance.u64(), chance.u64())
        })
    }

    /// Parses a setting. `data` is the data folder: the default location of the store, and the folder for a node's own
    /// files.
    pub fn read(setting: &str, data: &Path) -> Result<Self, NotALocation> {
        let not = || NotALocation(setting.to_owned());
        match setting.split_once(':') {
            None if setting == "sqlite" => Ok(Self::Sqlite { folder: data.to_owned() }),
            None if setting == "memory" => Ok(Self::Memory),
            Some(("sqlite", folder)) if !folder.is_empty() => Ok(Self::Sqlite { folder: folder.into() }),
            Some(("nats" | "tls", rest)) if is_list(rest) => Ok(Self::Nats {
                servers: setting.to_owned(),
                streams: STREAMS,
                replicas: REPLICAS,
                access: NatsAccess::default(),
                folder: Some(data.to_owned()),
            }),
            _ => Err(not()),
        }
    }
}

/// Is this `//HOST,HOST,…`, with something between the commas?
fn is_list(rest: &str) -> bool {
    rest.strip_prefix("//").is_some_and(|hosts| hosts.split(',').all(|host| !host.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_names_a_store() {
        let read = |setting: &str| Location::read(setting, Path::new("/data")).map(|read| format!("{read:?}"));
        let shown = |location: Location| Ok(format!("{location:?}"));
        assert_eq!(read("sqlite"), shown(Location::Sqlite { folder: "/data".into() }));
        assert_eq!(read("sqlite:/srv/asks"), shown(Location::Sqlite { folder: "/srv/asks".into() }));
        assert_eq!(read("memory"), shown(Location::Memory));
        let nats = Location::Nats {
            servers: "nats://a:4222,b:4222".to_owned(),
            streams: 16,
            replicas: 3,
            access: NatsAccess::default(),
            folder: Some("/data".into()),
        };
        assert_eq!(read("nats://a:4222,b:4222"), shown(nats));
        for other in ["", "sqlite:", "nats:a", "nats://", "nats://a,", "postgres://a", "/srv/asks"] {
            assert_eq!(read(other), Err(NotALocation(other.to_owned())), "{other}");
        }
    }
}
