//! Requests that wait for the end of an ask. The hub wakes them once, with the event that ended it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use askbridge_core::event::Event;
use askbridge_core::ids::AskId;
use askbridge_core::view::{AskView, State};
use foldhash::HashMap;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::handle::Handle;

#[derive(Debug, Default)]
pub(crate) struct Ends(Mutex<HashMap<AskId, EndWaiters>>);

#[derive(Debug, Default)]
struct EndWaiters {
    senders: Vec<oneshot::Sender<Arc<Event>>>,
    /// Something else happened to the ask, such as a vote: the end alone does not give its state.
    has_changed: bool,
}

/// Completes when an ask may have ended.
///
/// With the event that settled it, if nothing else happened to the ask meanwhile. Without one: read the ask.
#[derive(Debug)]
pub(crate) struct End {
    ends: Arc<Ends>,
    ask: AskId,
    reached: oneshot::Receiver<Arc<Event>>,
}

impl Handle {
    /// Waits for the end of an ask from now on. Make this before you read the ask, so that nothing in between is
    /// missed.
    pub(crate) fn end_of(&self, ask: AskId) -> End {
        let (sender, reached) = oneshot::channel();
        self.ends.0.lock().entry(ask).or_default().senders.push(sender);
        End { ends: Arc::clone(&self.ends), ask, reached }
    }
}

impl Ends {
    /// Wakes the requests that wait for this event, if it ends an ask.
    pub(super) fn hear(&self, event: &Arc<Event>) {
        let ask = match &**event {
            Event::Settled(settled) => settled.ask,
            Event::Withdrawn { ask, .. } | Event::Overtaken { ask, .. } => *ask,
            event => return self.note_change(event),
        };
        let Some(waiting) = self.0.lock().remove(&ask) else { return };
        if waiting.has_changed || !matches!(**event, Event::Settled(_)) {
            // Dropping the senders wakes them without an event.
            return;
        }
        for sender in waiting.senders {
            // A request that no longer waits has dropped its receiver.
            let _ = sender.send(Arc::clone(event));
        }
    }

    fn note_change(&self, event: &Event) {
        let ask = match event {
            Event::Proposed { ask, .. }
            | Event::Undone { ask, .. }
            | Event::Extended { ask, .. }
            | Event::Voted { ask, .. }
            | Event::Parked { ask }
            | Event::Stranded { ask } => Some(*ask),
            Event::Asked(ask) => ask.instead_of,
            _ => None,
        };
        if let Some(ask) = ask
            && let Some(waiting) = self.0.lock().get_mut(&ask)
        {
            waiting.has_changed = true;
        }
    }

    /// Wakes all requests, because an event may have been missed.
    pub(super) fn wake_all(&self) {
        self.0.lock().clear();
    }
}

/// Returns the view of an open ask after the event that settled it, if that alone says it. `None`: read the ask.
pub(crate) fn after(mut view: Box<AskView>, end: &Event) -> Option<Box<AskView>> {
    let says_all = matches!(end, Event::Settled(_)) && view.state == State::Open && view.votes.is_empty();
    view.apply(end);
    says_all.then_some(view)
}

impl Future for End {
    type Output = Option<Arc<Event>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Arc<Event>>> {
        Pin::new(&mut self.reached).poll(cx).map(Result::ok)
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.reached.close();
        let mut ends = self.ends.0.lock();
        if let Some(waiting) = ends.get_mut(&self.ask) {
            waiting.senders.retain(|waiting| !waiting.is_closed());
            if waiting.senders.is_empty() {
                ends.remove(&self.ask);
            }
        }
    }
}
