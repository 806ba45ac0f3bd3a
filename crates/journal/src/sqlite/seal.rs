//! The seal: a digest of the index, written when it is closed, to detect a later change without reading the journal.
//!
//! The index has no checksums of its own, unlike the journal. Reading its file once is quick (a gigabyte in about a
//! second), comparing it with the journal is not. After a crash there is no seal, and the index is compared: row by row
//! if it is short, and otherwise only by SQLite's own check.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::open::make_new_file;

const CHUNK: usize = 256 * 1024;

/// What the seal says about the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sealed {
    /// It is unchanged.
    Whole,
    Broken,
    /// It was not closed in order, or by a release that does not seal.
    Never,
}

/// Checks the seal and removes it, because it says nothing about later writes.
pub(super) fn open(index: &Path) -> Sealed {
    let path = seal_of(index);
    let Ok(text) = fs::read_to_string(&path) else { return Sealed::Never };
    if fs::remove_file(&path).is_err() {
        return Sealed::Never;
    }
    let log = with_ending(index, "-wal");
    let is_folded = fs::metadata(log).map_or(0, |meta| meta.len()) == 0;
    match digest(index) {
        Ok(found) if is_folded && found == text.trim() => Sealed::Whole,
        _ => Sealed::Broken,
    }
}

/// Seals an index whose log is empty, and that is no longer written.
pub(super) fn close(index: &Path) -> io::Result<()> {
    let (path, beside) = (seal_of(index), with_ending(index, ".seal-new"));
    let text = digest(index)?;
    let _ = fs::remove_file(&beside);
    make_new_file(&beside).map_err(io::Error::other)?;
    fs::write(&beside, text)?;
    fs::rename(beside, path)
}

pub(crate) fn seal_of(index: &Path) -> PathBuf {
    with_ending(index, ".seal")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Computes a digest of a file. Each step is invertible for a given word, so two files that differ in one word always
/// have different digests.
fn digest(path: &Path) -> io::Result<String> {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut file = File::open(path)?;
    let (mut chunk, mut digest, mut bytes) = (vec![0; CHUNK], ODD, 0_u64);
    loop {
        let filled = fill(&mut file, &mut chunk)?;
        for word in chunk[..filled].chunks(8) {
            let mut whole = [0; 8];
            whole[..word.len()].copy_from_slice(word);
            digest = (digest ^ u64::from_le_bytes(whole)).wrapping_mul(ODD).rotate_left(29);
        }
        bytes += filled as u64;
        if filled < CHUNK {
            return Ok(format!("{bytes} {digest:016x}"));
        }
    }
}

fn fill(file: &mut File, chunk: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < chunk.len() {
        match file.read(&mut chunk[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_was_changed_breaks_the_seal_wherever_it_is() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("index.db");
        let bytes: Vec<u8> = (0..CHUNK + 1003).map(|at| (at % 251) as u8).collect();
        fs::write(&path, &bytes).unwrap();
        assert_eq!(open(&path), Sealed::Never);
        close(&path).unwrap();
        assert_eq!(open(&path), Sealed::Whole);
        assert_eq!(open(&path), Sealed::Never, "it is taken away");
        for at in [0, 7, 8, CHUNK - 1, CHUNK, bytes.len() - 1] {
            close(&path).unwrap();
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            fs::write(&path, &changed).unwrap();
            assert_eq!(open(&path), Sealed::Broken, "{at}");
            fs::write(&path, &bytes).unwrap();
        }
        close(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(open(&path), Sealed::Broken, "it was cut");
    }
}
