//! Logs go to stderr: what the program prints is data, what it tells about itself is not.

use std::io::{IsTerminal, stderr};

use askbridge_config::LogFormat;
use tracing_subscriber::EnvFilter;

use crate::settings::Settings;

/// Starts logging; `log.level` chooses how much, as in `debug` or `askbridge_bridge=debug`.
pub(crate) fn start(settings: &Settings) {
    let logging = tracing_subscriber::fmt().with_env_filter(EnvFilter::new(&*settings.log.level)).with_writer(stderr);
    if *settings.log.format == LogFormat::Json {
        // Fields stand beside the message and not inside another object: that is where programs look for them.
        logging.json().flatten_event(true).with_span_list(false).init();
    } else {
        logging.with_ansi(settings.colour && stderr().is_terminal()).with_target(false).init();
    }
}
