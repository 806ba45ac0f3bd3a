//! Cursors: how far a client has followed a journal.

use std::fmt;
use std::str::FromStr;

use askbridge_core::ids::{Position, SessionId};

use crate::entry::Stored;

/// A place in the whole journal, over all sessions. Opaque to clients: they get a text and send the same text back.
///
/// It names the journal it belongs to. A journal made of several streams has a place in each of them. A session always
/// lives in the same stream, so [`Cursor::advance`] moves a cursor with each entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cursor {
    journal: u64,
    places: Vec<u64>,
}

/// Why a text is not a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor")]
pub struct NotACursor;

/// How many streams a cursor can hold. Beyond: the text is refused.
const PLACES_MAX: usize = 1024;

impl Cursor {
    /// Before everything in the journal named `journal`, which consists of `streams` streams.
    pub(crate) fn start(journal: u64, streams: usize) -> Self {
        Self { journal, places: vec![0; streams] }
    }

    pub(crate) fn new(journal: u64, places: Vec<u64>) -> Self {
        Self { journal, places }
    }

    /// Moves to just after `stored`. An earlier entry changes nothing.
    pub fn advance(&mut self, stored: &Stored) {
        self.advance_to(stored.entry.session, stored.position);
    }

    /// Moves to just after the entry of `session` at `position`.
    pub fn advance_to(&mut self, session: SessionId, position: Position) {
        let stream = stream_of(session, self.places.len());
        if let Some(place) = self.places.get_mut(stream) {
            *place = (*place).max(position.0);
        }
    }

    /// Moves to just after a message of a stream.
    pub(crate) fn advance_stream(&mut self, stream: usize, sequence: u64) {
        if let Some(place) = self.places.get_mut(stream) {
            *place = (*place).max(sequence);
        }
    }

    /// Moves this cursor to where both have been, if they are of the same journal. A cursor of another journal changes
    /// nothing.
    pub fn join(&mut self, other: &Self) {
        if self.is_of_the_journal_of(other) {
            for (ours, theirs) in self.places.iter_mut().zip(&other.places) {
                *ours = (*ours).max(*theirs);
            }
        }
    }

    /// Are both of the same journal, so that they can be compared?
    pub fn is_of_the_journal_of(&self, other: &Self) -> bool {
        self.journal == other.journal && self.places.len() == other.places.len()
    }

    /// Has this cursor everything that `other` has? `false` if they are of different journals.
    pub fn reaches(&self, other: &Self) -> bool {
        self.is_of_the_journal_of(other) && self.places.iter().zip(&other.places).all(|(ours, theirs)| ours >= theirs)
    }

    /// Is the entry of `session` at `position` at or before this cursor?
    pub fn covers(&self, session: SessionId, position: Position) -> bool {
        self.places.get(stream_of(session, self.places.len())).is_some_and(|place| *place >= position.0)
    }

    /// Returns the last position of `session` that is at or before this cursor.
    pub fn place_of(&self, session: SessionId) -> Position {
        Position(self.places.get(stream_of(session, self.places.len())).copied().unwrap_or_default())
    }

    /// The name of the journal that it belongs to.
    pub(crate) fn journal(&self) -> u64 {
        self.journal
    }

    pub(crate) fn places(&self) -> &[u64] {
        &self.places
    }

    /// Was this cursor made by the journal that `newest` belongs to, and is it not ahead of it?
    ///
    /// A cursor is ahead when the journal was restored from an older copy.
    pub(crate) fn is_known_to(&self, newest: &Self) -> bool {
        newest.reaches(self)
    }
}

/// Returns the stream that a session lives in. Part of the stored format: it must never change.
pub(crate) fn stream_of(session: SessionId, streams: usize) -> usize {
    // Session ids may be derived or chosen by hand, so their bits are mixed first.
    let mut x = (session.0 >> 64) as u64 ^ (session.0 as u64).rotate_left(32);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    (x % streams.max(1) as u64) as usize
}

impl Cursor {
    /// Returns the text for clients.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(24 + 17 * self.places.len());
        text.push_str("cur_");
        push_hex(&mut text, self.journal, 16);
        for place in &self.places {
            text.push('_');
            push_hex(&mut text, *place, 1);
        }
        text
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// Writes at least `width` digits. Written by hand because every announced entry carries a cursor.
fn push_hex(text: &mut String, value: u64, width: usize) {
    let mut digits = [b'0'; 16];
    let (mut first, mut rest) = (digits.len(), value);
    while rest > 0 {
        first -= 1;
        digits[first] = b"0123456789abcdef"[(rest & 15) as usize];
        rest >>= 4;
    }
    let first = first.min(digits.len() - width);
    text.push_str(std::str::from_utf8(&digits[first..]).expect("the digits are ASCII"));
}

impl FromStr for Cursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let mut parts = text.strip_prefix("cur_").ok_or(NotACursor)?.split('_');
        let mut number = || parts.next().map(|part| u64::from_str_radix(part, 16).map_err(|_| NotACursor));
        let journal = number().ok_or(NotACursor)??;
        let mut places = Vec::new();
        while let Some(place) = number() {
            places.push(place?);
            if places.len() > PLACES_MAX {
                return Err(NotACursor);
            }
        }
        if places.is_empty() { Err(NotACursor) } else { Ok(Self { journal, places }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_as_it_was_written() {
        let cursor = Cursor::new(0xfeed, vec![0, 1, u64::MAX]);
        assert_eq!(cursor.to_string(), "cur_000000000000feed_0_1_ffffffffffffffff");
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for bad in ["", "cur_", "cur_12", "cur_12_", "cur_12_g", "12_1"] {
            assert_eq!(bad.parse::<Cursor>(), Err(NotACursor), "{bad}");
        }
    }

    #[test]
    fn cursors_of_one_journal_are_compared_stream_by_stream() {
        let cursor = |places: &[u64]| Cursor::new(7, places.to_vec());
        let mut joined = cursor(&[3, 1]);
        assert!(joined.reaches(&cursor(&[3, 0])) && !joined.reaches(&cursor(&[0, 2])));
        joined.join(&cursor(&[1, 5]));
        assert_eq!(joined, cursor(&[3, 5]));
        for foreign in [Cursor::new(8, vec![0, 0]), cursor(&[0, 0, 0])] {
            assert!(!joined.reaches(&foreign) && !foreign.reaches(&joined));
            joined.join(&foreign);
        }
        assert_eq!(joined, cursor(&[3, 5]));
    }

    #[test]
    fn sessions_stay_in_their_stream() {
        let streams: Vec<_> = (0..8).map(|n| stream_of(SessionId(n), 16)).collect();
        assert_eq!(streams, [0, 15, 14, 12, 8, 4, 8, 11], "changing this hides what was stored before");
    }
}
