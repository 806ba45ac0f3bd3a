//! What a setting may be, and how it is read: the same from a file, the environment and a flag.

use std::net::SocketAddr;
use std::time::Duration;

use askbridge_bridge::hosts::AlwaysAsk;
use askbridge_bridge::outbound::Range;
use askbridge_bridge::server::{Origins, dialects};
use askbridge_bridge::traces::Collector;
use askbridge_core::verdict::spoken;
use toml::de::DeValue;
use tracing_subscriber::EnvFilter;

use super::spans;
use super::waits::patience;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Address,
    Folder,
    File,
    Text,
    Secret,
    Url,
    Collector,
    Hosts,
    Origins,
    Dialects,
    Tools,
    Ranges,
    Waits,
    Level,
    OneOf(&'static [&'static str]),
    Span { or: &'static str, max: Duration },
    Count { max: u32 },
    Bytes { or: &'static str },
    YesNo,
}

impl Kind {
    /// What to write instead, for whoever wrote something else.
    pub fn expects(self) -> String {
        match self {
            Self::Address => "an address with a port, like 127.0.0.1:4760".to_owned(),
            Self::Folder => "the path of a folder".to_owned(),
            Self::File => "the path of a file".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Secret => "a token".to_owned(),
            Self::Url => "an address like `https://ask.example.org`, without a path".to_owned(),
            Self::Collector => "the address of a collector, like `http://127.0.0.1:4318`; or none".to_owned(),
            Self::Hosts => "host names, like `ask.example.org`".to_owned(),
            Self::Origins => "origins, like `https://desk.example.org`, without a path".to_owned(),
            Self::Dialects => format!("names among {}, each perhaps with an address", known().join(", ")),
            Self::Tools => "names of tools or patterns, like `Bash`, `mcp__github__*` or `Bash(*git push*)`".to_owned(),
            Self::Ranges => "addresses or ranges, like `10.0.0.7` or `10.0.0.0/8`".to_owned(),
            Self::Waits => "spans of time, each perhaps for one program, like `30s` or `codex=4m`".to_owned(),
            Self::Level => "error, warn, info or debug".to_owned(),
            Self::OneOf(words) => words.join(" or "),
            Self::Span { or, max } => format!("a span of time up to {}, like 30s, 10m or 2h; or {or}", spoken(max)),
            Self::Count { max } => format!("a number from 1 to {max}"),
            Self::Bytes { or } => format!("an amount of memory, like 512M or 2G; or {or}"),
            Self::YesNo => "true or false".to_owned(),
        }
    }

    /// How the reference writes the type.
    pub fn shape(self) -> String {
        match self {
            Self::Address => "address with a port".to_owned(),
            Self::Folder | Self::File => "path".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Secret => "token".to_owned(),
            Self::Url => "`http://` or `https://`, a name, no path".to_owned(),
            Self::Collector => "`http://`, a name or an address, and a port; or `none`".to_owned(),
            Self::Hosts | Self::Origins | Self::Dialects | Self::Tools | Self::Ranges | Self::Waits => {
                "list of texts; with commas in the environment and in flags".to_owned()
            }
            Self::Level => "`error`, `warn`, `info`, `debug`".to_owned(),
            Self::OneOf(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
            Self::Span { or, max } => format!("span of time up to {}, or `{or}`", spoken(max)),
            Self::Count { max } => format!("number from 1 to {max}"),
            Self::Bytes { or } => format!("bytes with `K`, `M` or `G`, or `{or}`"),
            Self::YesNo => "`true` or `false`".to_owned(),
        }
    }

    /// How the help names it.
    pub fn value_name(self) -> &'static str {
        match self {
            Self::Address => "ADDRESS",
            Self::Folder => "FOLDER",
            Self::File => "FILE",
            Self::Text | Self::OneOf(_) => "WORD",
            Self::Secret => "TOKEN",
            Self::Url | Self::Collector => "URL",
            Self::Hosts => "NAMES",
            Self::Origins => "ORIGINS",
            Self::Dialects => "NAME[=ADDRESS]",
            Self::Tools => "TOOLS",
            Self::Ranges => "ADDRESSES",
            Self::Waits => "[NAME=]SPAN",
            Self::Bytes { .. } => "BYTES",
            Self::Level => "LEVEL",
            Self::Span { .. } => "SPAN",
            Self::Count { .. } => "NUMBER",
            Self::YesNo => "YES_OR_NO",
        }
    }

    pub fn is_list(self) -> bool {
        matches!(self, Self::Hosts | Self::Origins | Self::Dialects | Self::Tools | Self::Ranges | Self::Waits)
    }

    /// May a flag be given more than once?
    pub fn is_repeated(self) -> bool {
        matches!(self, Self::Dialects | Self::Waits)
    }

    /// Checks a text, and returns it as it is meant.
    pub fn read(self, text: &str) -> Result<String, String> {
        let text = text.trim();
        let wrong = || Err(format!("`{text}` is not {}", self.expects()));
        match self {
            Self::Address => {
                let address = text.replace("localhost:", "127.0.0.1:");
                if address.parse::<SocketAddr>().is_ok() { Ok(address) } else { wrong() }
            }
            Self::Folder | Self::File | Self::Text | Self::Secret => {
                if text.is_empty() {
                    Err(format!("it is empty, and should be {}", self.expects()))
                } else {
                    Ok(text.to_owned())
                }
            }
            Self::Url => {
                let url = text.trim_end_matches('/');
                let is_web = url.starts_with("https://") || url.starts_with("http://");
                // What can be an origin is a scheme and a name, and that is all that there may be.
                if is_web && !url.contains(['?', '#', '@']) && Origins::new([url.to_owned()]).is_ok() {
                    Ok(url.to_owned())
                } else {
                    wrong()
                }
            }
            Self::Collector if text == "none" => Ok(text.to_owned()),
            Self::Collector => Collector::new(text).map(|_| text.to_owned()),
            Self::Hosts => Origins::default().with_hosts(items(text)).map(|_| items(text).join(",")),
            Self::Origins => Origins::new(items(text)).map(|_| items(text).join(",")),
            Self::Dialects => {
                let read = items(text)
                    .into_iter()
                    .map(|item| dialect_at(&item).map(|_| item.replace("localhost:", "127.0.0.1:")));
                Ok(read.collect::<Result<Vec<_>, _>>()?.join(","))
            }
            Self::Tools => {
                let tools = items(text);
                AlwaysAsk::read(tools.iter().map(String::as_str)).map(|_| tools.join(","))
            }
            Self::Ranges => {
                let read = items(text).into_iter().map(|item| item.parse::<Range>().map(|_| item));
                Ok(read.collect::<Result<Vec<_>, _>>()?.join(","))
            }
            Self::Waits => patience(text).map(|_| items(text).join(",")),
            Self::Bytes { or } if text == or => Ok(text.to_owned()),
            Self::Bytes { .. } => match bytes(text) {
                Some(_) => Ok(text.to_owned()),
                None => wrong(),
            },
            Self::Level => match EnvFilter::builder().parse(text) {
                // A word that is no level would be taken for the name of a module.
                Ok(_) if text.contains('=') || LEVELS.contains(&text.to_ascii_lowercase().as_str()) => {
                    Ok(text.to_owned())
                }
                _ => wrong(),
            },
            Self::OneOf(words) => {
                if words.contains(&text) {
                    Ok(text.to_owned())
                } else {
                    wrong()
                }
            }
            // What can be kept for ever can also not be kept at all.
            Self::Span { or, .. } if text == or || (or == "off" && text == "0") => Ok(text.to_owned()),
            Self::Span { max, .. } => match spans::parse(text) {
                Ok(span) if span <= max => Ok(text.to_owned()),
                _ => wrong(),
            },
            Self::Count { max } => match text.parse::<u32>() {
                Ok(count) if (1..=max).contains(&count) => Ok(text.to_owned()),
                _ => wrong(),
            },
            Self::YesNo => match text {
                "true" | "yes" | "1" => Ok("true".to_owned()),
                "false" | "no" | "0" => Ok("false".to_owned()),
                _ => wrong(),
            },
        }
    }

    /// Reads a value of a file: first its type, then what it says.
    pub fn read_toml(self, value: &DeValue<'_>) -> Result<String, String> {
        let found = || Err(format!("this is {}, and should be {}", named(value), self.written()));
        match (self, value) {
            (kind, DeValue::Array(list)) if kind.is_list() => {
                let items: Option<Vec<_>> = list.iter().map(|item| item.get_ref().as_str()).collect();
                match items {
                    Some(items) => self.read(&items.join(",")),
                    None => Err(format!("every item should be text: {}", self.written())),
                }
            }
            (kind, _) if kind.is_list() => found(),
            (Self::Count { .. }, DeValue::Integer(number)) => self.read(number.as_str()),
            (Self::YesNo, DeValue::Boolean(flag)) => self.read(&flag.to_string()),
            (Self::Count { .. } | Self::YesNo, _) => found(),
            (_, DeValue::String(text)) => self.read(text),
            (Self::Span { .. }, DeValue::Integer(number)) => {
                Err(format!("this number has no unit; write \"{}s\" for seconds", number.as_str()))
            }
            _ => found(),
        }
    }

    /// How to write it in a file.
    fn written(self) -> String {
        match self {
            Self::Hosts => "a list, like [\"ask.example.org\"]".to_owned(),
            Self::Origins => "a list, like [\"https://desk.example.org\"]".to_owned(),
            Self::Dialects => "a list, like [\"prime\", \"ccc=127.0.0.1:8000\"]".to_owned(),
            Self::Tools => "a list, like [\"Bash\", \"mcp__github__*\"]".to_owned(),
            Self::Ranges => "a list, like [\"10.0.0.0/8\"]".to_owned(),
            Self::Waits => "a list, like [\"codex=4m\", \"30s\"]".to_owned(),
            Self::Count { .. } | Self::YesNo => format!("{}, without quotes", self.expects()),
            _ => format!("in quotes: {}", self.expects()),
        }
    }
}

fn known() -> Vec<&'static str> {
    dialects().collect()
}

/// Reads a language of another system, and the address on which it is to be spoken if that is not our own.
pub fn dialect_at(text: &str) -> Result<(&'static str, Option<SocketAddr>), String> {
    let (name, address) = text.split_once('=').map_or((text, None), |(name, address)| (name, Some(address)));
    let Some(name) = dialects().find(|known| *known == name.trim()) else {
        return Err(format!("there is no dialect `{}`; there are {}", name.trim(), known().join(", ")));
    };
    let address = address.map(|address| {
        let address = address.trim().replace("localhost:", "127.0.0.1:");
        address.parse().map_err(|_| format!("`{address}` is not an address with a port, like 127.0.0.1:8000"))
    });
    Ok((name, address.transpose()?))
}

const LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

/// The items of a list as the environment and flags write it.
pub fn items(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// Reads an amount of memory: a number above 0 and `K`, `M` or `G`, each 1024 times the one before.
pub fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let power = match unit.trim_start().to_ascii_uppercase().trim_end_matches('B') {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << power).filter(|bytes| *bytes > 0)
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
