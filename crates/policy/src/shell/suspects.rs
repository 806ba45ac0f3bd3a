//! Every text in a shell's input that may run as a command: more rather than less.

use super::scan::{DEPTH_MAX, Word, is_assignment, scan};

/// Commands that run the rest of their words, perhaps after flags.
const WRAPPERS: &[&str] = &[
    "sudo", "doas", "env", "nice", "ionice", "nohup", "time", "timeout", "xargs", "command", "builtin", "exec",
    "watch", "stdbuf", "setsid", "chroot", "find", "parallel", "strace", "busybox", "coproc",
];
/// Words of the shell before a command.
const BEFORE: &[&str] =
    &["if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "in", "fi", "done", "function"];
/// Commands that read shell code from their words.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "fish", "eval", "su", "ssh"];
/// Texts that one input may give. Beyond: the rest is left out. The whole input is always one of them.
const SUSPECTS_MAX: usize = 512;

pub(super) fn of(text: &str) -> Vec<String> {
    let mut suspects = Suspects { texts: vec![text.trim().to_owned()] };
    suspects.look_into(text, 0);
    suspects.texts.sort_unstable();
    suspects.texts.dedup();
    suspects.texts
}

struct Suspects {
    texts: Vec<String>,
}

impl Suspects {
    fn look_into(&mut self, text: &str, depth: usize) {
        if depth > DEPTH_MAX || self.texts.len() > SUSPECTS_MAX {
            return;
        }
        let found = scan(text);
        for words in &found.commands {
            self.command(words, depth);
        }
        for nested in &found.nested {
            self.look_into(nested, depth + 1);
        }
    }

    fn command(&mut self, words: &[Word], depth: usize) {
        self.add(words);
        let mut words = words;
        while let Some((first, rest)) = words.split_first() {
            let name = first.bare.rsplit('/').next().unwrap_or_default();
            if is_assignment(first) || BEFORE.contains(&first.bare.as_str()) {
                words = rest;
                self.add(words);
                continue;
            }
            if WRAPPERS.contains(&name) {
                // Its flags may have values, so the command may begin at any of the words.
                (0..rest.len()).for_each(|at| self.add(&rest[at..]));
            }
            if SHELLS.contains(&name) {
                let all = rest.iter().map(|word| word.bare.as_str()).collect::<Vec<_>>().join(" ");
                self.look_into(&all, depth + 1);
                rest.iter()
                    .filter(|word| word.bare.contains(' '))
                    .for_each(|word| self.look_into(&word.bare, depth + 1));
            }
            break;
        }
    }

    fn add(&mut self, words: &[Word]) {
        let Some((first, rest)) = words.split_first() else { return };
        if self.texts.len() > SUSPECTS_MAX {
            return;
        }
        let name = first.bare.rsplit('/').next().unwrap_or_default();
        let all = |name: &str| {
            let texts = std::iter::once(name).chain(rest.iter().map(|word| word.bare.as_str()));
            texts.collect::<Vec<_>>().join(" ")
        };
        self.texts.push(all(&first.bare));
        if name != first.bare {
            self.texts.push(all(name));
        }
    }
}
