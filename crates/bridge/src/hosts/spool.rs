//! Reads an agent's output line by line, from a given offset.

use std::fs::File;
use std::io;
use std::path::Path;

use askbridge_core::limits::AGENT_LINE_BYTES_MAX;
use askbridge_platform::files;
use memchr::memchr;

/// Bytes of one read; for a long line, as many as are buffered already.
const READ_BYTES: usize = 8 * 1024;

/// The file that is an agent's stdout.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    /// The offset in the file of the next line.
    line_at: u64,
    /// The buffer: what was read, beginning a little before `line_at`.
    unread: Vec<u8>,
    /// Where in the buffer the next line begins.
    start: usize,
    /// Up to where the buffer is known to hold no end of line.
    searched: usize,
    /// The last read returned less than was asked for: do not read again until the file is known to have grown.
    at_the_end: bool,
    /// The line is too long, and is skipped up to its end.
    skipping: bool,
    freed: u64,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SpoolLine {
    Text(String),
    /// Longer than the limit; it was skipped.
    TooLong,
}

impl Spool {
    pub(super) fn open(path: &Path, from: u64) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path)?;
        files::skip_access_times(&file);
        let (unread, at_the_end, skipping) = (Vec::new(), false, false);
        Ok(Self { file, line_at: from, unread, start: 0, searched: 0, at_the_end, skipping, freed: from })
    }

    /// The offset of the next line.
    pub(super) fn offset(&self) -> u64 {
        self.line_at
    }

    /// Is the file read to its end, apart from an incomplete line?
    pub(super) fn is_at_the_end(&self) -> io::Result<bool> {
        let read = self.line_at + (self.unread.len() - self.start) as u64;
        Ok(self.file.metadata()?.len() <= read && self.searched == self.unread.len())
    }

    /// The file may have grown since it was last read.
    pub(super) fn may_have_grown(&mut self) {
        self.at_the_end = false;
    }

    /// Returns the next complete line, if there is one. After `None` the file is not read again until
    /// [`Self::may_have_grown`].
    pub(super) fn next(&mut self) -> io::Result<Option<SpoolLine>> {
        loop {
            if let Some(end) = memchr(b'\n', &self.unread[self.searched..]) {
                let end = self.searched + end;
                let line = match self.skipping {
                    true => SpoolLine::TooLong,
                    false => SpoolLine::Text(text(&self.unread[self.start..end])),
                };
                self.line_at += (end + 1 - self.start) as u64;
                (self.start, self.searched, self.skipping) = (end + 1, end + 1, false);
                return Ok(Some(line));
            }
            self.unread.drain(..self.start);
            self.start = 0;
            if self.unread.len() > AGENT_LINE_BYTES_MAX {
                self.skipping = true;
                self.line_at += self.unread.len() as u64;
                self.unread.clear();
            }
            self.searched = self.unread.len();
            if self.at_the_end || !self.read_more()? {
                if self.unread.is_empty() {
                    // A silent agent costs no buffer.
                    self.unread = Vec::new();
                }
                return Ok(None);
            }
        }
    }

    /// Reads what was written since. Returns whether there was anything.
    fn read_more(&mut self) -> io::Result<bool> {
        let known = self.unread.len();
        self.unread.reserve(known.max(READ_BYTES));
        let room = self.unread.capacity() - known;
        let read = files::read_at(&self.file, &mut self.unread, self.line_at + known as u64)?;
        self.at_the_end = read < room;
        Ok(read > 0)
    }

    /// How many bytes before `offset` still take disk space.
    pub(super) fn unfreed(&self, offset: u64) -> u64 {
        offset.saturating_sub(self.freed)
    }

    /// Frees the disk space before `offset` by punching a hole. The file keeps its length, so offsets stay valid.
    pub(super) fn free(&mut self, offset: u64) {
        let bytes = self.unfreed(offset);
        // Some file systems cannot; then the space is freed when the process has exited.
        if bytes > 0 && files::punch_hole(&self.file, self.freed, bytes).is_ok() {
            self.freed = offset;
        }
    }
}

/// Replaces invalid UTF-8: better than losing the line.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn lines_are_read_as_they_come_whole_and_long_ones_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut writer = File::create(&path).unwrap();
        let mut spool = Spool::open(&path, 0).unwrap();
        assert_eq!(spool.next().unwrap(), None);
        writer.write_all(b"one\r\n\ntw").unwrap();
        assert_eq!(spool.next().unwrap(), None, "nobody has noticed yet");
        spool.may_have_grown();
        assert_eq!(spool.next().unwrap(), Some(SpoolLine::Text("one\r".to_owned())));
        assert_eq!(spool.next().unwrap(), Some(SpoolLine::Text(String::new())));
        assert_eq!(spool.next().unwrap(), None);
        assert_eq!(spool.offset(), 6);
        assert!(spool.is_at_the_end().unwrap());
        writer.write_all(b"o\n").unwrap();
        spool.may_have_grown();
        assert!(!spool.is_at_the_end().unwrap());
        assert_eq!(spool.next().unwrap(), Some(SpoolLine::Text("two".to_owned())));
        let long = vec![b'x'; AGENT_LINE_BYTES_MAX + 10];
        writer.write_all(&long).unwrap();
        spool.may_have_grown();
        assert_eq!(spool.next().unwrap(), None);
        writer.write_all(b"x\nafter\n").unwrap();
        spool.may_have_grown();
        assert_eq!(spool.next().unwrap(), Some(SpoolLine::TooLong));
        assert_eq!(spool.next().unwrap(), Some(SpoolLine::Text("after".to_owned())));
        let end = spool.offset();
        spool.free(end);
        let mut again = Spool::open(&path, 6).unwrap();
        assert_eq!(again.offset(), 6);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), end);
        writer.write_all(b"more\n").unwrap();
        again = Spool::open(&path, end).unwrap();
        assert_eq!(again.next().unwrap(), Some(SpoolLine::Text("more".to_owned())));
    }
}
