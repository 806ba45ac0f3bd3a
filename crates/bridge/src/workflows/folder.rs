//! The YAML files of a folder and those below it, with their texts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use askbridge_workflows::limits::{FILE_BYTES_MAX, FILES_MAX};
use askbridge_workflows::{Finding, FindingKind};

use super::loaded::Bounds;
use crate::regular::read_short;

/// Levels of folders that are searched. Deeper ones are left out.
const DEPTH_MAX: usize = 16;

/// What tells one version of a folder from the next.
pub(super) type Stamp = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// The texts of a folder's files by their names in it, and what could not be read.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) texts: Vec<(String, String)>,
    pub(super) unread: Vec<Finding>,
}

/// Lists the YAML files, in order, with what tells their versions apart. Links are not followed: they could lead anywhere.
pub(super) fn stamp(roots: &[PathBuf]) -> io::Result<Stamp> {
    let mut found = Vec::new();
    for root in roots {
        collect(root, 0, &mut found)?;
    }
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, depth: usize, found: &mut Stamp) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if found.len() > FILES_MAX {
            return Ok(());
        }
        if kind.is_dir() && depth < DEPTH_MAX {
            collect(&path, depth + 1, found)?;
        } else if kind.is_file() && path.extension().is_some_and(|end| end == "yaml" || end == "yml") {
            let metadata = entry.metadata()?;
            found.push((path, metadata.len(), metadata.modified().ok()));
        }
    }
    Ok(())
}

/// Reads the files of a listing, up to the bounds.
pub(super) fn texts(top: &Path, stamp: &Stamp, bounds: Bounds) -> Texts {
    let (mut read, mut bytes) = (Texts::default(), 0);
    for (path, ..) in stamp.iter().take(FILES_MAX + 1) {
        let file = path.strip_prefix(top).unwrap_or(path).to_string_lossy().into_owned();
        let text = read_short(path, FILE_BYTES_MAX as u64).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => format!("the file is too large; at most {FILE_BYTES_MAX} bytes are read"),
            _ => error.to_string(),
        });
        let text = text.and_then(|text| {
            bytes += text.len();
            match bytes <= bounds.bytes_max {
                true => Ok(text),
                false => Err(format!("it is not read: the files have more than {} bytes together", bounds.bytes_max)),
            }
        });
        match text {
            Ok(text) => read.texts.push((file, text)),
            Err(what) => read.unread.push(Finding { kind: FindingKind::Error, file, line: None, rule: None, what }),
        }
    }
    read
}
