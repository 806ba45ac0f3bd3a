//! Files beyond the standard library: opened without blocking, freed in parts, checked for permissions.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::fs::{Access, CWD, FallocateFlags, FileType, Mode, OFlags, access, fallocate, fcntl_setfl, fstat, openat};
use rustix::io::{Errno, pread};

/// Opens a regular file for reading. Anything else at the path is refused without being opened.
///
/// `File::open` on a FIFO blocks until there is a writer, and opening a device can have side effects. So the path is
/// first looked up without opening it (`O_PATH`), and only a regular file is opened, through that descriptor, because
/// the path may lead to another file by then.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let found = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    if FileType::from_raw_mode(fstat(&found)?.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(CWD, format!("/proc/self/fd/{}", found.as_raw_fd()), flags, Mode::empty())?.into())
}

/// Disables access times for reads of this file (`O_NOATIME`). Only its owner may; for others nothing changes.
pub fn skip_access_times(file: &File) {
    let _ = fcntl_setfl(file, OFlags::NOATIME);
}

/// Reads from `offset` on into the spare capacity of a buffer. Returns how many bytes were read.
pub fn read_at(file: &File, buffer: &mut Vec<u8>, offset: u64) -> io::Result<usize> {
    Ok(pread(file, spare_capacity(buffer), offset)?)
}

/// Frees the disk space of `bytes` from `offset` on. The file keeps its length. Some file systems cannot.
pub fn punch_hole(file: &File, offset: u64, bytes: u64) -> io::Result<()> {
    fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, bytes)?;
    Ok(())
}

/// May this process write to the file at a path?
pub fn is_writable(path: &Path) -> bool {
    access(path, Access::WRITE_OK).is_ok()
}

/// May this process list, change and enter a folder?
pub fn is_usable_folder(path: &Path) -> bool {
    access(path, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// The error of the system for a cycle of links.
pub fn too_many_links() -> io::Error {
    Errno::LOOP.into()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::super::fifo;
    use super::*;

    #[test]
    fn only_regular_files_are_opened_and_nothing_is_waited_for() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::write(at("file"), "hello").unwrap();
        symlink(at("file"), at("link")).unwrap();
        fifo::make(&at("fifo")).unwrap();
        symlink(at("fifo"), at("link-to-fifo")).unwrap();
        symlink("/dev/tty", at("link-to-device")).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        for name in ["file", "link"] {
            let mut text = String::new();
            open_regular(&at(name)).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "hello", "{name}");
        }
        for name in ["fifo", "link-to-fifo", "link-to-device", "socket", ".", "missing"] {
            assert!(open_regular(&at(name)).is_err(), "{name}");
        }
        assert!(open_regular(Path::new("/dev/zero")).is_err());
    }
}
