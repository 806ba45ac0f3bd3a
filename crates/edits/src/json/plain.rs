//! Finds comments and trailing commas, which JSON does not have. Some programs accept them; others ignore the whole
//! file.

use crate::error::line_of;

/// The first comment or trailing comma in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeyondJson {
    /// From 1, as editors count.
    pub line: usize,
    /// In words: "a comment".
    pub what: &'static str,
}

/// Finds the first comment or trailing comma. A byte order mark does not count: it is not part of the text.
pub fn beyond_json(text: &str) -> Option<BeyondJson> {
    let bytes = text.as_bytes();
    let (mut at, mut in_string) = (0, false);
    while let Some(byte) = bytes.get(at) {
        let found = match byte {
            b'\\' if in_string => {
                at += 1;
                None
            }
            b'"' => {
                in_string = !in_string;
                None
            }
            b'/' if !in_string && matches!(bytes.get(at + 1), Some(b'/' | b'*')) => Some("a comment"),
            b',' if !in_string && closes(&bytes[at + 1..]) => Some("a comma after the last value"),
            _ => None,
        };
        if let Some(what) = found {
            return Some(BeyondJson { line: line_of(text, at), what });
        }
        at += 1;
    }
    None
}

/// Is a closing bracket next?
fn closes(rest: &[u8]) -> bool {
    matches!(rest.iter().find(|byte| !byte.is_ascii_whitespace()), Some(b'}' | b']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_comment_or_trailing_comma_is_named_with_its_line() {
        let found = |text: &str| beyond_json(text).map(|it| (it.line, it.what));
        assert_eq!(found("\u{feff}{\"a\": \"// no \\\" /* no */\", \"b\": [1, 2]}\n"), None);
        assert_eq!(found("{\n  \"a\": 1, // mine\n}"), Some((2, "a comment")));
        assert_eq!(found("{}\n/* mine */"), Some((2, "a comment")));
        assert_eq!(found("{\n  \"a\": [1,\n  ]\n}"), Some((2, "a comma after the last value")));
        assert_eq!(found(""), None);
    }
}
