//! The watermark: the journal's last position, in a file beside it, to detect a journal that lost its end.
//!
//! SQLite finds nothing wrong with a journal whose log (`askbridge.db-wal`) was deleted or cut, nor with one that was
//! replaced by an older copy: it is intact, and ends earlier. Continuing there would reuse positions, and the loss of
//! acknowledged entries would go unnoticed. The mark is written after each commit, and not synced: it may be behind the
//! journal on disk, never ahead of it.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::error::Error;
use super::open::open_to_read;
use super::projector::INDEX_FILE;
use crate::index::load_cursor;

pub(crate) const WATERMARK_FILE: &str = "watermark";

/// A journal, and a position that was used in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The journal's id.
    pub(crate) identity: u64,
    pub(crate) newest: u64,
}

impl Mark {
    /// Of constant length, so that it overwrites an earlier mark completely.
    fn text(self) -> String {
        let Self { identity, newest } = self;
        format!("journal {identity:016x} position {newest:020} check {:016x}\n", self.check())
    }

    /// `None` for a partial mark, which a crash may leave.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let mut after = |name: &str| (words.next()? == name).then(|| words.next())?;
        let identity = u64::from_str_radix(after("journal")?, 16).ok()?;
        let newest = after("position")?.parse().ok()?;
        let check = u64::from_str_radix(after("check")?, 16).ok()?;
        Some(Self { identity, newest }).filter(|mark| mark.check() == check)
    }

    fn check(self) -> u64 {
        (self.identity ^ 0x9e37_79b9_7f4a_7c15)
            .wrapping_mul(self.newest.wrapping_mul(2).wrapping_add(1))
            .rotate_left(31)
    }
}

/// The watermark of an open journal.
#[derive(Debug)]
pub(crate) struct Watermark {
    file: File,
    identity: u64,
}

impl Watermark {
    pub(super) fn open(dir: &Path, mark: Mark) -> Result<Self, Error> {
        let path = dir.join(WATERMARK_FILE);
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = file.map_err(|source| Error::Io { what: "open", path, source })?;
        let watermark = Self { file, identity: mark.identity };
        watermark.note(mark.newest);
        Ok(watermark)
    }

    /// Records that everything up to `newest` is durable.
    pub(crate) fn note(&self, newest: u64) {
        let mark = Mark { identity: self.identity, newest };
        // An old mark does no harm; it only detects less.
        let _ = self.file.write_all_at(mark.text().as_bytes(), 0);
    }
}

/// The last position of a journal, as recorded beside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordedEnd {
    mark: Mark,
    /// The watermark says so. Otherwise it is from the index, which may belong to another journal without anything
    /// being wrong: it is then rebuilt.
    is_marked: bool,
}

/// Reads the watermark, and the index, which is all that older releases left.
pub(crate) fn known(dir: &Path) -> Result<Option<RecordedEnd>, Error> {
    let known = match (read(dir)?, indexed(dir)) {
        (Some(mark), Some(index)) if mark.identity == index.identity => {
            Some(RecordedEnd { mark: Mark { newest: mark.newest.max(index.newest), ..mark }, is_marked: true })
        }
        (Some(mark), _) => Some(RecordedEnd { mark, is_marked: true }),
        (None, index) => index.map(|mark| RecordedEnd { mark, is_marked: false }),
    };
    Ok(known.filter(|known| known.mark.newest > 0))
}

impl RecordedEnd {
    /// Is the journal that was found the one that was here, with its end? `None` if none was found.
    pub(crate) fn check(&self, path: &Path, found: Option<Mark>) -> Result<(), Error> {
        let (path, known) = (path.to_owned(), self.mark.newest);
        match found {
            None => Err(Error::Lost { path, found: 0, known }),
            Some(found) if found.identity == self.mark.identity && found.newest < known => {
                Err(Error::Lost { path, found: found.newest, known })
            }
            Some(found) if found.identity != self.mark.identity && self.is_marked => Err(Error::Replaced { path }),
            Some(_) => Ok(()),
        }
    }
}

fn read(dir: &Path) -> Result<Option<Mark>, Error> {
    let path = dir.join(WATERMARK_FILE);
    match fs::read_to_string(&path) {
        Ok(text) => {
            let mark = Mark::parse(&text);
            if mark.is_none() {
                tracing::warn!(path = %path.display(), "The watermark cannot be read and is made anew");
            }
            Ok(mark)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Io { what: "read", path, source }),
    }
}

/// The last position in the index. An index that cannot be read says nothing, and is rebuilt.
fn indexed(dir: &Path) -> Option<Mark> {
    let index = dir.join(INDEX_FILE);
    if !index.exists() {
        return None;
    }
    let cursor = open_to_read(&index).and_then(|conn| load_cursor(&conn)).ok().flatten()?;
    Some(Mark { identity: cursor.journal(), newest: *cursor.places().first()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_reads_as_it_was_written_and_half_a_one_not_at_all() {
        for (identity, newest) in [(0, 0), (7, 1), (u64::MAX, u64::MAX), (1 << 63, 42)] {
            let mark = Mark { identity, newest };
            let text = mark.text();
            assert_eq!(Mark::parse(&text), Some(mark));
            assert_eq!(text.len(), Mark { identity: 1, newest: 1 }.text().len());
            let torn = format!("{}{}", &text[..30], &Mark { identity, newest: newest ^ 5 }.text()[30..]);
            assert_ne!(Mark::parse(&torn), Some(mark));
            assert_eq!(Mark::parse(&text[..text.len() - 3]), None);
        }
    }
}
