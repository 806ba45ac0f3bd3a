//! Tells whoever started us how far we are, where it wants to know: `Type=notify` of systemd
//! (<https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html>).

use askbridge_platform::service_manager;
use tracing::warn;

use crate::settings::notify_socket;

/// Says `READY=1` or `STOPPING=1`. Nobody may be listening; that is no reason to stop.
pub(crate) fn tell(state: &str) {
    if let Some(path) = notify_socket()
        && let Err(error) = service_manager::tell(&path, state)
    {
        warn!(%error, "Could not tell the service manager how far we are");
    }
}
