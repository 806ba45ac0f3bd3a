//! Reports our state to systemd, for `Type=notify`
//! (<https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html>).

use askbridge_platform::service_manager;
use tracing::warn;

use crate::settings::notify_socket;

/// Sends `READY=1` or `STOPPING=1`. Errors are ignored: the socket may have no reader.
pub(crate) fn tell(state: &str) {
    if let Some(path) = notify_socket()
        && let Err(error) = service_manager::tell(&path, state)
    {
        warn!(%error, "Could not tell the service manager how far we are");
    }
}
