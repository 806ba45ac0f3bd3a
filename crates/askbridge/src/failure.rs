//! The error that a person reads when a command fails: what happened, and what to try.

use std::fmt;
use std::io;

use crate::exit_codes::Exit;

/// A failed command.
#[derive(Debug)]
pub(crate) struct Failure {
    error: anyhow::Error,
    hint: Option<String>,
    pub(crate) exit: Exit,
}

impl Failure {
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        Self::from(anyhow::Error::msg(message.to_string()))
    }

    /// A command line that clap accepts and that is invalid all the same.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    /// Adds something to try, preferably something to type.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// Returns what happened, without the hint, for screens that show it elsewhere.
    pub(crate) fn what(&self) -> String {
        format!("{:#}", self.error)
    }

    /// Did the reader of our output close the pipe? Then there is no point in an error message.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        let cause = self.error.downcast_ref::<io::Error>();
        cause.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {:#}", self.error)?;
        match &self.hint {
            Some(hint) => write!(f, "\n\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self { error, hint: None, exit: Exit::Failed }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::from(anyhow::Error::from(error))
    }
}
