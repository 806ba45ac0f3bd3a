//! Replies to a machine's wishes and queries: in flight, or known and not yet passed on.

use std::collections::VecDeque;

use askbridge_peers::peer::Tag;
use askbridge_peers::wish::{Receipt, Rejection};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};

/// The result of one wish or query.
pub(crate) type Reply = (Tag, Result<Receipt, Rejection>);

#[derive(Default)]
pub(crate) struct Replies {
    pub(super) in_flight: FuturesUnordered<BoxFuture<'static, Reply>>,
    /// Known, and not passed on to the machine yet.
    pub(super) known: VecDeque<Reply>,
}

impl Replies {
    /// Adds a reply that is still in flight.
    pub(crate) fn wait_for(&mut self, reply: impl Future<Output = Reply> + Send + 'static) {
        self.in_flight.push(Box::pin(reply));
    }

    /// Adds a reply that is known already.
    pub(crate) fn know(&mut self, tag: Tag, reply: Result<Receipt, Rejection>) {
        self.known.push_back((tag, reply));
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Are there replies that can be passed on at once?
    pub(crate) fn has_known(&self) -> bool {
        !self.known.is_empty()
    }

    /// Has the machine been told every reply that it waits for?
    pub(crate) fn is_empty(&self) -> bool {
        self.in_flight.is_empty() && self.known.is_empty()
    }

    /// Lets the replies in flight end, for a machine that is not told of them any more.
    pub(crate) async fn run_out(mut self) {
        while self.in_flight.next().await.is_some() {}
    }

    /// Drops the replies in flight.
    #[cfg(test)]
    pub(crate) fn clear(&mut self) {
        self.in_flight.clear();
    }
}
