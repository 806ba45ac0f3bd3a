//! Logs go to stderr: what the program prints is data, what it tells about itself is not.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;

/// Starts logging; `ASKBRIDGE_LOG` chooses how much, as in `debug` or `askbridge_bridge=debug`.
pub(crate) fn start() {
    let filter = EnvFilter::try_from_env("ASKBRIDGE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal())
        .with_target(false)
        .init();
}
