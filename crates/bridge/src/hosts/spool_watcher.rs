//! One inotify watch on the agents' folder, which tells each host when its agent has written something.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use askbridge_platform::watch::{FolderWatch, Written};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Which host is notified about which file.
#[derive(Debug, Default)]
pub(super) struct SpoolWatcher(Mutex<HashMap<String, Arc<Notify>>>);

impl SpoolWatcher {
    /// Returns what is notified when the file of that name grows. A later call for the same file replaces an earlier
    /// one.
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
pub(super) fn open(folder: &Path) -> io::Result<FolderWatch> {
    FolderWatch::open(folder)
}

/// Runs until `stop`.
pub(super) async fn run(watcher: Arc<SpoolWatcher>, mut watch: FolderWatch, stop: CancellationToken) {
    let tell = |written: Written<'_>| match written {
        Written::File(name) => watcher.saw(name),
        Written::TooMany => watcher.saw_too_much(),
    };
    loop {
        let looked = tokio::select! {
            () = stop.cancelled() => return,
            looked = watch.next(tell) => looked,
        };
        if looked.is_err() {
            return;
        }
    }
}
