//! A tool call whose input is JSON.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};

use askbridge_core::ask::Approval;
use askbridge_core::rules::asks::{Call, Risks, Script};
use serde_json::Value;

use crate::exactly::digest;
use crate::risk;
use crate::shell;
use crate::tools::{PATH_GLOBS, PATHS, host};

/// A call, parsed when a rule looks at it.
#[derive(Debug)]
pub struct JsonCall<'a> {
    tool: &'a str,
    text: &'a str,
    /// `None` if it is not JSON.
    input: OnceCell<Option<Value>>,
    script: OnceCell<Option<Script>>,
    digest: OnceCell<Option<String>>,
    /// The hints, for the folder for which they were last looked up.
    risks: RefCell<Option<(Option<String>, Risks)>>,
}

/// The tools whose `command` is a shell's.
pub(crate) const SHELLS: &[&str] = &["Bash"];

impl<'a> JsonCall<'a> {
    /// An input that is not JSON has no fields; an empty one is an object without any.
    pub fn new(tool: &'a str, input: &'a str) -> Self {
        Self {
            tool,
            text: input,
            input: OnceCell::new(),
            script: OnceCell::new(),
            digest: OnceCell::new(),
            risks: RefCell::default(),
        }
    }

    pub(crate) fn input(&self) -> Option<&Value> {
        let read = || match self.text.trim().is_empty() {
            true => Some(Value::Null),
            false => serde_json::from_str(self.text).ok(),
        };
        self.input.get_or_init(read).as_ref()
    }
}

impl<'a> From<&'a Approval> for JsonCall<'a> {
    fn from(approval: &'a Approval) -> Self {
        Self::new(&approval.tool, approval.input.as_str())
    }
}

impl Call for JsonCall<'_> {
    fn tool(&self) -> &str {
        self.tool
    }

    fn field(&self, path: &str) -> Option<Cow<'_, str>> {
        let mut value = self.input()?;
        for name in path.split('.') {
            value = match value {
                Value::Object(fields) => fields.get(name)?,
                Value::Array(items) => items.get(name.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        match value {
            Value::String(text) => Some(Cow::Borrowed(text)),
            Value::Number(number) => Some(Cow::Owned(number.to_string())),
            Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    fn digest(&self) -> Option<String> {
        self.digest.get_or_init(|| Some(digest(self.tool, self.input()?))).clone()
    }

    fn is_readable(&self) -> bool {
        // A shell's tool without a command that is a text is as dark as an input that is not JSON.
        self.input().is_some() && (!SHELLS.contains(&self.tool) || self.script().is_some())
    }

    fn script(&self) -> Option<&Script> {
        let read = || {
            let command = SHELLS.contains(&self.tool).then(|| self.field("command")).flatten()?;
            Some(shell::script(&command))
        };
        self.script.get_or_init(read).as_ref()
    }

    fn risks(&self, folder: Option<&str>) -> Risks {
        if let Some((known, risks)) = &*self.risks.borrow()
            && known.as_deref() == folder
        {
            return *risks;
        }
        let risks = risk::of(self, folder);
        *self.risks.borrow_mut() = Some((folder.map(str::to_owned), risks));
        risks
    }

    fn words(&self, folder: Option<&str>) -> Option<Vec<String>> {
        let texts = self.looked_up(folder)?;
        if self.script().is_some() {
            return Some(texts.iter().flat_map(|text| beginnings(text)).collect());
        }
        let parts = texts.iter().flat_map(|path| path.split('/')).filter(|part| !part.is_empty());
        let parts = parts.flat_map(|part| [part.to_owned(), part.to_lowercase()]);
        Some(parts.chain(self.host()).collect())
    }

    fn texts(&self, folder: Option<&str>) -> Option<Vec<String>> {
        let texts = self.looked_up(folder)?;
        let lower = texts.iter().map(|text| text.to_lowercase()).filter(|_| self.script().is_none());
        let lower: Vec<_> = lower.chain(self.host()).collect();
        Some(texts.into_iter().map(Cow::into_owned).chain(lower).collect())
    }
}

impl JsonCall<'_> {
    /// What patterns for commands and paths are compared with. `None` if that is not known.
    fn looked_up<'t>(&'t self, folder: Option<&'t str>) -> Option<Vec<Cow<'t, str>>> {
        if !self.is_readable() || self.script().is_some_and(|script| script.is_beyond) {
            return None;
        }
        let Some(script) = self.script() else {
            let paths = PATHS.iter().chain(PATH_GLOBS).filter_map(|name| self.field(name));
            let trimmed = |path: Cow<'t, str>| match path {
                Cow::Borrowed(path) => [Cow::Borrowed(path), Cow::Borrowed(path.trim())],
                Cow::Owned(path) => [Cow::Owned(path.clone()), Cow::Owned(path)],
            };
            return Some(paths.flat_map(trimmed).chain(folder.map(Cow::Borrowed)).collect());
        };
        let plain = script.plain.iter().flatten().map(|part| part.text.as_str());
        let texts = plain.chain(script.suspects.iter().map(String::as_str)).chain([script.text.as_str()]);
        Some(texts.map(Cow::Borrowed).collect())
    }

    fn host(&self) -> Option<String> {
        self.field("url").and_then(|url| host(&url))
    }
}

/// The first word of a command, and the first two.
fn beginnings(text: &str) -> impl Iterator<Item = String> {
    let mut words = text.split([' ', '\t', '\n']).filter(|word| !word.is_empty());
    let (first, second) = (words.next(), words.next());
    let both = first.zip(second).map(|(first, second)| format!("{first} {second}"));
    first.map(str::to_owned).into_iter().chain(both)
}
