//! Watches a folder for writes to its files.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A watch on all files of one folder.
#[derive(Debug)]
pub struct FolderWatch {
    inotify: AsyncFd<OwnedFd>,
    buffer: Box<[MaybeUninit<u8>; 8192]>,
}

/// What was written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written<'a> {
    /// The file of this name.
    File(&'a str),
    /// More than the system's queue holds: it may have been any file.
    TooMany,
}

impl FolderWatch {
    #[expect(
        deprecated,
        reason = "an owned descriptor stays the same one, which is all that the unsafe successor asks for"
    )]
    pub fn open(folder: &Path) -> io::Result<Self> {
        let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        inotify::add_watch(&inotify, folder, WatchFlags::MODIFY)?;
        let inotify = AsyncFd::with_interest(inotify, Interest::READABLE)?;
        Ok(Self { inotify, buffer: Box::new([MaybeUninit::uninit(); 8192]) })
    }

    /// Waits for writes, and passes each to `tell`. Nothing is lost if the caller stops waiting.
    pub async fn next(&mut self, mut tell: impl FnMut(Written<'_>)) -> io::Result<()> {
        let mut ready = self.inotify.readable().await?;
        let mut reader = Reader::new(self.inotify.get_ref(), &mut self.buffer[..]);
        while let Ok(event) = reader.next() {
            if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                tell(Written::TooMany);
            } else if let Some(Ok(name)) = event.file_name().map(|name| name.to_str()) {
                tell(Written::File(name));
            }
        }
        ready.clear_ready();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_that_is_written_to_is_named() {
        let scratch = tempfile::tempdir().unwrap();
        let mut watch = FolderWatch::open(scratch.path()).unwrap();
        std::fs::write(scratch.path().join("a.out"), "hello").unwrap();
        let mut names = Vec::new();
        let name = |written: Written<'_>| match written {
            Written::File(name) => names.push(name.to_owned()),
            Written::TooMany => panic!("one file is not too many"),
        };
        watch.next(name).await.unwrap();
        assert_eq!(names.first().map(String::as_str), Some("a.out"));
    }
}
