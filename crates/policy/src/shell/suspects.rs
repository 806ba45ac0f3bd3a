//! Every text in a shell's input that may run as a command: more rather than less.

use std::collections::HashSet;

use super::scan::{BYTES_MAX, DEPTH_MAX, Word, is_assignment, scan};

/// Commands that run the rest of their words, perhaps after flags.
const WRAPPERS: &[&str] = &[
    "sudo",
    "doas",
    "env",
    "nice",
    "ionice",
    "nohup",
    "time",
    "timeout",
    "xargs",
    "command",
    "builtin",
    "exec",
    "watch",
    "stdbuf",
    "setsid",
    "chroot",
    "find",
    "parallel",
    "strace",
    "busybox",
    "coproc",
    "flock",
    "taskset",
    "chrt",
    "unshare",
    "nsenter",
    "systemd-run",
    "runuser",
    "pkexec",
    "setpriv",
    "script",
    "unbuffer",
    "xvfb-run",
    "entr",
    "hyperfine",
    "caffeinate",
    "firejail",
    "bwrap",
    "noglob",
    "nocorrect",
    "repeat",
];
/// Words of the shell before a command.
const BEFORE: &[&str] =
    &["if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "in", "fi", "done", "function"];
/// Commands that run shell code: from their words, or from their input.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "fish", "eval", "su", "ssh", "trap", "alias"];
/// Returns the texts, and whether there is more than was looked at.
pub(super) fn of(text: &str) -> (Vec<String>, bool) {
    let mut suspects = Suspects::default();
    suspects.put(text.trim().to_owned());
    suspects.look_into(text, 0);
    let mut texts: Vec<_> = suspects.texts.into_iter().collect();
    texts.sort_unstable();
    (texts, suspects.is_beyond)
}

#[derive(Default)]
struct Suspects {
    texts: HashSet<String>,
    texts_bytes: usize,
    read_bytes: usize,
    is_beyond: bool,
}

impl Suspects {
    fn look_into(&mut self, text: &str, depth: usize) {
        self.read_bytes += text.len();
        if self.is_beyond || depth > DEPTH_MAX || self.read_bytes > BYTES_MAX {
            self.is_beyond = true;
            return;
        }
        let found = scan(text);
        self.is_beyond |= found.is_beyond;
        let mut is_fed_to_a_shell = false;
        for words in &found.commands {
            is_fed_to_a_shell |= self.command(words, depth);
        }
        for nested in &found.nested {
            self.look_into(nested, depth + 1);
        }
        if is_fed_to_a_shell {
            // `echo 'git push' | sh`, `sh <<< 'git push'`.
            found.fed.iter().for_each(|fed| self.look_into(fed, depth + 1));
            found.commands.iter().for_each(|words| self.look_into_words(words, depth));
        }
    }

    /// Returns whether the command is a shell.
    fn command(&mut self, words: &[Word], depth: usize) -> bool {
        self.add(words);
        let mut words = words;
        while let Some((first, rest)) = words.split_first() {
            if is_assignment(first) || BEFORE.contains(&first.bare.as_str()) {
                // A function's name comes before its commands.
                words = if first.bare == "function" { rest.get(1..).unwrap_or_default() } else { rest };
                self.add(words);
                continue;
            }
            if !WRAPPERS.contains(&name(first)) {
                return self.shell(words, depth);
            }
            // Its flags may have values, so the command may begin at any of the words.
            let mut is_shell = false;
            for at in 0..rest.len() {
                if self.is_beyond {
                    break;
                }
                self.add(&rest[at..]);
                is_shell |= self.shell(&rest[at..], depth);
            }
            self.look_into_words(rest, depth);
            return is_shell;
        }
        false
    }

    /// If this is a shell, looks into the code that it is given.
    fn shell(&mut self, words: &[Word], depth: usize) -> bool {
        let Some((first, rest)) = words.split_first().filter(|(first, _)| SHELLS.contains(&name(first))) else {
            return false;
        };
        self.look_into(&join(rest.iter().map(|word| word.bare.as_str())), depth + 1);
        self.look_into_words(rest, depth);
        // These run what they are given at once, and read nothing.
        !matches!(name(first), "eval" | "trap" | "alias")
    }

    /// Looks into words that may be shell code themselves, also behind a `=`.
    fn look_into_words(&mut self, words: &[Word], depth: usize) {
        for word in words.iter().filter(|word| word.bare.contains([' ', '\t', '\n'])) {
            self.look_into(&word.bare, depth + 1);
            if let Some((_, behind)) = word.bare.split_once('=') {
                self.look_into(behind, depth + 1);
            }
        }
    }

    fn add(&mut self, words: &[Word]) {
        let Some((first, rest)) = words.split_first().filter(|_| !self.is_beyond) else { return };
        let all = |name: &str| join(std::iter::once(name).chain(rest.iter().map(|word| word.bare.as_str())));
        self.put(all(&first.bare));
        if name(first) != first.bare {
            self.put(all(name(first)));
        }
    }

    fn put(&mut self, text: String) {
        if self.texts_bytes + text.len() > BYTES_MAX {
            self.is_beyond = true;
            return;
        }
        let bytes = text.len();
        if self.texts.insert(text) {
            self.texts_bytes += bytes;
        }
    }
}

/// The name of a program, without its folder.
fn name(word: &Word) -> &str {
    word.bare.rsplit('/').next().unwrap_or_default()
}

fn join<'t>(words: impl Iterator<Item = &'t str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}
