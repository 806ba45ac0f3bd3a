//! Errors between a client and the server.

use std::io;

use serde::Deserialize;

use super::ask::By;
use super::time::Moment;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::visible;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No server listens. Nothing was sent.
    #[error("{}", unreachable(place, source, *is_elsewhere))]
    Unreachable {
        place: String,
        #[source]
        source: io::Error,
        /// At a URL, not on this machine.
        is_elsewhere: bool,
    },
    /// A server listens that we do not trust. Nothing was sent.
    #[error("the connection to {place} cannot be trusted: {why}")]
    Untrusted { place: String, why: String },
    /// The connection was lost after something was sent, which may have been done or not.
    #[error("the connection to askbridge at {place} was lost: {why}")]
    Lost { place: String, why: String },
    /// The askbridge that this machine is connected to does not know it any more.
    #[error("{place} does not know this machine any more: its connection was revoked there")]
    Disconnected { place: String },
    #[error("{0}")]
    Refused(Box<Problem>),
    #[error("askbridge said something that makes no sense here: {0}")]
    Strange(String),
}

/// A refusal in the server's words.
#[derive(Debug, Deserialize)]
pub(crate) struct Problem {
    pub(crate) status: u16,
    pub(crate) code: String,
    pub(crate) detail: String,
    #[serde(default)]
    pub(crate) retry: bool,
    #[serde(default)]
    pub(crate) errors: Vec<Part>,
    pub(crate) winner: Option<Winner>,
    /// The code that a device shows with the tap for this machine.
    pub(crate) tap_code: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Part {
    pub(crate) question: Option<String>,
    pub(crate) detail: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Winner {
    pub(crate) by: Option<By>,
    pub(crate) at: Moment,
}

impl Error {
    /// Does a paired device have to agree first?
    pub(crate) fn needs_a_tap(&self) -> bool {
        matches!(self, Self::Refused(problem) if problem.code == "tap_needed")
    }

    /// The code that the device shows that has to agree.
    pub(crate) fn tap_code(&self) -> Option<String> {
        match self {
            Self::Refused(problem) => problem.tap_code.clone(),
            _ => None,
        }
    }

    /// Is it worth trying again? A retry has to send the same key.
    pub(crate) fn passes(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Lost { .. } => true,
            Self::Refused(problem) => problem.retry,
            Self::Strange(_) | Self::Untrusted { .. } | Self::Disconnected { .. } => false,
        }
    }
}

fn unreachable(place: &str, source: &io::Error, is_elsewhere: bool) -> String {
    match is_elsewhere {
        // The reason distinguishes a name that does not exist from a server that is down.
        true => format!("askbridge cannot be reached at {place}: {source}"),
        false => format!("askbridge is not running: nothing listens at {place}"),
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&visible(&self.detail))?;
        for part in &self.errors {
            match &part.question {
                Some(question) => write!(f, "\n  {}: {}", visible(question), visible(&part.detail))?,
                None => write!(f, "\n  {}", visible(&part.detail))?,
            }
        }
        Ok(())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let hint = match &error {
            Error::Unreachable { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some("it belongs to another user; set ASKBRIDGE_DATA, or use a token")
            }
            Error::Unreachable { is_elsewhere: true, .. } => {
                Some("is the URL right, and does the server run? `curl URL/healthz` says so")
            }
            Error::Unreachable { .. } => Some("start it with `askbridge`, and leave it running"),
            Error::Untrusted { .. } => {
                Some("if an authority of your own vouches for it, name its certificate with `--authorities FILE`")
            }
            Error::Disconnected { place } => {
                let hint = format!("connect it again with `askbridge connect {place}`, or type `askbridge disconnect`");
                return Failure::new(&error).hint(hint);
            }
            Error::Refused(problem) if problem.status == 401 => {
                Some("make a token with `askbridge token create NAME` or `askbridge pair --print-token`")
            }
            _ => None,
        };
        let exit = match &error {
            Error::Unreachable { .. } | Error::Untrusted { .. } => Exit::Unreachable,
            _ => Exit::Failed,
        };
        // The text is complete; the system's "No such file or directory" after it would only confuse.
        let failure = Failure::new(&error).exit(exit);
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}
