//! The journal's metrics: atomic counters that the writer updates and any thread may read, without a lock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of durations, in microseconds: from a write into a cache to a failing disk.
const MICROS: &[u64] =
    &[50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000];
/// Upper bounds for how many entries share a transaction.
const ENTRIES: &[u64] = &[0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Counts values in buckets. Adding one costs two atomic additions and no lock.
#[derive(Debug)]
pub struct Histogram {
    bounds: &'static [u64],
    /// One per bound, and one for larger values.
    counts: Box<[AtomicU64]>,
    sum: AtomicU64,
}

/// The state of a histogram at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub bounds: &'static [u64],
    /// How many values were at most the bound with the same index; one more at the end, for all of them.
    pub up_to: Vec<u64>,
    pub sum: u64,
}

impl Histogram {
    /// `bounds` ascend; each is the largest value of its bucket.
    pub fn new(bounds: &'static [u64]) -> Self {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self { bounds, counts, sum: AtomicU64::new(0) }
    }

    pub fn add(&self, value: u64) {
        let place = self.bounds.partition_point(|bound| *bound < value);
        self.counts[place].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    pub fn read(&self) -> Reading {
        let mut seen = 0;
        let up_to = self.counts.iter().map(|count| {
            seen += count.load(Ordering::Relaxed);
            seen
        });
        Reading { bounds: self.bounds, up_to: up_to.collect(), sum: self.sum.load(Ordering::Relaxed) }
    }
}

/// The metrics of a store.
#[derive(Debug)]
pub struct Meter {
    /// Microseconds of a transaction, from its beginning until it was durable.
    pub commit: Histogram,
    /// Microseconds of those spent waiting for the disk.
    pub sync: Histogram,
    /// Entries per transaction.
    pub entries: Histogram,
    /// Transactions that failed as a whole.
    pub failures: AtomicU64,
    failing: AtomicBool,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            commit: Histogram::new(MICROS),
            sync: Histogram::new(MICROS),
            entries: Histogram::new(ENTRIES),
            failures: AtomicU64::new(0),
            failing: AtomicBool::new(false),
        }
    }
}

impl Meter {
    /// Did the last transaction that had something to write fail?
    pub fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }

    pub(crate) fn committed(&self, took: Duration, synced: Duration, entries: usize, wrote: bool) {
        self.commit.add(micros(took));
        self.sync.add(micros(synced));
        self.entries.add(entries as u64);
        // A transaction that wrote nothing did not need the disk, and proves nothing about it.
        if wrote {
            self.failing.store(false, Ordering::Relaxed);
        }
    }

    pub(crate) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.failing.store(true, Ordering::Relaxed);
    }
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_counts_for_every_bound_that_it_does_not_exceed() {
        let histogram = Histogram::new(&[1, 10, 100]);
        [0, 1, 2, 10, 11, 1000].into_iter().for_each(|value| histogram.add(value));
        assert_eq!(histogram.read(), Reading { bounds: &[1, 10, 100], up_to: vec![2, 4, 5, 6], sum: 1024 });
    }

    #[test]
    fn a_store_that_failed_is_trusted_again_only_after_it_wrote_something() {
        let meter = Meter::default();
        meter.failed();
        meter.committed(Duration::ZERO, Duration::ZERO, 0, false);
        assert!(meter.is_failing());
        meter.committed(Duration::ZERO, Duration::ZERO, 1, true);
        assert!(!meter.is_failing());
    }
}
