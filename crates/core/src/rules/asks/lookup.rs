//! Rules by one text that they need: the whole of it, or a piece of three bytes.
//!
//! A rule that wants a text to match a pattern wants every literal part of the pattern to be in it, and so every piece of
//! these parts. A rule is listed under one of them; an ask is looked up by the pieces of its own texts. A bit set says
//! of most pieces that no rule is listed under them, so a long text costs about a nanosecond a byte.

use std::collections::HashMap;

/// Bytes of a piece.
const PIECE: usize = 3;
/// Bits for each piece in the set, so that one in sixteen pieces that are not in it seems to be.
const BITS: usize = 16;

/// What a text has to be or to contain.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Key {
    Whole(String),
    Piece([u8; PIECE]),
}

/// Rules by the keys of one kind of text.
#[derive(Debug, Clone, Default)]
pub(super) struct Lookup {
    by_whole: HashMap<String, Vec<u32>>,
    /// Which of `lists` is that of a piece.
    by_piece: HashMap<[u8; PIECE], usize>,
    lists: Vec<Vec<u32>>,
    /// The bits of all pieces; its length is a power of two.
    bits: Vec<u64>,
}

impl Lookup {
    /// Lists a rule under a key. Rules come in order.
    pub(super) fn list(&mut self, key: Key, at: u32) {
        let list = match key {
            Key::Whole(text) => self.by_whole.entry(text).or_default(),
            Key::Piece(piece) => {
                let slot = *self.by_piece.entry(piece).or_insert(self.lists.len());
                if slot == self.lists.len() {
                    self.lists.push(Vec::new());
                }
                &mut self.lists[slot]
            }
        };
        // A rule with several patterns may be listed under one key several times.
        if list.last() != Some(&at) {
            list.push(at);
        }
    }

    /// Makes the set of bits, once all rules are listed.
    pub(super) fn finish(&mut self) {
        if self.by_piece.is_empty() {
            return;
        }
        let words = (self.by_piece.len() * BITS).next_power_of_two().div_ceil(u64::BITS as usize);
        self.bits = vec![0; words.next_power_of_two()];
        for piece in self.by_piece.keys() {
            let (word, bit) = bit(self.bits.len(), *piece);
            self.bits[word] |= bit;
        }
    }

    /// Adds the rules that are listed under these texts or a piece of them.
    pub(super) fn find<'t>(&self, texts: impl IntoIterator<Item = &'t str>, found: &mut Vec<u32>) {
        // A text may repeat a piece thousands of times.
        let mut seen = vec![false; self.lists.len()];
        for text in texts {
            found.extend(self.by_whole.get(text).into_iter().flatten());
            if self.bits.is_empty() {
                continue;
            }
            for piece in pieces(text) {
                let (word, bit) = bit(self.bits.len(), piece);
                if self.bits[word] & bit != 0
                    && let Some(&slot) = self.by_piece.get(&piece)
                    && !std::mem::replace(&mut seen[slot], true)
                {
                    found.extend(&self.lists[slot]);
                }
            }
        }
    }

    /// Adds all rules, where the texts are not known.
    pub(super) fn all(&self, found: &mut Vec<u32>) {
        found.extend(self.by_whole.values().chain(&self.lists).flatten());
    }
}

/// The pieces of a text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = [u8; PIECE]> + Clone + '_ {
    text.as_bytes().windows(PIECE).map(|piece| [piece[0], piece[1], piece[2]])
}

/// The place of a piece in a set of bits: a multiplicative hash.
fn bit(words: usize, [a, b, c]: [u8; PIECE]) -> (usize, u64) {
    let hash = u64::from_le_bytes([a, b, c, 0, 0, 0, 0, 0]).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let at = hash as usize & (words * u64::BITS as usize - 1);
    (at / u64::BITS as usize, 1 << (at % u64::BITS as usize))
}
