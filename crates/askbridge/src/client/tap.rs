//! Requests that need a tap on a paired device: says so, waits for the tap, and continues.

use std::time::Duration;

use hyper::Method;
use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};

use super::backoff::Backoff;
use super::error::Error;
use super::http::{Client, Reply};
use crate::exit_codes::Exit;
use crate::output::tell;

/// How long one request waits for the tap; then it is sent again.
const PATIENCE: Duration = Duration::from_secs(25);

impl Client {
    /// Sends a decision. If this terminal needs a tap first, requests it, waits, and sends the decision again.
    pub(crate) async fn decide(&self, path: &str, body: &Value) -> Result<Reply, Error> {
        match self.post(path, body).await {
            Err(error) if error.needs_a_tap() => {
                self.prove().await?;
                self.post(path, body).await
            }
            decided => decided,
        }
    }

    /// Asks the person's paired devices to vouch for this shell.
    pub(crate) async fn prove(&self) -> Result<(), Error> {
        self.with_tap(Method::POST, "/v1/taps/decide", &Value::Null).await.map(drop)
    }

    /// Makes a request that may need a tap, and waits for the tap.
    pub(crate) async fn with_tap(&self, method: Method, path: &str, body: &Value) -> Result<Reply, Error> {
        let first = self.call(method.clone(), path, body, None, Duration::ZERO).await;
        let Err(needed) = first else { return first };
        if !needed.needs_a_tap() {
            return Err(needed);
        }
        tell(&format!("{needed}\nwaiting for it; Ctrl-C takes it back"));
        let waiting = format!("{path}?wait={}", PATIENCE.as_secs());
        let mut backoff = Backoff::default();
        let mut interrupts = signal(SignalKind::interrupt()).ok();
        loop {
            let interrupted = async {
                match &mut interrupts {
                    Some(interrupts) => interrupts.recv().await,
                    None => std::future::pending().await,
                }
            };
            let called = tokio::select! {
                called = self.call(method.clone(), &waiting, body, None, PATIENCE) => called,
                // The server withdraws the request for a tap when this process ends.
                _ = interrupted => std::process::exit(i32::from(Exit::Interrupted.number())),
            };
            match called {
                Err(error) if error.needs_a_tap() => backoff = Backoff::default(),
                // A restarted server still knows of the tap.
                Err(Error::Unreachable { .. } | Error::Lost { .. }) => backoff.wait().await,
                done => return done,
            }
        }
    }
}
