//! Terminals: when a person last typed, and the modes of our own.

use std::fs;
use std::io::stdin;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use super::ourselves;

/// The directories of terminals: those of windows and remote shells, and the consoles.
const PLACES: &[(&str, &str)] = &[("/dev/pts", ""), ("/dev", "tty")];

/// Returns when a person last typed at any terminal of this user. `None` if there is no terminal.
///
/// The kernel updates a terminal's access time when input is read from it. It does so in steps of eight seconds, so
/// that keystrokes cannot be counted.
pub fn last_typed_at() -> Option<SystemTime> {
    let user = ourselves::user();
    PLACES.iter().filter_map(|(folder, prefix)| last_typed_in(Path::new(folder), prefix, user)).max()
}

fn last_typed_in(folder: &Path, prefix: &str, user: u32) -> Option<SystemTime> {
    let is_number = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let entries = fs::read_dir(folder).ok()?.flatten();
    let terminals = entries.filter(|entry| {
        let name = entry.file_name();
        name.to_str().and_then(|name| name.strip_prefix(prefix)).is_some_and(is_number)
    });
    let own = terminals.filter_map(|entry| entry.metadata().ok()).filter(|meta| meta.uid() == user);
    own.map(|meta| UNIX_EPOCH + Duration::from_secs(u64::try_from(meta.atime()).unwrap_or(0))).max()
}

/// The modes of the terminal at our input, to be restored.
#[derive(Debug)]
pub struct Modes(Option<Termios>);

impl Modes {
    /// Saves its modes. If our input is not a terminal, restoring does nothing.
    pub fn now() -> Self {
        Self(tcgetattr(stdin()).ok())
    }

    /// The same, and turns echo off.
    pub fn hide_typing() -> Self {
        let Ok(before) = tcgetattr(stdin()) else { return Self(None) };
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        let changed = tcsetattr(stdin(), OptionalActions::Flush, &quiet);
        Self(changed.ok().map(|()| before))
    }

    /// Restores the modes. If this fails, the terminal is gone.
    pub fn restore(&self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(stdin(), OptionalActions::Now, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, FileTimes};

    use super::*;

    #[test]
    fn the_terminal_that_was_typed_at_last_counts_and_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        let typed = |name: &str, seconds: u64| {
            let file = File::create(scratch.path().join(name)).unwrap();
            file.set_times(FileTimes::new().set_accessed(at(seconds))).unwrap();
        };
        let last = |user: u32| last_typed_in(scratch.path(), "", user);
        let own = ourselves::user();
        typed("ptmx", 999);
        assert_eq!(last(own), None);
        typed("0", 100);
        typed("7", 700);
        assert_eq!(last(own), Some(at(700)));
        assert_eq!(last(own + 1), None, "another user's terminals");
    }
}
