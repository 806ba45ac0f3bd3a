//! Notifies the service manager that started us of our state
//! (<https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html>).

use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;

/// Sends a state to the manager's socket. An address that begins with `@` is abstract and has no file.
pub fn tell(socket: &Path, state: &str) -> io::Result<()> {
    let address = match socket.as_os_str().as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(socket)?,
    };
    UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address).map(drop)
}
