//! What simple shell commands read and write, as far as gobby guesses it.

/// What a command does to files.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ShellUse {
    pub(super) kind: &'static str,
    pub(super) paths: Vec<String>,
}

const CHAINS: &[&str] = &["&&", "||", ";", "|"];
const INPUTS: &[&str] = &["<", "<<", "<<<"];
const OUTPUTS: &[&str] = &[">", ">>", "1>", "1>>"];

/// `None` if the command is not simple, or not one of those that are known.
pub(super) fn shell_use(command: &str) -> Option<ShellUse> {
    let words = split(command)?;
    let is_any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if words.is_empty() || is_any(CHAINS) || is_any(INPUTS) {
        return None;
    }
    let written: Vec<String> = words
        .windows(2)
        .filter(|pair| OUTPUTS.contains(&pair[0].as_str()) && is_target(&pair[1]))
        .map(|pair| pair[1].clone())
        .collect();
    if !written.is_empty() {
        return Some(ShellUse { kind: "write", paths: unique(written) });
    }
    let operands: Vec<&String> = words[1..].iter().filter(|word| is_operand(word)).collect();
    let targets = |all: &[&String]| all.iter().filter(|it| is_target(it)).map(|it| (*it).clone()).collect();
    let last = || operands.last().map(|it| vec![*it]).unwrap_or_default();
    let files = || operands.iter().filter(|it| is_file_like(it)).map(|it| (*it).clone()).collect();
    let has_flag = |flag: fn(&str) -> bool| words[1..].iter().any(|word| flag(word));
    let (kind, paths) = match words[0].as_str() {
        "rg" | "grep" => ("search", Vec::new()),
        "git" if words.get(1).is_none_or(|verb| verb == "grep") => ("search", Vec::new()),
        "cat" | "head" | "tail" | "bat" | "nl" => ("read", files()),
        "sed" if words.len() >= 2 => {
            if has_flag(|word| word.starts_with("-i") || word == "--in-place" || word.starts_with("--in-place=")) {
                ("write", targets(&last()))
            } else {
                ("read", files())
            }
        }
        "perl" if has_flag(|word| word.starts_with("-pi") || word.starts_with("-i")) => ("write", targets(&last())),
        "tee" | "touch" | "rm" | "mkdir" | "rmdir" => ("write", targets(&operands)),
        "cp" | "mv" | "install" => ("write", targets(&last())),
        "truncate" => {
            let mut sized = false;
            let operands: Vec<&String> = words[1..]
                .iter()
                .filter(|word| {
                    let is_size = std::mem::replace(&mut sized, matches!(word.as_str(), "-s" | "--size"));
                    !is_size && is_operand(word)
                })
                .collect();
            ("write", targets(&operands))
        }
        _ => return None,
    };
    Some(ShellUse { kind, paths: unique(paths) })
}

fn unique(paths: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for path in paths {
        if !kept.contains(&path) {
            kept.push(path);
        }
    }
    kept
}

fn is_operator(word: &str) -> bool {
    [CHAINS, INPUTS, OUTPUTS].iter().any(|list| list.contains(&word))
}

fn is_operand(word: &str) -> bool {
    !word.is_empty() && !is_operator(word) && !word.starts_with('-')
}

fn looks_like_script(word: &str) -> bool {
    word.contains(['{', '}', '$', ';', '(', ')'])
}

fn is_file_like(word: &str) -> bool {
    !looks_like_script(word) && (word.contains('/') || (word.contains('.') && word != "." && word != ".."))
}

fn is_target(word: &str) -> bool {
    !word.is_empty() && !is_operator(word) && !word.starts_with(['-', '&']) && !looks_like_script(word)
}

/// Python's `shlex.split`; `None` for a quote that is not closed.
pub(super) fn split(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut has_word) = (Vec::new(), String::new(), false);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\r' | '\n' => {
                if has_word {
                    words.push(std::mem::take(&mut word));
                    has_word = false;
                }
            }
            '\\' => {
                word.push(chars.next()?);
                has_word = true;
            }
            '\'' => {
                has_word = true;
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                has_word = true;
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => match chars.next()? {
                            c @ ('"' | '\\') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            c => {
                word.push(c);
                has_word = true;
            }
        }
    }
    if has_word {
        words.push(word);
    }
    Some(words)
}
