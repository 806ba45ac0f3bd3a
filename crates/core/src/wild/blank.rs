//! Whether a text has anything that a person can see.

/// Whether `text` is blank: empty, or only spaces, control characters and invisible ones.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_unseen)
}

/// Whether `text` begins and ends with a visible character.
pub fn is_plain(text: &str) -> bool {
    !text.is_empty() && seen(text).len() == text.len()
}

/// Trims invisible characters from both ends.
pub(crate) fn seen(text: &str) -> &str {
    text.trim_matches(is_unseen)
}

fn is_unseen(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
