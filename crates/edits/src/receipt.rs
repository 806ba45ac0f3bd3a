//! What was there before: a receipt for each file that we changed, and a copy of its bytes.

use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::Error;

/// What we noted about a file. Written before the file itself, so that it is never changed without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Receipt {
    /// For whoever reads it; files are found by a hash of their path.
    file: String,
    /// The name of the copy of what was there; `None` if there was no file.
    original: Option<String>,
    /// Hashes of what we wrote, or were about to write. A file that is one of these holds nothing new of the person's.
    written: Vec<String>,
    /// Folders that we made for the file, the outermost first.
    pub(crate) folders: Vec<PathBuf>,
}

/// Texts of ours that a receipt remembers. Beyond: the oldest is forgotten, and would be taken for the person's work.
const WRITTEN_MAX: usize = 16;

/// The receipts, in a folder that is the person's alone.
pub(crate) struct Receipts {
    folder: PathBuf,
    id: String,
}

impl Receipts {
    /// Those of one file behind links.
    pub(crate) fn of(folder: &Path, file: &Path) -> Self {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let hash = hash(file.as_os_str().as_bytes());
        Self { folder: folder.to_owned(), id: format!("{}-{}", name.trim_start_matches('.'), &hash[..16]) }
    }

    /// One that cannot be read counts as lost; there is a way back without.
    pub(crate) fn load(&self) -> Option<Receipt> {
        serde_json::from_slice(&fs::read(self.path()).ok()?).ok()
    }

    /// The bytes that were there before. `None` if the copy is lost.
    pub(crate) fn original(&self, receipt: &Receipt) -> Option<Original> {
        let Some(name) = &receipt.original else { return Some(Original::NoFile) };
        let text = fs::read_to_string(self.folder.join(name)).ok()?;
        Some(Original::Text(text))
    }

    /// Notes what was there before and what will be there now. Returns where the copy is.
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
        // A receipt about another original says nothing about this one.
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

    /// Throws the receipt and the copy away: nothing of ours is left.
    pub(crate) fn forget(&self) {
        if let Some(original) = self.load().and_then(|receipt| receipt.original) {
            let _ = fs::remove_file(self.folder.join(original));
        }
        let _ = fs::remove_file(self.path());
        // Goes when it is empty.
        let _ = fs::remove_dir(&self.folder);
    }

    fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.id))
    }
}

/// What was there before us.
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

/// Writes beside and renames, for nobody else to read.
fn write(folder: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(text.as_bytes())?;
    beside.as_file().sync_all()?;
    beside.persist(path)?;
    File::open(folder)?.sync_all()
}
