//! Rulings on a machine's wishes and queries: in flight, or known and not yet passed on.

use std::collections::VecDeque;

use askbridge_peers::peer::Tag;
use askbridge_peers::wish::{Receipt, Rejection};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};

/// The result of one wish or query.
pub(crate) type Ruling = (Tag, Result<Receipt, Rejection>);

#[derive(Default)]
pub(crate) struct Rulings {
    pub(super) in_flight: FuturesUnordered<BoxFuture<'static, Ruling>>,
    /// Known, and not passed on to the machine yet.
    pub(super) known: VecDeque<Ruling>,
}

impl Rulings {
    /// Adds a ruling that is still in flight.
    pub(crate) fn wait_for(&mut self, ruling: impl Future<Output = Ruling> + Send + 'static) {
        self.in_flight.push(Box::pin(ruling));
    }

    /// Adds a ruling that is known already.
    pub(crate) fn know(&mut self, tag: Tag, ruling: Result<Receipt, Rejection>) {
        self.known.push_back((tag, ruling));
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Are there rulings that can be passed on at once?
    pub(crate) fn has_known(&self) -> bool {
        !self.known.is_empty()
    }

    /// Has the machine been told every ruling that it waits for?
    pub(crate) fn is_empty(&self) -> bool {
        self.in_flight.is_empty() && self.known.is_empty()
    }

    /// Lets the rulings in flight end, for a machine that is not told of them any more.
    pub(crate) async fn run_out(mut self) {
        while self.in_flight.next().await.is_some() {}
    }

    /// Drops the rulings in flight.
    #[cfg(test)]
    pub(crate) fn clear(&mut self) {
        self.in_flight.clear();
    }
}
