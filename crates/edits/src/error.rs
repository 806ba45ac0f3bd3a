//! Errors of texts and of files.

use std::io;
use std::path::PathBuf;

/// Why a text was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("line {line}, column {column}: {why}")]
    Syntax { line: usize, column: usize, why: String },
    /// Our part would have to go where a value of another type is.
    #[error("line {line}: `{what}` is not {wanted}")]
    Shape { line: usize, what: String, wanted: &'static str },
    /// The name that we use is another program's.
    #[error("line {line}: there is already a `{name}` that is not askbridge's")]
    Taken { line: usize, name: String },
    /// Its own program would ignore the whole file.
    #[error("line {line}: there is {what}, and its program reads plain JSON only: it skips such a file whole")]
    NotPlain { line: usize, what: &'static str },
    #[error("`{what}` is written in a way that cannot be changed without touching the rest")]
    Unsupported { what: String },
    /// The check found that the change would have changed more than it should.
    #[error("the change would have touched more than what is askbridge's")]
    Unsure,
}

impl Trouble {
    /// Makes an error at a line and column, both from 1, as in editors.
    pub(crate) fn syntax(text: &str, at: usize, why: impl Into<String>) -> Self {
        let at = text.floor_char_boundary(at);
        let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        Self::Syntax { line: line_of(text, at), column: 1 + text[line_start..at].chars().count(), why: why.into() }
    }
}

pub(crate) fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count()
}

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("could not change `{}`", file.display())]
    Document {
        file: PathBuf,
        #[source]
        source: Trouble,
    },
    #[error("`{}` is not text: byte {at} is not UTF-8", file.display())]
    NotText { file: PathBuf, at: usize },
    #[error("`{}` is larger than settings are, {max} bytes", file.display())]
    TooLarge { file: PathBuf, max: u64 },
    #[error("`{}` is read-only", file.display())]
    ReadOnly { file: PathBuf },
    #[error("`{}` is not a file", file.display())]
    NotAFile { file: PathBuf },
    #[error("`{}` has {names} names (hard links), and would lose one of them", file.display())]
    HardLinks { file: PathBuf, names: u64 },
    #[error("another askbridge has been changing `{}` for too long", file.display())]
    Locked { file: PathBuf },
    #[error("`{}` is changed by another program again and again", file.display())]
    Restless { file: PathBuf },
    #[error("could not {doing} `{}`", file.display())]
    Io {
        doing: &'static str,
        file: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn io(doing: &'static str, file: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let file = file.into();
        move |source| Self::Io { doing, file, source }
    }
}
