//! The source of random ids and secrets. A simulation passes in a seed, so that a run can be repeated.

use std::sync::Arc;

use askbridge_peers::peer::Ids;
use parking_lot::Mutex;

/// Randomness, from the system or from a seed.
#[derive(Debug, Clone)]
pub enum Chance {
    System,
    Seeded(Arc<Mutex<u64>>),
}

impl Chance {
    pub fn seeded(seed: u64) -> Self {
        Self::Seeded(Arc::new(Mutex::new(seed)))
    }

    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        match self {
            Self::System => system(&mut bytes),
            Self::Seeded(state) => {
                let mut state = state.lock();
                for chunk in bytes.chunks_mut(8) {
                    chunk.copy_from_slice(&split_mix(&mut state).to_le_bytes()[..chunk.len()]);
                }
            }
        }
        bytes
    }

    pub fn u128(&self) -> u128 {
        u128::from_le_bytes(self.bytes())
    }

    pub fn u64(&self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }
}

impl Ids for Chance {
    fn fresh(&mut self) -> u128 {
        self.u128()
    }
}

/// SplitMix64: good enough for ids in a simulation, never for secrets.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine for chance")]
fn system(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the system gives random bytes");
}
