//! Writes texts into addresses.

use url::Url;

/// Returns an address of the web, in its normal form.
pub(crate) fn web(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// Writes a name into a path, so that it stays one segment of it. Letters, digits, `-`, `_` and the characters in `kept`
/// stand for themselves.
pub(crate) fn segment(text: &str, kept: &[u8]) -> String {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
        byte if kept.contains(&byte) => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(escape).collect()
}
