//! Logs to stderr: stdout is for data.

use std::io::{IsTerminal, stderr};

use askbridge_config::LogFormat;
use tracing_subscriber::EnvFilter;

use crate::settings::Settings;

/// Starts logging; `log.level` chooses how much, as in `debug` or `askbridge_bridge=debug`.
pub(crate) fn start(settings: &Settings) {
    let logging = tracing_subscriber::fmt().with_env_filter(EnvFilter::new(&*settings.log.level)).with_writer(stderr);
    if *settings.log.format == LogFormat::Json {
        // Fields are beside the message, not in a nested object: log tools look for them there.
        logging.json().flatten_event(true).with_span_list(false).init();
    } else {
        logging.with_ansi(settings.colour && stderr().is_terminal()).with_target(false).init();
    }
}
