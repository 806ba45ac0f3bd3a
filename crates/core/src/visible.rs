//! Escapes characters that a reader would not see: control characters, zero-width characters and bidirectional
//! controls. With them, an agent could hide what a command does.

use std::fmt::Write;

/// Writes such characters as `\u{…}`, except those in `kept`.
pub fn spell_out(text: &str, kept: &[char]) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        if !kept.contains(&char) && (char.is_control() || is_invisible(char)) {
            write!(shown, "\\u{{{:x}}}", u32::from(char)).expect("writing to a string cannot fail");
        } else {
            shown.push(char);
        }
    }
    shown
}

/// U+200C and U+200D are not invisible: they join letters of several scripts, and emoji.
fn is_invisible(char: char) -> bool {
    matches!(u32::from(char),
        0xad | 0x61c | 0x180e | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff
        | 0xfff9..=0xfffb | 0xe0000..=0xe007f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        assert_eq!(spell_out("rm\u{202e}x\u{1b}[1m\u{200b}\n", &[]), "rm\\u{202e}x\\u{1b}[1m\\u{200b}\\u{a}");
        assert_eq!(spell_out("a\n\u{200d}b", &['\n']), "a\n\u{200d}b");
    }
}
