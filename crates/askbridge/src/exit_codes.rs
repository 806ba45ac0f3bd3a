//! All exit codes, in one list. Scripts rely on the numbers: they never change.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Good,
    Failed,
    Usage,
    Dismissed,
    Expired,
    Withdrawn,
    Unreachable,
    NotExecutable,
    NotFound,
    Interrupted,
}

/// The exit codes of `askbridge ask`, for its help.
const ASK: &[(Exit, &str)] = &[
    (Exit::Good, "answered; the answer is on stdout (if a rule answered, stderr says so)"),
    (Exit::Failed, "something else went wrong; stderr says what"),
    (Exit::Usage, "unknown flag or missing argument; see --help"),
    (Exit::Dismissed, "closed without an answer; their words, if any, are on stderr"),
    (Exit::Expired, "nobody answered in time; with `assume:`, the assumed answer is on stdout"),
    (Exit::Withdrawn, "withdrawn or overtaken: the answer is no longer needed"),
    (Exit::Unreachable, "askbridge is not running; the question was not asked, unless stderr names a key"),
    (Exit::Interrupted, "interrupted with Ctrl-C; the question was withdrawn"),
];

impl Exit {
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Dismissed => 10,
            Self::Expired => 11,
            Self::Withdrawn => 12,
            Self::Unreachable => 13,
            // As shells use them: found but not executable, not found, ended by SIGINT.
            Self::NotExecutable => 126,
            Self::NotFound => 127,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

/// Returns the list of `askbridge ask`, one line for each code.
pub(crate) fn of_ask() -> String {
    let lines = ASK.iter().map(|(exit, meaning)| format!("  {:>3}  {meaning}\n", exit.number()));
    lines.collect()
}
