//! Sockets opened by systemd, or another implementation of its protocol, which keeps them while one release follows
//! another (<https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html>).

use askbridge_bridge::server::Handed;
use listenfd::ListenFd;
use tracing::warn;

/// Takes the first TCP socket and the first local one; others are logged and left alone.
pub(crate) fn take() -> Handed {
    let mut given = ListenFd::from_env();
    let mut handed = Handed::default();
    for place in 0..given.len() {
        if handed.tcp.is_none()
            && let Ok(Some(tcp)) = given.take_tcp_listener(place)
        {
            handed.tcp = Some(tcp);
        } else if handed.unix.is_none()
            && let Ok(Some(unix)) = given.take_unix_listener(place)
        {
            handed.unix = Some(unix);
        } else {
            warn!(place, "A socket that was handed to us is of no use: one TCP and one local socket are expected");
        }
    }
    handed
}
