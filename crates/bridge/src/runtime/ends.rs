//! Who waits for the end of an ask. They are woken once, by the hub, and by nothing else that happens.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use askbridge_core::event::Event;
use askbridge_core::ids::AskId;
use foldhash::HashMap;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::handle::Handle;

#[derive(Debug, Default)]
pub(crate) struct Ends(Mutex<HashMap<AskId, Vec<oneshot::Sender<()>>>>);

/// Comes when an ask may have ended: look at it.
#[derive(Debug)]
pub(crate) struct End {
    ends: Arc<Ends>,
    ask: AskId,
    reached: oneshot::Receiver<()>,
}

impl Handle {
    /// Waits for the end of an ask from now on. Make this first, then look: whatever happens in between is heard.
    pub(crate) fn end_of(&self, ask: AskId) -> End {
        let (sender, reached) = oneshot::channel();
        self.ends.0.lock().entry(ask).or_default().push(sender);
        End { ends: Arc::clone(&self.ends), ask, reached }
    }
}

impl Ends {
    /// Wakes whoever waits for this, if it is an end.
    pub(super) fn hear(&self, event: &Event) {
        let ask = match event {
            Event::Settled(settled) => settled.ask,
            Event::Withdrawn { ask, .. } | Event::Overtaken { ask, .. } => *ask,
            _ => return,
        };
        let waiting = self.0.lock().remove(&ask);
        // Whoever no longer waits has gone without a word.
        for waiting in waiting.into_iter().flatten() {
            let _ = waiting.send(());
        }
    }

    /// Wakes everyone, because something may have been missed.
    pub(super) fn wake_all(&self) {
        self.0.lock().clear();
    }
}

impl Future for End {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // An error means that everyone was woken.
        Pin::new(&mut self.reached).poll(cx).map(drop)
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.reached.close();
        let mut ends = self.ends.0.lock();
        if let Some(waiting) = ends.get_mut(&self.ask) {
            waiting.retain(|waiting| !waiting.is_closed());
            if waiting.is_empty() {
                ends.remove(&self.ask);
            }
        }
    }
}
