//! The bus: core NATS, which stores nothing.

use async_nats::Client;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use tokio::sync::{broadcast, mpsc};

use crate::bus::{Bus, Filter, Message, Subject, listen};

/// Messages that are queued, outgoing or incoming. Beyond: the newest outgoing, the oldest incoming, are lost.
const WAITING_MAX: usize = 1024;

/// The bus between the nodes of a journal.
#[derive(Debug, Clone)]
pub struct NatsBus {
    out: mpsc::Sender<Message>,
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

/// Sends and receives messages until the last handle is dropped. One subscription serves all subscribers of this node;
/// what this node publishes comes back through it, too.
async fn carry(client: Client, prefix: String, mut queue: mpsc::Receiver<Message>, heard: broadcast::Sender<Message>) {
    let mut inbound = match client.subscribe(format!("{prefix}>")).await {
        Ok(inbound) => inbound,
        Err(error) => {
            tracing::warn!(%error, "Could not subscribe to the bus");
            return;
        }
    };
    loop {
        tokio::select! {
            message = inbound.next() => {
                let Some(message) = message else { return };
                // A node of a newer release may publish under subjects that this one does not know.
                if let Some(subject) = message.subject.strip_prefix(&prefix).and_then(|text| text.parse().ok()) {
                    // An error means that there is no subscriber here.
                    let _ = heard.send(Message { subject, body: message.payload });
                }
            }
            outbound = queue.recv() => {
                let Some(Message { subject, body }) = outbound else { return };
                if let Err(error) = client.publish(format!("{prefix}{subject}"), body).await {
                    tracing::debug!(%error, "Lost a message on the bus");
                }
            }
        }
    }
}

impl Bus for NatsBus {
    fn publish(&self, subject: Subject, body: Bytes) {
        // If the queue is full, the message is lost, which a bus permits.
        let _ = self.out.try_send(Message { subject, body });
    }

    fn subscribe(&self, filter: Filter) -> BoxStream<'static, Message> {
        listen(self.heard.subscribe(), filter)
    }
}
