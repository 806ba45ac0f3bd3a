//! Bytes in, lines out.

use askbridge_core::limits;
use bytes::{Buf, BytesMut};

/// The bytes of a stream that are not returned as lines yet.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: BytesMut,
    /// How many of them are known to hold no line end.
    searched: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Without its end. What is not UTF-8 is replaced.
    Line(String),
    /// The end of the line has not arrived.
    More,
    TooLong,
}

impl Lines {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn next(&mut self) -> Next {
        let end = memchr::memchr(b'\n', &self.bytes[self.searched..]).map(|at| self.searched + at);
        self.searched = end.unwrap_or(self.bytes.len());
        if self.searched > limits::OUTBOUND_LINE_BYTES_MAX {
            return Next::TooLong;
        }
        let Some(end) = end else { return Next::More };
        self.searched = 0;
        let line = self.bytes.split_to(end);
        self.bytes.advance(1);
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        Next::Line(String::from_utf8_lossy(line).into_owned())
    }

    /// Is there the beginning of a line?
    pub(super) fn is_midway(&self) -> bool {
        !self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Next {
        Next::Line(text.to_owned())
    }

    #[test]
    fn lines_are_the_same_however_the_bytes_arrive() {
        let text = "{\"a\":1}\r\n\n{\"b\":\"é\"}\nrest".as_bytes();
        for size in 1..=text.len() {
            let (mut lines, mut found) = (Lines::default(), Vec::new());
            for part in text.chunks(size) {
                lines.push(part);
                while let Next::Line(line) = lines.next() {
                    found.push(line);
                }
            }
            assert_eq!(found, ["{\"a\":1}", "", "{\"b\":\"é\"}"], "in parts of {size}");
            assert!(lines.is_midway());
        }
    }

    #[test]
    fn a_line_is_as_long_as_the_limit_and_no_longer() {
        let longest = "x".repeat(limits::OUTBOUND_LINE_BYTES_MAX);
        let mut lines = Lines::default();
        lines.push(longest.as_bytes());
        assert_eq!(lines.next(), Next::More);
        lines.push(b"\n");
        assert_eq!(lines.next(), line(&longest));
        assert!(!lines.is_midway());

        lines.push(longest.as_bytes());
        lines.push(b"x");
        assert_eq!(lines.next(), Next::TooLong, "without its end");
        lines.push(b"\nshort\n");
        assert_eq!(lines.next(), Next::TooLong, "with it");
    }

    #[test]
    fn what_is_not_text_is_replaced() {
        let mut lines = Lines::default();
        lines.push(b"a\xffb\n");
        assert_eq!(lines.next(), line("a\u{fffd}b"));
    }
}
