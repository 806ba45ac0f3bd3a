//! The descriptions of each form of value: what to write instead, its name in the help and the reference, and its TOML
//! type.

use askbridge_core::verdict::spoken;
use toml::de::DeValue;

use super::kind::{Form, items};

impl Form {
    /// What to write, for people who wrote something invalid.
    pub fn expects(self) -> String {
        match self {
            Self::Address => "an address with a port, like 127.0.0.1:4760".to_owned(),
            Self::Folder => "the path of a folder".to_owned(),
            Self::Folders => "paths of folders, with colons between".to_owned(),
            Self::File => "the path of a file".to_owned(),
            Self::Journal => "sqlite, or addresses of NATS servers, like nats://a:4222,b:4222".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Secret => "a token".to_owned(),
            Self::Url => "an address like `https://ask.example.org`, without a path".to_owned(),
            Self::Endpoint => "an address like `https://acme.example/directory`".to_owned(),
            Self::Word => "a word, like shortlived".to_owned(),
            Self::Collector => "the address of a collector, like `http://127.0.0.1:4318`; or none".to_owned(),
            Self::Hosts => "a list, like [\"ask.example.org\"]".to_owned(),
            Self::Origins => "a list, like [\"https://desk.example.org\"]".to_owned(),
            Self::Dialects => "a list, like [\"prime\", \"ccc=127.0.0.1:8000\"]".to_owned(),
            Self::Tools => "a list, like [\"Bash\", \"mcp__github__*\"]".to_owned(),
            Self::Ranges => "a list, like [\"10.0.0.0/8\"]".to_owned(),
            Self::Waits => "a list, like [\"codex=4m\", \"30s\"]".to_owned(),
            Self::Level => "error, warn, info or debug".to_owned(),
            Self::OneOf(words) => words().join(" or "),
            Self::Span { or, max } => format!("a span of time up to {}, like 30s, 10m or 2h; or {or}", spoken(max)),
            Self::Spans { max } => format!("a list of spans of time up to {}, like [\"10m\", \"1h\"]", spoken(max)),
            Self::Hours => "times of day, like 22:00-07:00".to_owned(),
            Self::Count { max } => format!("a number from 1 to {max}"),
            Self::Bytes { or } => format!("an amount of memory, like 512M or 2G; or {or}"),
            Self::YesNo => "true or false".to_owned(),
        }
    }

    /// How the reference writes the type.
    pub(crate) fn shape(self) -> String {
        match self {
            Self::Address => "address with a port".to_owned(),
            Self::Folder | Self::File => "path".to_owned(),
            Self::Folders => "paths with colons between".to_owned(),
            Self::Journal => "`sqlite`, or `nats://` or `tls://` and names or addresses with commas between".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Secret => "token".to_owned(),
            Self::Url => "`http://` or `https://`, a name, no path".to_owned(),
            Self::Endpoint => "`https://`, a name, a path".to_owned(),
            Self::Word => "word".to_owned(),
            Self::Collector => "`http://`, a name or an address, and a port; or `none`".to_owned(),
            Self::Hosts
            | Self::Origins
            | Self::Dialects
            | Self::Tools
            | Self::Ranges
            | Self::Waits
            | Self::Spans { .. } => "list of texts; with commas in the environment and in flags".to_owned(),
            Self::Level => "`error`, `warn`, `info`, `debug`".to_owned(),
            Self::OneOf(words) => words().iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
            Self::Span { or, max } => format!("span of time up to {}, or `{or}`", spoken(max)),
            Self::Hours => "times of day, like `22:00-07:00`".to_owned(),
            Self::Count { max } => format!("number from 1 to {max}"),
            Self::Bytes { or } => format!("bytes with `K`, `M` or `G`, or `{or}`"),
            Self::YesNo => "`true` or `false`".to_owned(),
        }
    }

