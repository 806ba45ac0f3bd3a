//! Logs go to stderr: what the program prints is data, what it tells about itself is not.

use std::io::{IsTerminal, stderr};

use tracing::warn;
use tracing_subscriber::EnvFilter;

use crate::settings::log_format;

/// Starts logging; `ASKBRIDGE_LOG` chooses how much, as in `debug` or `askbridge_bridge=debug`, `ASKBRIDGE_LOG_FORMAT`
/// whether for eyes (`text`) or for programs (`json`).
pub(crate) fn start() {
    let filter = EnvFilter::try_from_env("ASKBRIDGE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let format = log_format();
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    if format.as_deref() == Some("json") {
        // Fields stand beside the message and not inside another object: that is where programs look for them.
        logs.json().flatten_event(true).with_span_list(false).init();
        return;
    }
    logs.with_ansi(stderr().is_terminal()).with_target(false).init();
    if let Some(format) = format.filter(|format| format != "text") {
        warn!("ASKBRIDGE_LOG_FORMAT is `{format}`, which is neither `text` nor `json`; logging as text");
    }
}
