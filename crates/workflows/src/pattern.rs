//! Patterns of commands: Python's regular expressions, with look-around and a limit on backtracking.

use fancy_regex::RegexBuilder;

use crate::limits::{PATTERN_BACKTRACKS_MAX, PATTERN_BYTES_MAX, PATTERN_COMPILED_MAX};

/// A pattern. Without look-around it takes time in proportion to the text, and is always decided.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Plain(regex::Regex),
    LookAround(fancy_regex::Regex),
}

/// The pattern took too many steps on this text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Undecided;

impl Pattern {
    pub(crate) fn new(source: &str) -> Result<Self, String> {
        if source.len() > PATTERN_BYTES_MAX {
            return Err(format!("the pattern has {} bytes; at most {PATTERN_BYTES_MAX} are read", source.len()));
        }
        let translated = from_python(source);
        match regex::RegexBuilder::new(&translated).size_limit(PATTERN_COMPILED_MAX).build() {
            Ok(regex) => return Ok(Self::Plain(regex)),
            Err(regex::Error::CompiledTooBig(_)) => return Err("the pattern is too large once compiled".to_owned()),
            // It has look-around or a reference, or is wrong: the other engine tells.
            Err(_) => {}
        }
        let mut builder = RegexBuilder::new(&translated);
        builder.backtrack_limit(PATTERN_BACKTRACKS_MAX).delegate_size_limit(PATTERN_COMPILED_MAX);
        let regex = builder.build().map_err(|error| format!("the pattern is not understood: {error}"))?;
        Ok(Self::LookAround(regex))
    }

    pub(crate) fn ignoring_case(source: &str) -> Result<Self, String> {
        Self::new(&format!("(?i){source}"))
    }

    /// Python's `re.search`.
    pub(crate) fn is_in(&self, text: &str) -> Result<bool, Undecided> {
        match self {
            Self::Plain(regex) => Ok(regex.is_match(text)),
            Self::LookAround(regex) => regex.is_match(text).map_err(|_| Undecided),
        }
    }

    /// The first match.
    pub(crate) fn find<'a>(&self, text: &'a str) -> Result<Option<&'a str>, Undecided> {
        match self {
            Self::Plain(regex) => Ok(regex.find(text).map(|it| it.as_str())),
            Self::LookAround(regex) => regex.find(text).map(|found| found.map(|it| it.as_str())).map_err(|_| Undecided),
        }
    }

    /// A group of the first match, or the whole of it if there is no such group.
    pub(crate) fn group(&self, text: &str, group: usize) -> Result<Option<String>, Undecided> {
        Ok(match self {
            Self::Plain(regex) => {
                let found = regex.captures(text);
                found.map(|it| it.get(group).or_else(|| it.get(0)).map_or("", |it| it.as_str()).to_owned())
            }
            Self::LookAround(regex) => {
                let found = regex.captures(text).map_err(|_| Undecided)?;
                found.map(|it| it.get(group).or_else(|| it.get(0)).map_or("", |it| it.as_str()).to_owned())
            }
        })
    }
}

/// Rewrites what Python spells differently: `$` also stands before a last line break, `\Z` is the very end, and `[`, `&`
/// and `~` mean nothing special among the characters of a class.
fn from_python(source: &str) -> String {
    let has_lines = source.starts_with("(?") && source[2..].split([')', ':']).next().is_some_and(|it| it.contains('m'));
    let (mut out, mut chars) = (String::with_capacity(source.len() + 16), source.chars().peekable());
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('Z') if !in_class => out.push_str("\\z"),
                Some(next) => out.extend(['\\', next]),
                None => out.push('\\'),
            },
            '[' if !in_class => {
                out.push('[');
                if chars.peek() == Some(&'^') {
                    out.extend(chars.next());
                }
                // A bracket right at the start is one of the characters.
                if chars.peek() == Some(&']') {
                    chars.next();
                    out.push_str("\\]");
                }
                in_class = true;
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            '[' | '&' | '~' if in_class => out.extend(['\\', c]),
            // At the end of an alternative, a line break may as well be part of the match: that needs no look-around.
            '$' if !in_class && !has_lines => {
                let ends = matches!(chars.peek(), None | Some(')' | '|'));
                out.push_str(if ends { "(?:\\n?\\z)" } else { "(?=\\n?\\z)" });
            }
            c => out.push(c),
        }
    }
    out
}
