//! A streamed response, line by line.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::timeout;

/// How long the stream may be silent: the server sends something every 25 seconds. Beyond: it counts as ended.
const SILENCE_MAX: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct Lines {
    body: Incoming,
    /// A partial line.
    rest: Vec<u8>,
}

impl Lines {
    pub(crate) fn new(body: Incoming) -> Self {
        Self { body, rest: Vec::new() }
    }

    /// Returns the next line; `None` when the stream has ended, for any reason.
    pub(crate) async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Some(String::from_utf8_lossy(&line[..end]).trim_end_matches('\r').to_owned());
            }
            let frame = timeout(SILENCE_MAX, self.body.frame()).await.ok()??.ok()?;
            if let Ok(data) = frame.into_data() {
                self.rest.extend_from_slice(&data);
            }
        }
    }
}
