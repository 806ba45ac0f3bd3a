//! Reads lines from the client, bounded, in a separate thread, because blocking reads of stdin cannot be polled.

use std::io::{self, BufRead, Read};
use std::thread;

use askbridge_core::limits;
use tokio::sync::mpsc;

/// Lines that are read and not handled yet. Beyond: the client waits.
const WAITING_MAX: usize = 16;

/// Reads until the end. A line that is too long ends it, because the id of its request is unknown.
pub(super) fn lines(source: impl BufRead + Send + 'static) -> mpsc::Receiver<io::Result<String>> {
    let (sender, lines) = mpsc::channel(WAITING_MAX);
    let mut source = source;
    thread::spawn(move || {
        while let Some(line) = next(&mut source).transpose() {
            let is_last = line.is_err();
            if sender.blocking_send(line).is_err() || is_last {
                return;
            }
        }
    });
    lines
}

/// Returns the next line that is not blank.
fn next(source: &mut impl BufRead) -> io::Result<Option<String>> {
    loop {
        let mut line = Vec::new();
        let bound = limits::AGENT_LINE_BYTES_MAX as u64 + 1;
        if source.by_ref().take(bound).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.len() > limits::AGENT_LINE_BYTES_MAX {
            let words = format!("a line may have at most {} bytes", limits::AGENT_LINE_BYTES_MAX);
            return Err(io::Error::new(io::ErrorKind::InvalidData, words));
        }
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        if !line.is_empty() {
            return Ok(Some(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_one_by_one_and_the_last_needs_no_end() {
        let mut lines = lines(&b"one\r\n\n  \ntwo\nthree"[..]);
        let taken: Vec<_> = std::iter::from_fn(|| lines.blocking_recv()).map(Result::unwrap).collect();
        assert_eq!(taken, ["one", "two", "three"]);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut lines = lines(io::BufReader::new(io::repeat(b'x')));
        assert!(lines.blocking_recv().is_some_and(|line| line.is_err()));
        assert!(lines.blocking_recv().is_none());
    }
}
