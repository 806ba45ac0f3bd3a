//! Lossy messages between nodes: deltas, typing, seats. What must not be lost goes through the journal.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::broadcast;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Words joined by dots, `typing.ses_…`.
    pub subject: Arc<str>,
    pub body: Bytes,
}

/// Publish and subscribe, without memory and without promises. Nobody waits for anybody.
pub trait Bus: Clone + Send + Sync + 'static {
    /// Tells whoever listens, this node included.
    fn publish(&self, subject: &str, body: Bytes);

    /// Hears what is published from now on under subjects that begin with `prefix`. A slow listener misses messages.
    fn subscribe(&self, prefix: &str) -> impl Stream<Item = Message> + Send + Unpin + 'static;
}

/// Messages that wait for one listener. Beyond: it misses the oldest.
const WAITING_MAX: usize = 1024;

/// The bus of a single node.
#[derive(Debug, Clone)]
pub struct LocalBus(broadcast::Sender<Message>);

impl Default for LocalBus {
    fn default() -> Self {
        Self(broadcast::Sender::new(WAITING_MAX))
    }
}

impl Bus for LocalBus {
    fn publish(&self, subject: &str, body: Bytes) {
        // An error means that nobody listens, which is no failure here.
        let _ = self.0.send(Message { subject: subject.into(), body });
    }

    fn subscribe(&self, prefix: &str) -> impl Stream<Item = Message> + Send + Unpin + 'static {
        listen(self.0.subscribe(), prefix)
    }
}

/// Turns a receiver into a stream that skips what was missed and what was not asked for.
pub(crate) fn listen(
    receiver: broadcast::Receiver<Message>,
    prefix: &str,
) -> impl Stream<Item = Message> + Send + Unpin + 'static {
    let prefix: Arc<str> = prefix.into();
    stream::unfold((receiver, prefix), |(mut receiver, prefix)| async move {
        loop {
            match receiver.recv().await {
                Ok(message) if message.subject.starts_with(&*prefix) => {
                    return Some((message, (receiver, prefix)));
                }
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_listener_hears_what_it_asked_for() {
        let bus = LocalBus::default();
        let mut typing = bus.subscribe("typing.");
        bus.publish("seat.1", Bytes::from_static(b"a"));
        bus.publish("typing.1", Bytes::from_static(b"b"));
        assert_eq!(typing.next().await.unwrap().body, "b");
    }
}
