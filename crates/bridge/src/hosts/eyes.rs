//! Notices that an agent has written something: one watch on the folder, for all of them.

use std::collections::HashMap;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Who wants to know about which file.
#[derive(Debug, Default)]
pub(super) struct Eyes(Mutex<HashMap<String, Arc<Notify>>>);

impl Eyes {
    /// Tells when the file of that name grows. Only the newest who asks about it is told.
    pub(super) fn on(&self, name: String) -> Arc<Notify> {
        let notify = Arc::new(Notify::new());
        self.0.lock().insert(name, Arc::clone(&notify));
        notify
    }

    pub(super) fn off(&self, name: &str) {
        self.0.lock().remove(name);
    }

    fn saw(&self, name: &str) {
        if let Some(notify) = self.0.lock().get(name) {
            notify.notify_one();
        }
    }

    fn saw_too_much(&self) {
        self.0.lock().values().for_each(|notify| notify.notify_one());
    }
}

/// Opens the watch.
#[expect(
    deprecated,
    reason = "an owned descriptor stays the same one, which is all that the unsafe successor asks for"
)]
pub(super) fn open(folder: &Path) -> io::Result<AsyncFd<OwnedFd>> {
    let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    inotify::add_watch(&watch, folder, WatchFlags::MODIFY)?;
    AsyncFd::with_interest(watch, Interest::READABLE)
}

/// Looks until `stop`.
pub(super) async fn run(eyes: Arc<Eyes>, watch: AsyncFd<OwnedFd>, stop: CancellationToken) {
    let mut buffer = [MaybeUninit::uninit(); 8192];
    loop {
        let ready = tokio::select! {
            () = stop.cancelled() => return,
            ready = watch.readable() => ready,
        };
        let Ok(mut ready) = ready else { return };
        let mut reader = Reader::new(watch.get_ref(), &mut buffer);
        loop {
            match reader.next() {
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => eyes.saw_too_much(),
                Ok(event) => {
                    if let Some(Ok(name)) = event.file_name().map(|name| name.to_str()) {
                        eyes.saw(name);
                    }
                }
                Err(_) => break,
            }
        }
        ready.clear_ready();
    }
}
