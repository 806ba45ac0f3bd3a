//! Tracks how much of each streamed block an append-only client has.
//!
//! One lost delta corrupts such a client for good. So a delta is passed on only if it continues what the client has,
//! and the stored text completes the block.

use std::collections::HashMap;

/// How far each block of text has been sent to one client.
#[derive(Debug, Default)]
pub struct Streams {
    sent: HashMap<u32, usize>,
}

impl Streams {
    /// Takes a delta that begins at `offset` bytes of its block. Returns what to append, if it continues what was sent.
    ///
    /// A delta beyond a gap is withheld; the stored text completes the block later.
    pub fn delta<'t>(&mut self, block: u32, offset: usize, text: &'t str) -> Option<&'t str> {
        let sent = self.sent.entry(block).or_default();
        let known = sent.checked_sub(offset)?;
        let news = text.get(known..).filter(|news| !news.is_empty())?;
        *sent += news.len();
        Some(news)
    }

    /// Takes the whole stored text of a block, and forgets the block. Returns what is still missing.
    pub fn complete<'t>(&mut self, block: u32, text: &'t str) -> Completion<'t> {
        match self.sent.remove(&block) {
            None | Some(0) => Completion::Whole(text),
            Some(sent) => match text.get(sent..) {
                Some("") => Completion::Nothing,
                Some(rest) => Completion::Rest(rest),
                None => Completion::Instead(text),
            },
        }
    }
}

/// What a client still needs of a finished block.
#[derive(Debug, PartialEq, Eq)]
pub enum Completion<'t> {
    /// Nothing of it has been sent yet.
    Whole(&'t str),
    Rest(&'t str),
    Nothing,
    /// More was streamed than was stored. An append-only client has to begin a new block with this.
    Instead(&'t str),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_that_continue_are_passed_on_and_repeats_are_cut() {
        let mut streams = Streams::default();
        assert_eq!(streams.delta(1, 0, "Hel"), Some("Hel"));
        assert_eq!(streams.delta(1, 1, "ello"), Some("lo"));
        assert_eq!(streams.delta(1, 0, "Hello"), None);
        assert_eq!(streams.delta(2, 0, "x"), Some("x"));
        assert_eq!(streams.complete(1, "Hello"), Completion::Nothing);
    }

    #[test]
    fn a_lost_delta_is_made_good_by_the_stored_text() {
        let mut streams = Streams::default();
        assert_eq!(streams.delta(1, 0, "Grüß"), Some("Grüß"));
        assert_eq!(streams.delta(1, 20, "later"), None);
        assert_eq!(streams.complete(1, "Grüße, later"), Completion::Rest("e, later"));
        assert_eq!(streams.complete(1, "again"), Completion::Whole("again"));
    }

    #[test]
    fn a_stored_text_that_is_shorter_than_what_was_streamed_is_no_continuation() {
        let mut streams = Streams::default();
        assert_eq!(streams.delta(1, 0, "Hello there"), Some("Hello there"));
        assert_eq!(streams.complete(1, "Hello"), Completion::Instead("Hello"));
    }

    #[test]
    fn a_delta_that_would_cut_a_character_is_withheld() {
        let mut streams = Streams::default();
        assert_eq!(streams.delta(1, 0, "ab"), Some("ab"));
        assert_eq!(streams.delta(1, 1, "ü"), None);
    }
}
