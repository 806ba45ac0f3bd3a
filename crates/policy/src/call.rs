//! A tool call whose input is JSON.

use std::borrow::Cow;
use std::cell::OnceCell;

use askbridge_core::ask::Approval;
use askbridge_core::rules::asks::{Call, Script};
use serde_json::Value;

use crate::shell;
use crate::tools::PATHS;

/// A call, parsed when a rule looks at it.
#[derive(Debug)]
pub struct JsonCall<'a> {
    tool: &'a str,
    text: &'a str,
    input: OnceCell<Value>,
    script: OnceCell<Option<Script>>,
}

/// The tools whose `command` is a shell's.
const SHELLS: &[&str] = &["Bash"];

impl<'a> JsonCall<'a> {
    /// An input that is not JSON has no fields.
    pub fn new(tool: &'a str, input: &'a str) -> Self {
        Self { tool, text: input, input: OnceCell::new(), script: OnceCell::new() }
    }

    fn input(&self) -> &Value {
        self.input.get_or_init(|| serde_json::from_str(self.text).unwrap_or(Value::Null))
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
        let mut value = self.input();
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

    fn script(&self) -> Option<&Script> {
        let read = || {
            let command = SHELLS.contains(&self.tool).then(|| self.field("command")).flatten()?;
            Some(shell::script(&command))
        };
        self.script.get_or_init(read).as_ref()
    }

    fn words(&self, folder: Option<&str>) -> Vec<String> {
        if let Some(script) = self.script() {
            let plain = script.plain.iter().flatten().map(|part| part.text.as_str());
            let texts = plain.chain(script.suspects.iter().map(String::as_str)).chain([script.text.as_str()]);
            return texts.flat_map(beginnings).collect();
        }
        let paths: Vec<_> = PATHS.iter().filter_map(|name| self.field(name)).collect();
        let parts = paths.iter().map(|path| path.as_ref()).chain(folder).flat_map(|path| path.split('/'));
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }
}

/// The first word of a command, and the first two.
fn beginnings(text: &str) -> impl Iterator<Item = String> {
    let mut words = text.split([' ', '\t', '\n']).filter(|word| !word.is_empty());
    let (first, second) = (words.next(), words.next());
    let both = first.zip(second).map(|(first, second)| format!("{first} {second}"));
    first.map(str::to_owned).into_iter().chain(both)
}
