//! A rate limiter: one token bucket for each key, refilled over time.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use parking_lot::Mutex;

/// Keys whose buckets are kept. Beyond: full buckets are dropped, which changes nothing.
const KEYS_MAX: usize = 65_536;

/// One bucket for each key.
#[derive(Debug)]
pub struct Buckets<K> {
    burst: f64,
    per_ms: f64,
    levels: Mutex<HashMap<K, (f64, Timestamp)>>,
}

impl<K: Hash + Eq + Clone> Buckets<K> {
    pub fn new(burst: u32, per: Duration, refill: u32) -> Self {
        let per_ms = f64::from(refill) / per.as_millis().max(1) as f64;
        Self { burst: f64::from(burst), per_ms, levels: Mutex::default() }
    }

    /// Takes one token, or returns how long to wait for one.
    pub fn take(&self, key: &K, now: Timestamp) -> Result<(), Duration> {
        let mut levels = self.levels.lock();
        if levels.len() >= KEYS_MAX {
            levels.retain(|_, (level, at)| *level + now.since(*at).as_millis() as f64 * self.per_ms < self.burst);
        }
        let (level, at) = levels.entry(key.clone()).or_insert((self.burst, now));
        *level = (*level + now.since(*at).as_millis() as f64 * self.per_ms).min(self.burst);
        *at = now;
        if *level >= 1.0 {
            *level -= 1.0;
            return Ok(());
        }
        let missing_ms = (1.0 - *level) / self.per_ms;
        Err(Duration::from_millis(missing_ms.ceil() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_and_fills_again_with_time() {
        let buckets = Buckets::new(2, Duration::from_secs(1), 10);
        let at = Timestamp(1_000);
        assert_eq!(buckets.take(&"a", at), Ok(()));
        assert_eq!(buckets.take(&"a", at), Ok(()));
        assert_eq!(buckets.take(&"a", at), Err(Duration::from_millis(100)));
        assert_eq!(buckets.take(&"b", at), Ok(()));
        assert_eq!(buckets.take(&"a", Timestamp(1_100)), Ok(()));
    }
}
