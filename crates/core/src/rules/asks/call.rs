//! The tool call that an approval is about, as far as rules look at it, and conditions on it.

use std::borrow::Cow;
use std::fmt;

use super::needs::of_need;
use super::patterns::TextPattern;
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

    /// Words under which rules for this call are found, each of which some [`Need::Word`] may be. More than needed costs
    /// time; one too few, and a rule is not found. `None`: they are not known, and any rule may match.
    fn words(&self, folder: Option<&str>) -> Option<Vec<String>>;

    /// Texts in which a [`Need::Text`] is looked for, on the same conditions.
    fn texts(&self, folder: Option<&str>) -> Option<Vec<String>>;
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

    /// The ways in which it can hold, and all that a call has then. A way without needs: it may hold for any call.
    fn needs(&self) -> Vec<Vec<Need>>;
}

/// What a call has for which a [`ToolCondition`] holds. Rules are found by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// The tool's name is like this.
    Tool(TextPattern),
    /// This is one of [`Call::words`]: the beginning of a command, a part of a path.
    Word(String),
    /// This is in one of [`Call::texts`].
    Text(String),
    /// The field at this path is like this, or the input cannot be read.
    Field(String, TextPattern),
}

impl Need {
    /// Are rules found by it? A short text is not looked for.
    pub fn finds_rules(&self) -> bool {
        !of_need(self).is_empty()
    }
}
