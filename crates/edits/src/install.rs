//! Puts our parts into a file, and takes them out again.

use std::path::{Path, PathBuf};

use crate::diff::unified;
use crate::doc::Format;
use crate::edit::{apply, read as understand, strip};
use crate::error::{Error, Trouble};
use crate::file::{self, LockedFile};
use crate::json::{BeyondJson, beyond_json};
use crate::part::Part;
use crate::receipt::{Original, Receipts};

/// How often a file may change while we edit it. Beyond: refused.
const TRIES_MAX: usize = 8;

/// A file of another program, and our parts of it.
#[derive(Debug, Clone)]
pub struct Target {
    pub file: PathBuf,
    pub format: Format,
    pub parts: Vec<Part>,
    /// Does its own program read plain JSON only? Then we put nothing into a text with comments or trailing commas,
    /// because the program would ignore it. We still take our parts out of one.
    pub plain_json: bool,
    /// Does its own program lock it with a folder `FILE.lock`?
    pub locked_by_folder: bool,
    /// Where receipts and copies are kept.
    pub receipts: PathBuf,
}

/// A change of a file, made or planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub file: PathBuf,
    /// `None`: there was no file.
    pub before: Option<String>,
    /// `None`: the file is removed.
    pub after: Option<String>,
    /// A copy of the file as it was before us.
    pub backup: Option<PathBuf>,
}

impl Change {
    pub fn is_none(&self) -> bool {
        self.before == self.after
    }

    pub fn diff(&self) -> String {
        unified(&self.file.display().to_string(), self.before.as_deref(), self.after.as_deref())
    }
}

/// Puts everything wanted into the file. `dry`: only returns the change.
pub fn install(target: &Target, dry: bool) -> Result<Change, Error> {
    change(target, dry, |plan, before| {
        let text = before.unwrap_or_default();
        if plan.target.plain_json
            && let Some(BeyondJson { line, what }) = beyond_json(text)
        {
            return Err(plan.trouble(Trouble::NotPlain { line, what }));
        }
        let after = apply(plan.target.format, text, &plan.target.parts).map_err(|trouble| plan.trouble(trouble))?;
        Ok(Some(after))
    })
}

/// Takes our parts out of the file: restores the original bytes if nothing else changed since, otherwise removes only
/// our parts.
pub fn uninstall(target: &Target, dry: bool) -> Result<Change, Error> {
    change(target, dry, |plan, before| {
        let Some(before) = before else { return Ok(None) };
        Ok(match plan.original(before)? {
            Original::NoFile => None,
            Original::Text(text) => Some(text),
        })
    })
}

/// What is needed to compute a file's new text.
struct Plan<'a> {
    target: &'a Target,
    file: &'a Path,
    receipts: &'a Receipts,
}

impl Plan<'_> {
    fn trouble(&self, source: Trouble) -> Error {
        Error::Document { file: self.file.to_owned(), source }
    }

    /// Returns what the file would be without us.
    fn original(&self, now: &str) -> Result<Original, Error> {
        let Target { format, parts, .. } = self.target;
        let receipt = self.receipts.load();
        let before = receipt.as_ref().and_then(|receipt| self.receipts.original(receipt));
        if let (Some(receipt), Some(before)) = (&receipt, &before)
            && receipt.wrote(now)
        {
            return Ok(before.clone());
        }
        let text = match &before {
            Some(Original::Text(text)) => Some(text.as_str()),
            Some(Original::NoFile) | None => None,
        };
        let left = strip(*format, now, parts, text).map_err(|trouble| self.trouble(trouble))?;
        // If there was no file, and nothing is left in it, it is removed again.
        let is_empty = understand(*format, &left).is_ok_and(|node| node.is_empty()) && left != now;
        let has_comments = left.contains("//") || left.contains("/*") || left.contains('#');
        Ok(match before {
            Some(Original::NoFile) if is_empty && !has_comments => Original::NoFile,
            _ => Original::Text(left),
        })
    }
}

fn change(
    target: &Target,
    dry: bool,
    wanted: impl Fn(&Plan<'_>, Option<&str>) -> Result<Option<String>, Error>,
) -> Result<Change, Error> {
    let file = file::behind_links(&target.file)?;
    let receipts = Receipts::of(&target.receipts, &file);
    let plan = Plan { target, file: &file, receipts: &receipts };
    let look = || -> Result<Change, Error> {
        let before = file::read(&file)?;
        let after = wanted(&plan, before.as_deref())?;
        Ok(Change { file: target.file.clone(), before, after, backup: None })
    };
    // A dry run creates and locks nothing.
    let first = look()?;
    if dry || first.is_none() {
        return Ok(first);
    }
    file::may_change(&file)?;
    let held = LockedFile::hold(&file, target.locked_by_folder)?;
    for _ in 0..TRIES_MAX {
        let mut change = look()?;
        if change.is_none() {
            return Ok(change);
        }
        if put(&plan, &held, &mut change)? {
            return Ok(change);
        }
    }
    Err(Error::Restless { file })
}

/// Makes the change, with the receipt first. Returns `false` if another program changed the file meanwhile.
fn put(plan: &Plan<'_>, held: &LockedFile, change: &mut Change) -> Result<bool, Error> {
    let (receipts, before) = (plan.receipts, change.before.as_deref());
    let former = receipts.load();
    let is_first = former.is_none();
    let folders = former.map(|former| former.folders).filter(|folders| !folders.is_empty());
    let folders = folders.unwrap_or_else(|| held.made.clone());
    let is_ours_left = match &change.after {
        Some(after) => strip(plan.target.format, after, &plan.target.parts, None).is_ok_and(|left| left != *after),
        None => false,
    };
    if is_ours_left && let Some(after) = &change.after {
        let original = match before {
            Some(before) => plan.original(before)?,
            None => Original::NoFile,
        };
        change.backup = receipts.note(plan.file, &original, after, folders)?;
        let written = held.write(before, after);
        if written.is_err() && is_first {
            receipts.forget();
            file::remove_folders(&held.made);
        }
        return written;
    }
    let done = match &change.after {
        Some(after) => held.write(before, after)?,
        None => held.remove(before)?,
    };
    if done {
        receipts.forget();
        if change.after.is_none() {
            file::remove_folders(&folders);
        }
    }
    Ok(done)
}
