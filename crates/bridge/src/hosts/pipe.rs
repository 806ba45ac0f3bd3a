//! Writes lines into an agent's stdin: whole, or not at all. Half a line would end the agent.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use askbridge_core::limits::AGENT_PIPE_BYTES;
use askbridge_platform::fifo::{self, ATOMIC_BYTES};
use tracing::warn;

/// How often to check for room. A pipe signals that it has some room, not that it has enough.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// The write end of an agent's stdin.
#[derive(Debug)]
pub(super) struct Pipe {
    file: fs::File,
    capacity: usize,
    waiting: VecDeque<Vec<u8>>,
    /// How many bytes of the first line are written. Not 0 only for lines that the pipe cannot hold.
    written: usize,
    marker: PathBuf,
}

impl Pipe {
    /// Opens it for reading too, so that opening never blocks and nothing is lost before the agent has opened it.
    pub(super) fn open(path: &Path, marker: PathBuf) -> io::Result<Self> {
        let file = fifo::open(path)?;
        if let Err(error) = fifo::enlarge(&file, AGENT_PIPE_BYTES) {
            // The system limits the pipe buffers of one user. Long lines are then written in pieces.
            warn!(%error, "Could not enlarge an agent's pipe");
        }
        let capacity = fifo::capacity(&file)?;
        Ok(Self { file, capacity, waiting: VecDeque::new(), written: 0, marker })
    }

    pub(super) fn push(&mut self, line: &str) {
        debug_assert!(!line.contains('\n'), "a line of JSON has no line breaks");
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        self.waiting.push_back(bytes);
    }

    /// Writes as much as fits. Returns when to try again, if something is left.
    pub(super) fn flush(&mut self) -> io::Result<Option<Duration>> {
        while let Some(line) = self.waiting.front() {
            let fits = line.len() <= self.capacity;
            // A pipe's pages may be partly filled: only an empty pipe is certain to hold as much as its size.
            if fits && line.len() > ATOMIC_BYTES && fifo::unread_bytes(&self.file)? > 0 {
                return Ok(Some(LOOK_AGAIN));
            }
            if !fits && self.written == 0 {
                fs::write(&self.marker, b"")?;
            }
            match self.file.write(&line[self.written..]) {
                Ok(bytes) => self.written += bytes,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Some(LOOK_AGAIN)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if self.written == line.len() {
                if !fits {
                    let _ = fs::remove_file(&self.marker);
                }
                self.waiting.pop_front();
                self.written = 0;
            }
        }
        Ok(None)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Read;

    use super::*;

    fn pipe(folder: &Path) -> (Pipe, fs::File) {
        let path = folder.join("in");
        fifo::make(&path).unwrap();
        let pipe = Pipe::open(&path, folder.join("writing")).unwrap();
        let reader = OpenOptions::new().read(true).open(&path).unwrap();
        (pipe, reader)
    }

    fn read(reader: &mut fs::File, bytes: usize) -> Vec<u8> {
        let mut read = vec![0; bytes];
        reader.read_exact(&mut read).unwrap();
        read
    }

    #[test]
    fn a_long_line_waits_until_it_fits_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (mut pipe, mut reader) = pipe(folder.path());
        let long = "x".repeat(300_000);
        pipe.push("short");
        pipe.push(&long);
        assert!(pipe.flush().unwrap().is_some(), "the long one waits for the short one to be read");
        assert_eq!(read(&mut reader, 6), b"short\n");
        assert_eq!(pipe.flush().unwrap(), None);
        assert!(!folder.path().join("writing").exists());
        assert_eq!(read(&mut reader, 300_001), format!("{long}\n").as_bytes());
    }

    #[test]
    fn a_line_that_the_pipe_cannot_hold_is_marked_while_it_is_half_written() {
        let folder = tempfile::tempdir().unwrap();
        let (mut pipe, mut reader) = pipe(folder.path());
        let longer = "y".repeat(pipe.capacity + 10);
        pipe.push(&longer);
        assert!(pipe.flush().unwrap().is_some());
        assert!(folder.path().join("writing").exists());
        let first = pipe.written;
        assert_eq!(read(&mut reader, first).len(), first);
        assert_eq!(pipe.flush().unwrap(), None);
        assert!(!folder.path().join("writing").exists());
        assert_eq!(read(&mut reader, longer.len() + 1 - first).last(), Some(&b'\n'));
    }
}
