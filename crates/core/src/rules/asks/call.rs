//! The tool call that an approval is about, as far as rules look at it, and conditions on it.

use std::borrow::Cow;
use std::fmt;

use super::risk::Risks;

/// A tool call. Behind a trait, because its input is JSON and its command is a shell's, and this crate parses neither.
pub trait Call {
    fn tool(&self) -> &str;

    /// Returns the text of an input field, found by a dotted path: `command`, `edits.0.path`. Numbers and flags as JSON
    /// writes them. `None` if there is no such field, or it is a list, an object or null.
    fn field(&self, path: &str) -> Option<Cow<'_, str>>;

    /// Returns the SHA-256 of the tool's name and its whole input, in hex, the same however the input's fields are
    /// ordered and spaced. Fields that only describe the call to people do not count. `None` if it cannot be read.
    fn digest(&self) -> Option<String>;

    /// Could the input be read? If not, a rule that denies or asks must not be evaded by that.
    fn is_readable(&self) -> bool;

    /// The commands that a shell would run, if this is a shell's tool.
    fn script(&self) -> Option<&Script>;

    /// Returns the hints on what the call may do, for a session in this folder. All of them if it cannot be read.
    fn risks(&self, folder: Option<&str>) -> Risks;

    /// Words under which rules for this call are found, each of which some [`Anchor`] may have. More than needed costs
    /// time; one too few, and a rule is not found. `None`: they are not known, and any rule for the tool may match.
    fn words(&self, folder: Option<&str>) -> Option<Vec<String>>;
}

/// The commands of a shell's input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// The command as it is.
    pub text: String,
    /// One for each simple command, if all of the text could be understood: nothing in it is expanded, redirected to a
    /// file, put in the background or run by a construct of the shell. `None`: no one knows what would run.
    pub plain: Option<Vec<Part>>,
    /// Every text that may run as a command, without quotes, assignments and wrappers like `sudo`: more rather than
    /// less.
    pub suspects: Vec<String>,
    /// Is there more in it than was looked at? Then anything may run.
    pub is_beyond: bool,
}

/// One simple command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// Its words as they were written, with single blanks between.
    pub text: String,
    /// How many bytes of the text are assignments (`NODE_ENV=test `) before the command.
    pub assigned_bytes: usize,
}

/// How much of a call has to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaning {
    /// Every part: the rule would let the call run.
    Every,
    /// One part is enough: the rule denies the call or sends it to a person.
    Any,
}

/// The `tool` of a rule: one or several patterns, compiled.
pub trait ToolCondition: fmt::Debug + fmt::Display + Send + Sync {
    fn holds(&self, call: &dyn Call, folder: Option<&str>, leaning: Leaning) -> bool;

    /// Names under which the rule is found: it holds for no call that has none of them. `None`: it may hold for any.
    fn anchors(&self) -> Option<Vec<Anchor>>;
}

/// A tool's name, and a word that every call has which the pattern matches: the beginning of a command, a part of a
/// path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Anchor {
    pub tool: String,
    pub word: Option<String>,
}
