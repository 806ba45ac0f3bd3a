//! Reads `$'…'`, in which a backslash can stand for any character: `$'\\x70ush'` is `push`.

/// Returns the text of the quote that `text` begins with, and how many bytes that takes.
pub(super) fn quoted(text: &str) -> (String, usize) {
    let mut bare = String::new();
    let mut rest = text.strip_prefix("$'").unwrap_or_default();
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\'' => return (bare, text.len() - rest.len()),
            '\\' => rest = escaped(rest, &mut bare),
            c => bare.push(c),
        }
    }
    (bare, text.len())
}

/// Takes what follows a backslash, and returns the rest.
fn escaped<'t>(text: &'t str, bare: &mut String) -> &'t str {
    let Some(c) = text.chars().next() else { return text };
    let rest = &text[c.len_utf8()..];
    let number = |rest: &'t str, radix: u32, digits_max: usize, bare: &mut String| {
        let digits = rest.chars().take(digits_max).take_while(|c| c.is_digit(radix)).count();
        let code = u32::from_str_radix(&rest[..digits], radix).ok();
        bare.extend(code.and_then(char::from_u32));
        &rest[digits..]
    };
    match c {
        'x' => number(rest, 16, 2, bare),
        'u' => number(rest, 16, 4, bare),
        'U' => number(rest, 16, 8, bare),
        '0'..='7' => number(text, 8, 3, bare),
        'n' | 't' | 'r' | 'v' | 'f' | 'a' | 'b' | 'e' | 'E' => {
            bare.push(if c == 'n' { '\n' } else { ' ' });
            rest
        }
        other => {
            bare.push(other);
            rest
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_hides_no_word() {
        for (text, bare, taken) in [
            (r"$'push' x", "push", 7),
            (r"$'\x70ush'", "push", 10),
            (r"$'\160\u0075sh'", "push", 15),
            (r"$'it\'s' x", "it's", 8),
            (r"$'open", "open", 6),
            ("$'", "", 2),
            (r"$'\", "", 3),
            (r"$'\xé'", "é", 7),
        ] {
            assert_eq!(quoted(text), (bare.to_owned(), taken), "{text}");
        }
    }
}
