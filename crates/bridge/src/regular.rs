//! Reads regular files at paths that a caller named: without blocking on open, and up to a size limit.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use askbridge_platform::files::open_regular;

/// Reads a file of at most `bytes_max` bytes. A longer one is refused.
pub(crate) fn read_short(path: &Path, bytes_max: u64) -> io::Result<String> {
    let mut text = String::new();
    let read = open_regular(path)?.take(bytes_max + 1).read_to_string(&mut text)?;
    match read as u64 <= bytes_max {
        true => Ok(text),
        false => Err(io::ErrorKind::FileTooLarge.into()),
    }
}

/// Returns the last `bytes_max` bytes of a file, and how many come before them. They may begin in the middle of a
/// character.
pub(crate) fn read_end(path: &Path, bytes_max: u64) -> io::Result<(u64, Vec<u8>)> {
    let mut file = open_regular(path)?;
    let skipped = file.metadata()?.len().saturating_sub(bytes_max);
    file.seek(SeekFrom::Start(skipped))?;
    let mut end = Vec::new();
    file.take(bytes_max).read_to_end(&mut end)?;
    Ok((skipped, end))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn no_more_is_read_than_was_wanted() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        fs::write(&path, "0123456789").unwrap();
        assert!(read_short(&path, 9).is_err());
        assert_eq!(read_end(&path, 3).unwrap(), (7, b"789".to_vec()));
        assert_eq!(read_end(&path, 30).unwrap(), (0, b"0123456789".to_vec()));
    }
}
