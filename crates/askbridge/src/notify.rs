//! Tells whoever started us how far we are, where it wants to know: `Type=notify` of systemd
//! (<https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html>).

use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;

use tracing::warn;

use crate::settings::notify_socket;

/// Says `READY=1` or `STOPPING=1`. Nobody may be listening; that is no reason to stop.
pub(crate) fn tell(state: &str) {
    if let Some(path) = notify_socket()
        && let Err(error) = send(&path, state)
    {
        warn!(%error, "Could not tell the service manager how far we are");
    }
}

fn send(path: &Path, state: &str) -> io::Result<()> {
    let address = match path.as_os_str().as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(path)?,
    };
    UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address).map(drop)
}
