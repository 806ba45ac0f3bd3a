//! Shortens texts to what a service allows, without cutting an emoji or an accented letter in two.

use std::borrow::Cow;

use askbridge_core::visible::spell_out;

/// What a service is quoted with: enough for its reason, not for its error page.
const QUOTE_CHARS_MAX: usize = 200;
/// How much of a response or an error output is searched for its first line.
const QUOTE_BYTES_MAX: usize = 4096;
/// How far a cut moves back to the beginning of what the reader sees as one character. Text that stacks more marks than
/// this onto one letter is cut between them.
const STEPS_BACK_MAX: usize = 32;
const ELLIPSIS: char = '…';

/// Returns `text`, or its beginning and an ellipsis if the `size` of its characters adds up to more than `max`. Empty if
/// not even the ellipsis fits.
pub(crate) fn clip(text: &str, max: usize, size: fn(char) -> usize) -> Cow<'_, str> {
    let room = max.saturating_sub(size(ELLIPSIS));
    // `fits` is the end of the part that leaves room for the ellipsis.
    let (mut used, mut fits) = (0, 0);
    for (at, char) in text.char_indices() {
        used += size(char);
        if used <= room {
            fits = at + char.len_utf8();
        }
        if used > max {
            if size(ELLIPSIS) > max {
                return Cow::Borrowed("");
            }
            let kept = text[..whole(text, fits)].trim_end();
            return Cow::Owned(format!("{kept}{ELLIPSIS}"));
        }
    }
    Cow::Borrowed(text)
}

/// Returns the last place at or before `at` where a cut breaks nothing.
fn whole(text: &str, at: usize) -> usize {
    let mut place = at;
    for _ in 0..STEPS_BACK_MAX {
        if !is_inside(text, place) {
            return place;
        }
        let Some(before) = text[..place].chars().next_back() else { return 0 };
        place -= before.len_utf8();
    }
    at
}

/// Is this place between two code points that are shown as one character?
fn is_inside(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let (Some(last), Some(next)) = (before.chars().next_back(), after.chars().next()) else { return false };
    let flags = before.chars().rev().take_while(|char| is_flag_letter(*char)).count();
    joins(last) || joins(next) || continues(next) || (is_flag_letter(next) && flags % 2 == 1)
}

fn joins(char: char) -> bool {
    char == '\u{200d}'
}

/// Combining marks of the common blocks, variation selectors, skin tones, and the letters of a tag.
fn continues(char: char) -> bool {
    matches!(u32::from(char),
        0x300..=0x36f | 0x591..=0x5bd | 0x610..=0x61a | 0x64b..=0x65f | 0x93c..=0x94d | 0xe31..=0xe3a | 0xe47..=0xe4e
        | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0x302a..=0x302f | 0x3099..=0x309a | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f | 0x1f3fb..=0x1f3ff | 0xe0020..=0xe007f | 0xe0100..=0xe01ef)
}

/// Two of these make a flag.
fn is_flag_letter(char: char) -> bool {
    matches!(u32::from(char), 0x1f1e6..=0x1f1ff)
}

/// Returns a text for a place that has one line, without space around it. A title with a line break would look like a
/// title and a text of ours.
pub(crate) fn one_line(text: &str) -> String {
    let is_break = |char: char| char.is_control() || matches!(char, '\u{2028}' | '\u{2029}');
    let line: String = text.chars().map(|char| if is_break(char) { ' ' } else { char }).collect();
    line.trim().to_owned()
}

/// Returns the reason that a service gave, in one line. It is not trusted: invisible characters are spelled out, and it
/// is short.
pub(crate) fn quote(reason: &str) -> String {
    clip(&spell_out(&one_line(reason), &[]), QUOTE_CHARS_MAX, |_| 1).into_owned()
}

