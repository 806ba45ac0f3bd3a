//! A reader of a guide: a home folder with askbridge, and stand-ins for the programs that must not run for real.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::bridge::{Ran, Running, TestBridge};

/// The data folder that the guides write.
pub(super) const DATA: &str = "/home/ada/.local/share/askbridge";

pub(super) struct Reader {
    pub(super) bridge: TestBridge,
}

impl Reader {
    /// The guides' data folder is the one that the server of the test has.
    pub(super) fn at(bridge: TestBridge) -> Self {
        let share = bridge.dir.path().join(".local/share");
        fs::create_dir_all(&share).unwrap();
        fs::create_dir_all(bridge.dir.path().join("bin")).unwrap();
        symlink(bridge.data(), share.join("askbridge")).unwrap();
        Self { bridge }
    }

    pub(super) fn home(&self) -> &Path {
        self.bridge.dir.path()
    }

    /// A program that writes down how it was called, in `typed`, and then does this.
    pub(super) fn stand_in(&self, name: &str, script: &str) {
        let path = self.home().join("bin").join(name);
        fs::write(&path, format!("#!/bin/bash\necho \"{name} $*\" >> \"$HOME/typed\"\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// How the stand-ins were called.
    pub(super) fn typed(&self) -> String {
        fs::read_to_string(self.home().join("typed")).unwrap_or_default()
    }

    /// Types something; stand-ins come before the system's programs.
    pub(super) fn types(&self, script: &str) -> Ran {
        self.bridge.bash(&Self::with_stand_ins(script))
    }

    pub(super) fn begins(&self, script: &str) -> Running {
        self.bridge.spawn_bash(&Self::with_stand_ins(script))
    }

    pub(super) fn with_stand_ins(script: &str) -> String {
        format!("export PATH=\"$HOME/bin:$PATH\"\nset -e\n{script}")
    }

    /// The lines of a guide, with this reader's folders in the place of Ada's.
    pub(super) fn here(&self, output: &[String]) -> Vec<String> {
        let (data, home) = (self.bridge.data().display().to_string(), self.home().display().to_string());
        output.iter().map(|line| line.replace(DATA, &data).replace("/home/ada", &home)).collect()
    }
}

/// The top of the repository.
pub(super) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
