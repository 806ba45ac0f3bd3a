//! Unix sockets: the process at the other end, and paths that are longer than the kernel allows.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use tokio::net::UnixStream;

/// The process that opened the other end, according to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerProcess {
    pub user: u32,
    /// `None` if it is in another PID namespace, and has no id here.
    pub pid: Option<u32>,
}

/// Returns the process at the other end.
pub fn peer(stream: &UnixStream) -> io::Result<PeerProcess> {
    let credentials = stream.peer_cred()?;
    Ok(PeerProcess { user: credentials.uid(), pid: credentials.pid().and_then(|pid| u32::try_from(pid).ok()) })
}

/// The kernel keeps a socket's path in 108 bytes, the last of which is zero.
const PATH_BYTES_MAX: usize = 107;

/// Returns a path with which a socket can be bound or reached, however deep its folder is. The folder stays open as
/// long as the second value lives.
pub fn reachable(path: &Path) -> io::Result<(PathBuf, Option<File>)> {
    if path.as_os_str().len() <= PATH_BYTES_MAX {
        return Ok((path.to_owned(), None));
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let folder = File::open(folder)?;
    Ok((PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name), Some(folder)))
}
