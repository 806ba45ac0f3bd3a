//! The bus: core NATS, which forgets at once.

use async_nats::Client;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use tokio::sync::{broadcast, mpsc};

use crate::bus::{Bus, Message, listen};

/// Messages on their way out or in. Beyond: the newest out, the oldest in, are lost.
const WAITING_MAX: usize = 1024;

/// The bus between the nodes of a journal.
#[derive(Debug, Clone)]
pub struct NatsBus {
    out: mpsc::Sender<(String, Bytes)>,
    heard: broadcast::Sender<Message>,
}

impl NatsBus {
    pub(super) fn new(client: Client, name: &str) -> Self {
        let (out, queue) = mpsc::channel(WAITING_MAX);
        let heard = broadcast::Sender::new(WAITING_MAX);
        let prefix = format!("{name}-bus.");
        tokio::spawn(carry(client, prefix, queue, heard.clone()));
        Self { out, heard }
    }
}

/// Carries messages out and in until the last handle is gone. What we send comes back to us, too.
async fn carry(
    client: Client,
    prefix: String,
    mut queue: mpsc::Receiver<(String, Bytes)>,
    heard: broadcast::Sender<Message>,
) {
    let mut inbound = match client.subscribe(format!("{prefix}>")).await {
        Ok(inbound) => inbound,
        Err(error) => {
            tracing::warn!(%error, "Could not listen on the bus");
            return;
        }
    };
    loop {
        tokio::select! {
            message = inbound.next() => {
                let Some(message) = message else { return };
                if let Some(subject) = message.subject.strip_prefix(&prefix) {
                    // An error means that nobody listens here.
                    let _ = heard.send(Message { subject: subject.into(), body: message.payload });
                }
            }
            outbound = queue.recv() => {
                let Some((subject, body)) = outbound else { return };
                if let Err(error) = client.publish(format!("{prefix}{subject}"), body).await {
                    tracing::debug!(%error, "Lost a message on the bus");
                }
            }
        }
    }
}

impl Bus for NatsBus {
    fn publish(&self, subject: &str, body: Bytes) {
        // A full queue loses the message, which is what this bus is for.
        let _ = self.out.try_send((subject.to_owned(), body));
    }

    fn subscribe(&self, prefix: &str) -> impl Stream<Item = Message> + Send + Unpin + 'static {
        listen(self.heard.subscribe(), prefix)
    }
}