/// Returns the first line that says something, to quote a service or a program. It is not trusted: invisible characters
/// are spelled out, and it is short.
pub(crate) fn first_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(QUOTE_BYTES_MAX)]);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(clip(&spell_out(line, &[]), QUOTE_CHARS_MAX, |_| 1).into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chars(text: &str, max: usize) -> String {
        clip(text, max, |_| 1).into_owned()
    }

    #[test]
    fn a_text_that_fits_stays_as_it_is() {
        assert_eq!(chars("Deploy?", 7), "Deploy?");
        assert_eq!(chars("", 0), "");
    }

    #[test]
    fn a_longer_text_ends_in_an_ellipsis_within_the_limit() {
        assert_eq!(chars("Deploy now?", 7), "Deploy…");
        assert_eq!(chars("Deploy", 1), "…");
        assert_eq!(chars("Deploy", 0), "");
        assert_eq!(clip("Deploy", 2, char::len_utf8), "", "the ellipsis has three bytes");
    }

    #[test]
    fn no_emoji_is_cut_in_two() {
        let family = "👩\u{200d}👩\u{200d}👧";
        assert_eq!(chars(&format!("ab{family}cdef"), 6), "ab…", "not the half of a family");
        assert_eq!(chars(&format!("ab{family}cdef"), 8), format!("ab{family}…"));
        assert_eq!(chars("a👍🏽bcd", 3), "a…", "not the thumb without its colour");
        assert_eq!(chars("🇯🇵🇩🇪🇫🇷", 4), "🇯🇵…", "not the half of a flag");
        assert_eq!(chars("rose\u{301}s", 5), "ros…", "not the letter without its accent");
    }

    #[test]
    fn a_letter_under_a_thousand_accents_is_cut_all_the_same() {
        let text = format!("a{}", "\u{301}".repeat(1000));
        assert_eq!(chars(&text, 100).chars().count(), 100);
    }

    #[test]
    fn a_quoted_reason_is_one_visible_line() {
        assert_eq!(quote(" no\nsuch \u{202e}topic\u{1b}"), "no such \\u{202e}topic");
        assert_eq!(quote(&"x".repeat(5000)).chars().count(), QUOTE_CHARS_MAX);
    }

    #[test]
    fn a_quote_is_the_first_line_that_says_something() {
        assert_eq!(first_line(b"\n  \r\n no such topic \nmore").as_deref(), Some("no such topic"));
        assert_eq!(first_line(b" \n"), None);
        assert_eq!(first_line(b"\xff\x1b[1m").as_deref(), Some("\u{fffd}\\u{1b}[1m"));
        assert_eq!(first_line("x".repeat(10_000).as_bytes()).unwrap().chars().count(), QUOTE_CHARS_MAX);
    }

    proptest! {
        #[test]
        fn no_clipped_text_is_larger_than_asked(text in "\\PC{0,60}|[👩👍🏽🇯🇵\u{200d}\u{301}a]{0,60}", max in 0usize..50) {
            for size in [char::len_utf8, char::len_utf16, (|_| 1) as fn(char) -> usize] {
                let clipped = clip(&text, max, size);
                prop_assert!(clipped.chars().map(size).sum::<usize>() <= max);
                let kept = clipped.strip_suffix(ELLIPSIS).unwrap_or(&clipped);
                prop_assert!(text.starts_with(kept));
                prop_assert_eq!(clipped == text, text.chars().map(size).sum::<usize>() <= max || text.is_empty());
            }
        }

        #[test]
        fn no_clipped_text_of_an_attacker_is_larger_than_asked(text in crate::hostile::text(), max in 0usize..300) {
            for size in [char::len_utf8, char::len_utf16, (|_| 1) as fn(char) -> usize] {
                let clipped = clip(&text, max, size);
                prop_assert!(clipped.chars().map(size).sum::<usize>() <= max);
            }
        }

        #[test]
        fn any_bytes_can_be_quoted(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            if let Some(line) = first_line(&bytes) {
                prop_assert!(!line.is_empty() && !line.contains(char::is_control));
            }
        }
    }
}
