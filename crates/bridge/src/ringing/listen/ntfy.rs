//! Reads the reply topic of an ntfy channel. Messages that came while we were away are read too: a ticket counts once.

use std::time::Duration;

use askbridge_ringing::channel::{Channel, Service};
use askbridge_ringing::ntfy::{self, Heard};
use tracing::{debug, info};

use super::Backoff;
use crate::ringing::deliver::as_call;
use crate::ringing::redeem::{Along, Redeemed, redeem};
use crate::server::App;

/// Silence after which the connection counts as lost. The server sends a line every 45 seconds.
const IDLE: Duration = Duration::from_secs(120);

pub(super) async fn listen(app: &App, channel: &Channel, wait: &mut Backoff) {
    let (Service::Ntfy(settings), Some(outbound)) = (&channel.service, app.outbound()) else { return };
    let mut since: Option<String> = None;
    loop {
        let call = as_call(channel, ntfy::subscribe(settings, since.as_deref()));
        let mut after = None;
        match outbound.stream(call, IDLE).await {
            Ok(mut stream) if stream.status == 200 => {
                while let Some(Ok(line)) = stream.line().await {
                    wait.worked();
                    if let Heard::Message { id, ticket } = ntfy::heard(&line) {
                        since = Some(id);
                        match redeem(app, Some(channel), &ticket, Along::default()).await {
                            Redeemed::Refused { why } => info!(channel = channel.id, why, "A button had no effect"),
                            done => debug!(?done, "A button was tapped"),
                        }
                    }
                }
            }
            Ok(stream) => after = stream.retry_after().or(Some(Duration::from_secs(30))),
            Err(error) => debug!(channel = channel.id, %error, "The reply topic cannot be read; trying again"),
        }
        wait.failed(after).await;
    }
}
