//! A fixed pool of threads for reads that block on the disk.
//!
//! Each thread has memory of its own. Tokio's blocking pool starts a thread whenever none is idle at that moment, so a
//! burst of short reads made dozens of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use super::error::Error;
use crate::fault::Fault;

type Work = Box<dyn FnOnce() + Send>;

/// A few threads and their queue. They end when this is dropped.
#[derive(Debug)]
pub(super) struct Readers {
    queue: mpsc::Sender<Work>,
}

impl Readers {
    pub(super) fn start(threads: usize, path: &Path) -> Result<Self, Error> {
        // As long as the number of threads: each finds its next job at once, and the other callers wait in `send`,
        // where they can still be cancelled.
        let (queue, waiting) = mpsc::channel::<Work>(threads);
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..threads {
            let waiting = Arc::clone(&waiting);
            let run = move || {
                loop {
                    let next = waiting.lock().blocking_recv();
                    let Some(work) = next else { return };
                    // If the work panics, its caller gets an error, because the sender is dropped.
                    let _ = catch_unwind(AssertUnwindSafe(work));
                }
            };
            let io = |source| Error::Io { what: "start a thread for", path: path.to_owned(), source };
            thread::Builder::new().name("reader".to_owned()).spawn(run).map_err(io)?;
        }
        Ok(Self { queue })
    }

    /// Runs `work` when a thread is free, unless the caller was cancelled by then.
    pub(super) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Fault> {
        let (sender, done) = oneshot::channel();
        let work = move || {
            if !sender.is_closed() {
                let _ = sender.send(work());
            }
        };
        // If the threads are gone, the work is dropped with its sender, and `done` fails.
        let _ = self.queue.send(Box::new(work)).await;
        done.await.map_err(Fault::new)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::mpsc::sync_channel;

    use futures_util::FutureExt;
    use futures_util::future::join_all;

    use super::*;

    #[tokio::test]
    async fn however_much_is_to_be_read_there_are_no_more_threads() {
        let readers = Readers::start(3, Path::new("here")).unwrap();
        let threads = join_all((0..500).map(|_| readers.run(|| thread::current().id()))).await;
        assert!(threads.into_iter().map(Result::unwrap).collect::<HashSet<_>>().len() <= 3);
    }

    #[tokio::test]
    async fn work_that_panics_fails_alone() {
        let readers = Readers::start(1, Path::new("here")).unwrap();
        assert!(readers.run(|| panic!("on purpose")).await.is_err());
        assert_eq!(readers.run(|| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_done() {
        let readers = Readers::start(1, Path::new("here")).unwrap();
        let (go, may_go) = sync_channel::<()>(1);
        let first = readers.run(move || may_go.recv());
        let mut first = std::pin::pin!(first);
        assert!(first.as_mut().now_or_never().is_none());
        let (told, heard) = sync_channel(1);
        let mut given_up = Box::pin(readers.run(move || told.send(()).unwrap()));
        assert!(given_up.as_mut().now_or_never().is_none());
        drop(given_up);
        go.send(()).unwrap();
        first.await.unwrap().unwrap();
        readers.run(|| ()).await.unwrap();
        assert!(heard.try_recv().is_err());
    }
}
