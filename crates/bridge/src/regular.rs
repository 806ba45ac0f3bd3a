//! Regular files at paths that an agent or another caller named: opened without waiting, read up to a bound.
//!
//! `File::open` on a FIFO waits for a writer that may never come, and on a device it can do what the device does when it is
//! opened. So the path is first looked up without opening anything (`O_PATH`), and only what turned out to be a regular file
//! is opened, through the descriptor that was looked at: what lies at the path may be another thing by then.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};

/// Opens a regular file for reading. Anything else that can lie at a path is refused without being opened.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let found = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    if FileType::from_raw_mode(fstat(&found)?.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(CWD, format!("/proc/self/fd/{}", found.as_raw_fd()), flags, Mode::empty())?.into())
}

/// Reads a file that ends before `bytes_max`. A longer one is refused.
pub(crate) fn read_short(path: &Path, bytes_max: u64) -> io::Result<String> {
    let mut text = String::new();
    let read = open(path)?.take(bytes_max + 1).read_to_string(&mut text)?;
    match read as u64 <= bytes_max {
        true => Ok(text),
        false => Err(io::ErrorKind::FileTooLarge.into()),
    }
}

/// The last `bytes_max` bytes of a file, and how many come before them. They may begin in the middle of a character.
pub(crate) fn read_end(path: &Path, bytes_max: u64) -> io::Result<(u64, Vec<u8>)> {
    let mut file = open(path)?;
    let skipped = file.metadata()?.len().saturating_sub(bytes_max);
    file.seek(SeekFrom::Start(skipped))?;
    let mut end = Vec::new();
    file.take(bytes_max).read_to_end(&mut end)?;
    Ok((skipped, end))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::mknodat;

    use super::*;

    #[test]
    fn only_regular_files_are_opened_and_nothing_is_waited_for() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::write(at("file"), "hello").unwrap();
        symlink(at("file"), at("link")).unwrap();
        mknodat(CWD, at("fifo"), FileType::Fifo, Mode::from(0o600), 0).unwrap();
        symlink(at("fifo"), at("link-to-fifo")).unwrap();
        symlink("/dev/tty", at("link-to-device")).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        for name in ["file", "link"] {
            assert_eq!(read_short(&at(name), 5).unwrap(), "hello", "{name}");
        }
        for name in ["fifo", "link-to-fifo", "link-to-device", "socket", ".", "missing"] {
            assert!(open(&at(name)).is_err(), "{name}");
        }
        assert!(open(Path::new("/dev/zero")).is_err());
    }

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