    /// How the help names it.
    pub(crate) fn value_name(self) -> &'static str {
        match self {
            Self::Address => "ADDRESS",
            Self::Folder => "FOLDER",
            Self::Folders => "FOLDERS",
            Self::File => "FILE",
            Self::Journal => "SERVERS",
            Self::Text | Self::Word | Self::OneOf(_) => "WORD",
            Self::Secret => "TOKEN",
            Self::Url | Self::Endpoint | Self::Collector => "URL",
            Self::Hosts => "NAMES",
            Self::Origins => "ORIGINS",
            Self::Dialects => "NAME[=ADDRESS]",
            Self::Tools => "TOOLS",
            Self::Ranges => "ADDRESSES",
            Self::Waits => "[NAME=]SPAN",
            Self::Bytes { .. } => "BYTES",
            Self::Level => "LEVEL",
            Self::Span { .. } => "SPAN",
            Self::Spans { .. } => "SPANS",
            Self::Hours => "HOURS",
            Self::Count { .. } => "NUMBER",
            Self::YesNo => "YES_OR_NO",
        }
    }

    pub fn is_list(self) -> bool {
        matches!(
            self,
            Self::Hosts
                | Self::Origins
                | Self::Dialects
                | Self::Tools
                | Self::Ranges
                | Self::Waits
                | Self::Spans { .. }
        )
    }

    /// May a flag be given more than once?
    pub(crate) fn is_repeated(self) -> bool {
        matches!(self, Self::Dialects | Self::Waits)
    }

    pub(crate) fn wrong(self, text: &str) -> String {
        format!("`{text}` is not {}", self.expects())
    }

    /// Normalizes a text: without surrounding spaces, and in one spelling if there are several.
    pub(crate) fn tidied(self, text: &str) -> Result<String, String> {
        let text = text.trim();
        let by_name = |text: &str| text.replace("localhost:", "127.0.0.1:");
        match self {
            Self::Folder | Self::Folders | Self::File | Self::Text | Self::Secret if text.is_empty() => {
                Err(format!("it is empty, and should be {}", self.expects()))
            }
            // Of a lone slash nothing is left.
            Self::Url | Self::Collector if text.trim_end_matches('/').is_empty() => Err(self.wrong(text)),
            Self::Address => Ok(by_name(text)),
            Self::Url => Ok(text.trim_end_matches('/').to_owned()),
            Self::Dialects => Ok(by_name(&items(text).join(","))),
            form if form.is_list() => Ok(items(text).join(",")),
            Self::YesNo => match text {
                "true" | "yes" | "1" => Ok("true".to_owned()),
                "false" | "no" | "0" => Ok("false".to_owned()),
                _ => Err(self.wrong(text)),
            },
            _ => Ok(text.to_owned()),
        }
    }

    /// The text of a value in a file, if it has the right type.
    pub(crate) fn text_of(self, value: &DeValue<'_>) -> Result<String, String> {
        let found = || Err(format!("this is {}, and should be {}", named(value), self.written()));
        match (self, value) {
            (form, DeValue::Array(list)) if form.is_list() => {
                let items: Option<Vec<_>> = list.iter().map(|item| item.get_ref().as_str()).collect();
                let items = items.ok_or_else(|| format!("every item should be text: {}", self.written()))?;
                Ok(items.join(","))
            }
            (form, _) if form.is_list() => found(),
            (Self::Count { .. }, DeValue::Integer(number)) => Ok(number.as_str().to_owned()),
            (Self::YesNo, DeValue::Boolean(flag)) => Ok(flag.to_string()),
            (Self::Count { .. } | Self::YesNo, _) => found(),
            (_, DeValue::String(text)) => Ok(text.to_string()),
            (Self::Span { .. }, DeValue::Integer(number)) => {
                Err(format!("this number has no unit; write \"{}s\" for seconds", number.as_str()))
            }
            _ => found(),
        }
    }

    /// How to write it in a file.
    fn written(self) -> String {
        match self {
            form if form.is_list() => form.expects(),
            Self::Count { .. } | Self::YesNo => format!("{}, without quotes", self.expects()),
            _ => format!("in quotes: {}", self.expects()),
        }
    }
}

fn named(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a section",
    }
}
