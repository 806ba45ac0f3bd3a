//! Ids derived from their parts by a hash: the same on every node and after every restart.

use sha2::{Digest, Sha256};

/// The first half of the SHA-256 of the concatenated parts.
pub(crate) fn derived(parts: &[&[u8]]) -> u128 {
    let digest: [u8; 32] = parts.iter().fold(Sha256::new(), |sha, part| sha.chain_update(part)).finalize().into();
    u128::from_le_bytes(*digest.first_chunk().expect("a digest is longer than an id"))
}
