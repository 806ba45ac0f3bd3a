//! What is left of forgotten sessions: enough to prove what was removed, and nothing of their content.

use askbridge_core::ids::{SessionId, Timestamp};
use sha2::{Digest as _, Sha256};

use crate::entry::{Digest, Entry};

/// The layout that [`Forgetting::encode`] writes. A changed layout gets a new number.
const LAYOUT: u8 = 1;
/// Bytes of one [`Gone`] in that layout.
const GONE_BYTES: usize = 60;

/// Sessions that were forgotten together. Each such record names the one before it, so they form a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgetting {
    pub at: Timestamp,
    /// Who requested it: a person and their device, or the name of the setting.
    pub by: String,
    /// Digest of the forgetting before this one. Zero for the first.
    pub prev: Digest,
    pub gone: Vec<Gone>,
}

/// One session that was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gone {
    pub session: SessionId,
    pub entries: u32,
    /// Bytes of its encoded events.
    pub bytes: u64,
    /// Digest of its entries' digests, in order of their positions: a copy of the session can be checked against it.
    pub digest: Digest,
}

/// How much was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forgotten {
    pub sessions: u64,
    pub entries: u64,
    pub bytes: u64,
}

impl std::ops::AddAssign for Forgotten {
    fn add_assign(&mut self, other: Self) {
        self.sessions += other.sessions;
        self.entries += other.entries;
        self.bytes += other.bytes;
    }
}

impl Forgetting {
    pub fn sum(&self) -> Forgotten {
        Forgotten {
            sessions: self.gone.len() as u64,
            entries: self.gone.iter().map(|gone| u64::from(gone.entries)).sum(),
            bytes: self.gone.iter().map(|gone| gone.bytes).sum(),
        }
    }

    /// Returns the digest that the next forgetting names.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.encode())
    }

    /// Encodes it as bytes. A session takes only sixty of them, because a million plain asks are a million sessions.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let by = self.by.as_bytes();
        let mut bytes = Vec::with_capacity(64 + by.len() + self.gone.len() * GONE_BYTES);
        bytes.push(LAYOUT);
        bytes.extend(self.at.0.to_be_bytes());
        bytes.extend(self.prev.0);
        bytes.extend((by.len() as u32).to_be_bytes());
        bytes.extend(by);
        for gone in &self.gone {
            bytes.extend(gone.session.0.to_be_bytes());
            bytes.extend(gone.entries.to_be_bytes());
            bytes.extend(gone.bytes.to_be_bytes());
            bytes.extend(gone.digest.0);
        }
        bytes
    }

    /// Reads what [`Self::encode`] wrote. `None` if it is something else.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (head, rest) = bytes.split_first_chunk::<45>()?;
        if head[0] != LAYOUT {
            return None;
        }
        let by_bytes = u32::from_be_bytes(head[41..45].try_into().ok()?) as usize;
        let (by, rest) = rest.split_at_checked(by_bytes)?;
        let (all, odd) = rest.as_chunks::<GONE_BYTES>();
        if !odd.is_empty() {
            return None;
        }
        let gone = all.iter().map(|one| {
            Some(Gone {
                session: SessionId(u128::from_be_bytes(one[..16].try_into().ok()?)),
                entries: u32::from_be_bytes(one[16..20].try_into().ok()?),
                bytes: u64::from_be_bytes(one[20..28].try_into().ok()?),
                digest: Digest(one[28..].try_into().ok()?),
            })
        });
        Some(Self {
            at: Timestamp(i64::from_be_bytes(head[1..9].try_into().ok()?)),
            by: std::str::from_utf8(by).ok()?.to_owned(),
            prev: Digest(head[9..41].try_into().ok()?),
            gone: gone.collect::<Option<_>>()?,
        })
    }
}

/// Computes the digest of a session while its entries are read.
#[derive(Debug, Clone)]
pub struct Going {
    session: SessionId,
    entries: u32,
    bytes: u64,
    sha: Sha256,
}

impl Going {
    pub fn new(session: SessionId) -> Self {
        Self { session, entries: 0, bytes: 0, sha: Sha256::new() }
    }

    pub fn add(&mut self, entry: &Entry) {
        self.count(entry.digest(), entry.bytes());
    }

    /// The same for an entry that can no longer be decoded: its raw bytes count.
    pub(crate) fn add_unreadable(&mut self, body: &[u8]) {
        self.count(Digest::of(body), body.len());
    }

    fn count(&mut self, digest: Digest, bytes: usize) {
        self.entries = self.entries.saturating_add(1);
        self.bytes += bytes as u64;
        self.sha.update(digest.0);
    }

    pub fn session(&self) -> SessionId {
        self.session
    }

    /// Returns the record of what was added so far.
    pub fn so_far(&self) -> Option<Gone> {
        self.clone().done()
    }

    /// Returns the record of the session; `None` if it had no entries.
    pub fn done(self) -> Option<Gone> {
        let Self { session, entries, bytes, sha } = self;
        (entries > 0).then(|| Gone { session, entries, bytes, digest: Digest(sha.finalize().into()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forgetting(sessions: u32) -> Forgetting {
        let gone = (0..sessions).map(|number| Gone {
            session: SessionId(u128::MAX - u128::from(number)),
            entries: number + 1,
            bytes: u64::from(number) << 33,
            digest: Digest([number as u8; 32]),
        });
        Forgetting { at: Timestamp(-5), by: "ada, 電話".to_owned(), prev: Digest([7; 32]), gone: gone.collect() }
    }

    #[test]
    fn what_is_left_reads_back_as_it_was_written() {
        for sessions in [0, 1, 3] {
            let forgetting = forgetting(sessions);
            assert_eq!(Forgetting::decode(&forgetting.encode()), Some(forgetting));
        }
    }

    #[test]
    fn what_was_cut_or_is_something_else_is_not_read() {
        let whole = forgetting(2).encode();
        for cut in 0..whole.len() {
            let read = Forgetting::decode(&whole[..cut]);
            assert!(read.is_none_or(|read| read.gone.len() < 2), "{cut}");
        }
        assert_eq!(Forgetting::decode(&[2; 200]), None);
    }

    #[test]
    fn a_change_anywhere_changes_the_digest() {
        let digest = forgetting(1).digest();
        assert_ne!(Forgetting { at: Timestamp(0), ..forgetting(1) }.digest(), digest);
        assert_ne!(Forgetting { by: String::new(), ..forgetting(1) }.digest(), digest);
        assert_ne!(Forgetting { prev: Digest::ZERO, ..forgetting(1) }.digest(), digest);
        assert_ne!(forgetting(2).digest(), digest);
    }
}
