//! Receipts: what was there before us, for each file that we changed, with a copy of its bytes.

use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::Error;

/// The record of a file. Written before the file itself, so that no change is without one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Receipt {
    /// For people who read the receipt; files are found by a hash of their path.
    file: String,
    /// The name of the copy of the original; `None` if there was no file.
    original: Option<String>,
    /// Hashes of what we wrote, or were about to write. A file with one of these has no changes of the person's.
    written: Vec<String>,
    /// Folders that we created for the file, the outermost first.
    pub(crate) folders: Vec<PathBuf>,
}

/// Hashes that a receipt keeps. Beyond: the oldest is dropped, and such a file counts as changed by the person.
const WRITTEN_MAX: usize = 16;

/// The receipts, in a folder that only the person can read.
pub(crate) struct Receipts {
    folder: PathBuf,
    id: String,
}

impl Receipts {
    /// Those of one file, whose links have been followed.
    pub(crate) fn of(folder: &Path, file: &Path) -> Self {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let hash = hash(file.as_os_str().as_bytes());
        Self { folder: folder.to_owned(), id: format!("{}-{}", name.trim_start_matches('.'), &hash[..16]) }
    }

    /// A receipt that cannot be read counts as lost; undo works without it.
    pub(crate) fn load(&self) -> Option<Receipt> {
        serde_json::from_slice(&fs::read(self.path()).ok()?).ok()
    }

    /// The original text. `None` if the copy is lost.
    pub(crate) fn original(&self, receipt: &Receipt) -> Option<Original> {
        let Some(name) = &receipt.original else { return Some(Original::NoFile) };
        let text = fs::read_to_string(self.folder.join(name)).ok()?;
        Some(Original::Text(text))
    }

    /// Records the original and the new text. Returns the path of the copy.
    pub(crate) fn note(
        &self,
        file: &Path,
        original: &Original,
        now: &str,
        folders: Vec<PathBuf>,
    ) -> Result<Option<PathBuf>, Error> {
        let io = || Error::io("write a receipt for", file);
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).map_err(io())?;
        let former = self.load();
        let copy = match original {
            Original::NoFile => None,
            Original::Text(text) => Some(format!("{}.{}.backup", self.id, &hash(text.as_bytes())[..12])),
        };
        if let (Some(name), Original::Text(text)) = (&copy, original) {
            write(&self.folder, &self.folder.join(name), text).map_err(io())?;
        }
        // The hashes of a receipt for another original do not apply.
        let mut written = match &former {
            Some(former) if former.original == copy => former.written.clone(),
            _ => Vec::new(),
        };
        let now = hash(now.as_bytes());
        written.retain(|known| *known != now);
        written.push(now);
        let forgotten = written.len().saturating_sub(WRITTEN_MAX);
        written.drain(..forgotten);
        let receipt = Receipt { file: file.display().to_string(), original: copy.clone(), written, folders };
        let text = serde_json::to_string_pretty(&receipt).expect("a receipt has text keys");
        write(&self.folder, &self.path(), &text).map_err(io())?;
        if let Some(old) = former.and_then(|former| former.original).filter(|old| Some(old) != copy.as_ref()) {
            let _ = fs::remove_file(self.folder.join(old));
        }
        Ok(copy.map(|name| self.folder.join(name)))
    }

    /// Deletes the receipt and the copy, because nothing of ours is left.
    pub(crate) fn forget(&self) {
        if let Some(original) = self.load().and_then(|receipt| receipt.original) {
            let _ = fs::remove_file(self.folder.join(original));
        }
        let _ = fs::remove_file(self.path());
        // Succeeds only if it is empty.
        let _ = fs::remove_dir(&self.folder);
    }

    fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.id))
    }
}

/// The file as it was before us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Original {
    NoFile,
    Text(String),
}

impl Receipt {
    /// Is this exactly what we wrote?
    pub(crate) fn wrote(&self, text: &str) -> bool {
        self.written.contains(&hash(text.as_bytes()))
    }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Replaces a file atomically, readable only by its owner.
fn write(folder: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(text.as_bytes())?;
    beside.as_file().sync_all()?;
    beside.persist(path)?;
    File::open(folder)?.sync_all()
}
