//! Patterns of paths, matched part by part: `src/**/*.ts`.
//!
//! A rule file may have thousands of them, so one costs little more than its text. Sets of characters (`[a-z]`) and
//! escapes are left to `globset`, which is asked for them alone and compiles them when they are first needed.

use std::sync::OnceLock;

use globset::{Glob, GlobBuilder, GlobMatcher};

/// A pattern, which matches what it says and everything below.
#[derive(Debug)]
pub(super) enum PathGlob {
    Parts(Vec<Part>),
    /// The path itself, and everything below it.
    Sets(Box<[Glob; 2]>, OnceLock<[GlobMatcher; 2]>),
}

/// What one part of a path has to be.
#[derive(Debug)]
pub(super) enum Part {
    Is(String),
    /// With `*` for anything and `?` for one byte.
    Like(String),
    /// `**`: any number of parts. As the last, at least one.
    Any,
}

impl PathGlob {
    /// Reads a pattern without empty parts. The error says what is wrong.
    pub(super) fn read(text: &str, anywhere: bool, any_case: bool) -> Result<Self, String> {
        let text = if any_case { text.to_lowercase() } else { text.to_owned() };
        if !text.contains(['[', ']', '\\']) {
            let part = |part: &str| match part {
                "**" => Part::Any,
                part if part.contains(['*', '?']) => Part::Like(part.to_owned()),
                part => Part::Is(part.to_owned()),
            };
            let before = anywhere.then_some(Part::Any);
            return Ok(Self::Parts(before.into_iter().chain(text.split('/').map(part)).collect()));
        }
        // Braces have no meaning in `.gitignore`.
        let text = text.replace('{', "[{]").replace('}', "[}]");
        let before = if anywhere { "**/" } else { "" };
        let read = |after: &str| {
            let text = format!("{before}{text}{after}");
            let mut glob = GlobBuilder::new(&text);
            glob.literal_separator(true).backslash_escape(true).case_insensitive(any_case);
            glob.build().map_err(|error| error.kind().to_string())
        };
        Ok(Self::Sets(Box::new([read("")?, read("/**")?]), OnceLock::new()))
    }

    /// Does it match this path, or a folder above it? The path is relative, without empty parts.
    pub(super) fn is_match(&self, path: &str) -> bool {
        match self {
            Self::Parts(parts) => fits(parts, path),
            Self::Sets(globs, compiled) => {
                let compiled = compiled.get_or_init(|| globs.each_ref().map(Glob::compile_matcher));
                compiled.iter().any(|matcher| matcher.is_match(path))
            }
        }
    }
}

/// Do these parts match a path or a folder above it? After a failure only the last `**` has to take one part more: those
/// before it could take no fewer.
fn fits(parts: &[Part], path: &str) -> bool {
    let mut rest = Some(path);
    let (mut at, mut again) = (0, None);
    loop {
        match (parts.get(at), rest) {
            (None, _) => return true,
            (Some(Part::Any), Some(_)) if at + 1 == parts.len() => return true,
            (Some(Part::Any), Some(text)) => {
                again = Some((at + 1, text));
                at += 1;
                continue;
            }
            (Some(part), Some(text)) => {
                let (first, below) = text.split_once('/').map_or((text, None), |(first, below)| (first, Some(below)));
                let fits = match part {
                    Part::Is(wanted) => wanted == first,
                    Part::Like(pattern) => is_like(pattern.as_bytes(), first.as_bytes()),
                    Part::Any => unreachable!("taken above"),
                };
                if fits {
                    (at, rest) = (at + 1, below);
                    continue;
                }
            }
            (Some(_), None) => {}
        }
        let Some((from, text)) = again else { return false };
        let Some((_, below)) = text.split_once('/') else { return false };
        (at, rest, again) = (from, Some(below), Some((from, below)));
    }
}

/// `*` is anything, `?` one byte. After a failure only the last `*` has to take one byte more.
fn is_like(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read, mut again) = (0, 0, None);
    while read < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                again = Some((at + 1, read));
                at += 1;
            }
            Some(byte) if *byte == b'?' || *byte == text[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((from, taken)) = again else { return false };
                again = Some((from, taken + 1));
                (at, read) = (from, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use globset::GlobBuilder;
    use proptest::prelude::*;

    use super::*;

    /// What `globset` says of the same pattern, itself and with everything below.
    fn in_globset(text: &str, anywhere: bool, path: &str) -> bool {
        let before = if anywhere { "**/" } else { "" };
        let text = text.replace('{', "[{]").replace('}', "[}]");
        ["", "/**"].iter().any(|after| {
            let text = format!("{before}{text}{after}");
            let glob = GlobBuilder::new(&text).literal_separator(true).backslash_escape(true).build();
            glob.expect("the pattern can be read").compile_matcher().is_match(path)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn parts_match_what_globset_matches(
            pattern in "(\\*\\*|[ab*?é{}]{1,4})(/(\\*\\*|[ab*?]{1,3}|a|b)){0,4}",
            path in "([abé{}]{1,4}(/[ab]{1,3}){0,5})?",
            anywhere: bool,
        ) {
            let glob = PathGlob::read(&pattern, anywhere, false).unwrap();
            prop_assert!(matches!(glob, PathGlob::Parts(_)));
            prop_assert_eq!(glob.is_match(&path), in_globset(&pattern, anywhere, &path), "{} {}", pattern, path);
        }
    }

    #[test]
    fn stars_cost_no_more_than_the_square_of_the_text() {
        let many = "*a".repeat(1000);
        let glob = PathGlob::read(&format!("{many}/b"), true, false).unwrap();
        assert!(!glob.is_match(&"a".repeat(1500)));
        let deep = PathGlob::read(&"**/a/".repeat(200).replace("a/", "a/a/"), true, false);
        assert!(!deep.unwrap().is_match(&"a/b/".repeat(1000)));
    }

    #[test]
    fn sets_and_escapes_are_left_to_globset() {
        let glob = |text: &str| PathGlob::read(text, false, true).unwrap();
        assert!(glob("[a-c].TS").is_match("b.ts") && !glob("[a-c].ts").is_match("d.ts"));
        assert!(glob("a[1-3]").is_match("a2/below") && glob(r"\*").is_match("*"));
        assert!(PathGlob::read("[a", false, false).is_err());
    }
}
