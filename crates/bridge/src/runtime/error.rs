//! Translates failures of the journal into rejections.

use std::error::Error;

use askbridge_journal::fault::Fault;
use askbridge_journal::journal::AppendError;
use askbridge_peers::wish::Rejection;

pub(crate) fn from_append(error: &AppendError) -> Rejection {
    match error {
        AppendError::TooLarge { .. } | AppendError::Malformed(_) => Rejection::TooLarge(error.to_string()),
        AppendError::Conflict => Rejection::Down("too many decided at the same moment; try again".to_owned()),
        AppendError::Unknown | AppendError::ReadOnly(_) | AppendError::Down(_) => down(error),
    }
}

/// Translates any other failure of the store. The rejection tells its causes.
pub(crate) fn down(error: impl Error) -> Rejection {
    Rejection::Down(chain(&error))
}

/// Writes an error and its causes in one line, without the names of our files: clients read it. The store logs them
/// where it failed.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let told = error.downcast_ref::<Fault>().and_then(Fault::told);
        let is_whole = told.is_some();
        let text = told.unwrap_or_else(|| error.to_string());
        if !line.ends_with(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
        cause = error.source().filter(|_| !is_whole);
    }
    line
}
