//! When did somebody last type at a terminal of this machine?

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use askbridge_core::ids::Timestamp;

/// Where terminals are: those of windows and remote shells, and those of the machine itself.
const PLACES: &[(&str, &str)] = &[("/dev/pts", ""), ("/dev", "tty")];

/// How long nobody has typed at any terminal of this user. `None`: there is no terminal.
///
/// The system notes when a terminal was last read from, and that is when somebody typed. It does so in steps of eight
/// seconds, so that nobody can count keystrokes.
pub(super) fn quiet_for(now: Timestamp) -> Option<Duration> {
    let uid = rustix::process::getuid().as_raw();
    let quiet = PLACES.iter().filter_map(|(folder, prefix)| quiet_in(Path::new(folder), prefix, uid, now));
    quiet.min()
}

fn quiet_in(folder: &Path, prefix: &str, uid: u32, now: Timestamp) -> Option<Duration> {
    let is_number = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let entries = fs::read_dir(folder).ok()?.flatten();
    let terminals = entries.filter(|entry| {
        let name = entry.file_name();
        name.to_str().and_then(|name| name.strip_prefix(prefix)).is_some_and(is_number)
    });
    let own = terminals.filter_map(|entry| entry.metadata().ok()).filter(|meta| meta.uid() == uid);
    own.map(|meta| now.since(Timestamp(meta.atime().saturating_mul(1000)))).min()
}

#[cfg(test)]
mod tests {
    use std::fs::{File, FileTimes};
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn the_terminal_that_was_typed_at_last_counts_and_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let typed = |name: &str, seconds: u64| {
            let file = File::create(scratch.path().join(name)).unwrap();
            file.set_times(FileTimes::new().set_accessed(UNIX_EPOCH + Duration::from_secs(seconds))).unwrap();
        };
        let uid = rustix::process::getuid().as_raw();
        let quiet = |uid: u32| quiet_in(scratch.path(), "", uid, Timestamp(1_000_000));
        typed("ptmx", 999);
        assert_eq!(quiet(uid), None);
        typed("0", 100);
        typed("7", 700);
        assert_eq!(quiet(uid), Some(Duration::from_secs(300)));
        assert_eq!(quiet(uid + 1), None, "another user's terminals");
    }
}
