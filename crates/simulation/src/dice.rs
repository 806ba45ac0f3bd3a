//! Reproducible randomness: every random choice of a simulation is derived from its seed.

use std::time::Duration;

/// SplitMix64. Each actor has its own, so that one actor's choices do not change another's.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64, actor: u64) -> Self {
        let mut dice = Self(seed ^ actor.wrapping_mul(0xd134_2543_de82_ef95));
        dice.throw();
        dice
    }

    /// Returns separate dice for something that not every plan has, so that plans without it draw as before.
    pub(crate) fn aside(&self) -> Self {
        Self(self.0 ^ 0x5eed_a51d_e5ee_da51)
    }

    pub(crate) fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, but not including, `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.throw() % (end.max(1) as u64)) as usize
    }

    /// Returns true with a probability of `times` in a thousand.
    pub(crate) fn in_thousand(&mut self, times: u32) -> bool {
        self.throw() % 1000 < u64::from(times)
    }

    pub(crate) fn millis(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(from + self.throw() % (to - from).max(1))
    }
}
