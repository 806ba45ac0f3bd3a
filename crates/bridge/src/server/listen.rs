//! Opens the listening sockets: a TCP port for browsers and agents, a Unix socket for this machine's own commands.

use std::fs;
use std::io;
use std::net::{self, SocketAddr};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use askbridge_platform::local_socket::reachable;
use tokio::net::{TcpListener, UnixListener};

/// The sockets we listen on.
#[derive(Debug)]
pub struct Listeners {
    pub(crate) tcp: TcpListener,
    pub(crate) unix: UnixListener,
    /// To be removed at the end, if it is ours.
    pub(crate) unix_path: Option<PathBuf>,
}

/// Sockets that a supervisor opened for us and keeps open across restarts: clients that connect in between wait in the
/// backlog instead of being refused.
#[derive(Debug, Default)]
pub struct Handed {
    pub tcp: Option<net::TcpListener>,
    pub unix: Option<std::os::unix::net::UnixListener>,
}

#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error("could not listen on {address}")]
    Tcp {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    #[error("could not listen on the local socket `{}`", path.display())]
    Unix {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Listeners {
    /// Binds both. The caller holds the store's lock, so an existing socket file was left by a server that has exited.
    pub async fn bind(address: SocketAddr, unix_path: &Path) -> Result<Self, ListenError> {
        Self::take_or_bind(Handed::default(), address, unix_path).await
    }

    /// The same, except for sockets that were passed to us.
    pub async fn take_or_bind(handed: Handed, address: SocketAddr, unix_path: &Path) -> Result<Self, ListenError> {
        let tcp = match handed.tcp {
            Some(tcp) => tcp.set_nonblocking(true).and_then(|()| TcpListener::from_std(tcp)),
            None => TcpListener::bind(address).await,
        };
        let tcp = tcp.map_err(|source| ListenError::Tcp { address, source })?;
        let (unix, ours) = match handed.unix {
            Some(unix) => (unix.set_nonblocking(true).and_then(|()| UnixListener::from_std(unix)), None),
            None => (bind_unix(unix_path), Some(unix_path.to_owned())),
        };
        let unix = unix.map_err(|source| ListenError::Unix { path: unix_path.to_owned(), source })?;
        Ok(Self { tcp, unix, unix_path: ours })
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}

fn bind_unix(path: &Path) -> io::Result<UnixListener> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let (short, _folder) = reachable(path)?;
    UnixListener::bind(short)
}
