//! Splits a shell's input into simple commands, and these into words.

use askbridge_core::limits;
use askbridge_core::rules::asks::{Part, Script};

use super::{escapes, suspects};

/// How deep commands within commands are followed. Beyond: they are not looked into, and nothing is allowed.
pub(super) const DEPTH_MAX: usize = 8;

/// Bytes of texts that one input may give, and bytes that are read to find them. Beyond, the input counts as one that
/// may run anything.
pub(super) const BYTES_MAX: usize = 2 * 1024 * 1024;

/// One word of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// As it was written, with its quotes.
    pub(super) written: String,
    /// Without quotes and backslashes.
    pub(super) bare: String,
}

/// What was found in a text.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) commands: Vec<Vec<Word>>,
    /// Texts that are commands themselves: in `$(…)`, backticks, `<(…)`.
    pub(super) nested: Vec<String>,
    /// Texts that a command reads from its input: here-documents and here-strings. A shell runs them.
    pub(super) fed: Vec<String>,
    /// Is there something that we do not understand, or that changes what runs?
    pub(super) is_unclear: bool,
    /// Is there more nested in it than fits?
    pub(super) is_beyond: bool,
    nested_bytes: usize,
}

impl Found {
    fn nest(&mut self, text: String) {
        self.nested_bytes += text.len();
        self.is_beyond |= self.nested_bytes > BYTES_MAX;
        if !self.is_beyond {
            self.nested.push(text);
        }
    }
}

/// Reads a command.
pub(crate) fn script(text: &str) -> Script {
    let found = scan(text);
    let has_controls = text.chars().any(|c| c.is_control() && c != '\n' && c != '\t');
    let is_plain = !found.is_unclear
        && !has_controls
        && text.len() <= limits::RULED_COMMAND_BYTES_MAX
        && !found.commands.is_empty()
        && found.commands.iter().all(|words| !changes_what_runs(words));
    let plain = is_plain.then(|| found.commands.iter().map(|words| part(words)).collect());
    let (suspects, is_beyond) = suspects::of(text);
    Script { text: text.trim().to_owned(), plain, suspects, is_beyond }
}

/// Words after which the shell reads on in another way, and commands that run their arguments as shell code.
const CONSTRUCTS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "function",
    "coproc", "{", "}", "!", "[[", "((", "eval", "source", ".", "exec", "trap", "alias", "builtin", "enable",
];

fn changes_what_runs(words: &[Word]) -> bool {
    let first = words.iter().find(|word| !is_assignment(word));
    first.is_none_or(|word| CONSTRUCTS.contains(&word.bare.as_str()))
}

fn part(words: &[Word]) -> Part {
    let texts = |words: &[Word]| words.iter().map(|word| word.written.as_str()).collect::<Vec<_>>().join(" ");
    let assigned = words.iter().take_while(|word| is_assignment(word)).count();
    let assigned_bytes = if assigned == 0 { 0 } else { texts(&words[..assigned]).len() + 1 };
    Part { text: texts(words), assigned_bytes }
}

/// Is it `NAME=value` or `NAME[0]=value`, before a command?
pub(super) fn is_assignment(word: &Word) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let rest = word.written.trim_start_matches(is_part);
    let name = &word.written[..word.written.len() - rest.len()];
    let is_name = !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
    let is_element = rest.starts_with('[') && (rest.contains("]=") || rest.contains("]+="));
    is_name && (rest.starts_with('=') || rest.starts_with("+=") || is_element)
}

pub(super) fn scan(text: &str) -> Found {
    let mut scan = Scan { rest: text, found: Found::default(), words: Vec::new(), word: None, here: Vec::new() };
    scan.run();
    scan.found
}

struct Scan<'a> {
    rest: &'a str,
    found: Found,
    words: Vec<Word>,
    word: Option<Word>,
    /// Here-documents that begin at the next line: their end, and whether they are expanded.
    here: Vec<(String, bool)>,
}

impl Scan<'_> {
    fn run(&mut self) {
        while let Some(c) = self.rest.chars().next() {
            match c {
                ' ' | '\t' => {
                    self.skip(1);
                    self.end_word();
                }
                '\n' => {
                    self.skip(1);
                    self.end_command();
                    self.skip_here_documents();
                }
                ';' => {
                    self.skip(1);
                    self.end_command();
                }
                '|' => {
                    let is_or = self.rest.starts_with("||");
                    self.skip(if is_or { 2 } else { 1 });
                    // `|&` goes on as a background job would, which is unclear as well.
                    self.end_command();
                }
                '&' if self.rest.starts_with("&&") => {
                    self.skip(2);
                    self.end_command();
                }
                '&' if self.rest.starts_with("&>") => {
                    // Only bash and zsh redirect. In other shells the `&` ends the command, and a next one begins.
                    self.found.is_unclear = true;
                    self.found.nest(self.rest[1..].to_owned());
                    self.redirect();
                }
                '&' => {
                    self.found.is_unclear = true;
                    self.skip(1);
                    self.end_command();
                }
                '(' | ')' => {
                    self.found.is_unclear = true;
                    self.skip(1);
                    self.end_command();
                }
                '<' | '>' => match self.rest[1..].starts_with('(') {
                    true => self.nest(2),
                    false => self.redirect(),
                },
                '#' if self.word.is_none() => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.skip(end);
                }
                _ => self.piece(c),
            }
        }
        self.end_command();
    }

    /// Takes one piece of a word.
    fn piece(&mut self, c: char) {
        match c {
            '\\' => {
                let next = self.rest[1..].chars().next();
                match next {
                    // A line that goes on.
                    Some('\n') => self.skip(2),
                    Some(next) => self.put(1 + next.len_utf8(), &next.to_string()),
                    None => {
                        self.found.is_unclear = true;
                        self.put(1, "");
                    }
                }
            }
            '\'' => {
                let end = self.rest[1..].find('\'');
                self.found.is_unclear |= end.is_none();
                let end = end.map_or(self.rest.len(), |end| end + 1);
                let inside = self.rest[1..end].to_owned();
                self.put((end + 1).min(self.rest.len()), &inside);
            }
            '"' => self.double_quoted(),
            '$' => self.dollar(),
            '`' => {
                self.found.is_unclear = true;
                let (inside, taken) = backticked(self.rest);
                self.found.nest(inside);
                self.put(taken, "");
            }
            // Expanded to several words.
            '{' | '}' => {
                self.found.is_unclear = true;
                self.put(1, &c.to_string());
            }
            _ => self.put(c.len_utf8(), &c.to_string()),
        }
    }

    fn double_quoted(&mut self) {
        let mut bare = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        let mut end = None;
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    end = Some(at + 1);
                    break;
                }
                '\\' => {
                    if let Some((_, next)) = chars.next() {
                        bare.push(next);
                    }
                }
                '$' | '`' => {
                    self.found.is_unclear = true;
                    let rest = &self.rest[at..];
                    let nested = match (c, rest.starts_with("$(")) {
                        ('`', _) => Some(backticked(rest)),
                        (_, true) => Some(parenthesized(&rest[1..]).map_taken(1)),
                        _ => None,
                    };
                    if let Some((inside, taken)) = nested {
                        self.found.nest(inside);
                        // Go on after it.
                        while chars.clone().next().is_some_and(|(next, _)| next < at + taken) {
                            chars.next();
                        }
                    } else {
                        bare.push(c);
                    }
                }
                c => bare.push(c),
            }
        }
        self.found.is_unclear |= end.is_none();
        self.put(end.unwrap_or(self.rest.len()), &bare);
    }

    fn dollar(&mut self) {
        self.found.is_unclear = true;
        match self.rest.as_bytes().get(1) {
            Some(b'(') => self.nest(2),
            Some(b'\'') => {
                let (bare, taken) = escapes::quoted(self.rest);
                self.put(taken, &bare);
            }
            // A text to be translated: quotes all the same.
            Some(b'"') => self.put(1, ""),
            Some(b'{') => {
                let (inside, taken) = braced(&self.rest[1..]);
                let written = self.rest[..1 + taken].to_owned();
                self.found.nest(inside);
                self.put(1 + taken, &written);
            }
            _ => self.put(1, "$"),
        }
    }

    /// Takes `$(…)`, `<(…)` or `>(…)`, of which the first two characters are these.
    fn nest(&mut self, opening: usize) {
        self.found.is_unclear = true;
        let (inside, taken) = parenthesized(&self.rest[opening - 1..]);
        self.found.nest(inside);
        self.put(opening - 1 + taken, "");
    }

    /// Takes a redirection and its target, which is no word of the command.
    fn redirect(&mut self) {
        // `2>` and the like: the number belongs to the redirection.
        if self.word.as_ref().is_some_and(|word| word.written.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        let is_operator = |byte: &u8| b"<>&|-".contains(byte);
        // No operator is longer, and looking further each time would take long in a row of them.
        let operator = self.rest.bytes().take(4).take_while(is_operator).count();
        let operator = &self.rest[..operator];
        let (is_here, operator) = match operator {
            _ if operator.starts_with("<<<") => (false, "<<<"),
            _ if operator.starts_with("<<-") => (true, "<<-"),
            _ if operator.starts_with("<<") => (true, "<<"),
            _ => {
                let length =
                    [">>", ">|", ">&", "<&", "<>", "&>>", "&>"].iter().find(|known| operator.starts_with(**known));
                (false, length.copied().unwrap_or(if operator.starts_with('<') { "<" } else { ">" }))
            }
        };
        let operator = operator.to_owned();
        self.skip(operator.len());
        let spaces = self.rest.len() - self.rest.trim_start_matches([' ', '\t']).len();
        self.skip(spaces);
        let target = self.target();
        if is_here {
            let is_quoted = target.written != target.bare;
            self.here.push((target.bare, !is_quoted));
            self.found.is_unclear = true;
            return;
        }
        if operator == "<<<" {
            self.found.fed.push(target.bare.clone());
        }
        let to_nowhere = target.bare == "/dev/null" && operator != "<>";
        let copies = operator.ends_with('&') && target.bare.bytes().all(|byte| byte.is_ascii_digit());
        self.found.is_unclear |= target.bare.is_empty() || !(to_nowhere || copies);
    }

    /// Takes one word aside.
    fn target(&mut self) -> Word {
        while let Some(c) = self.rest.chars().next() {
            match c {
                ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')' => break,
                c => self.piece(c),
            }
        }
        self.word.take().unwrap_or_default()
    }

    fn skip_here_documents(&mut self) {
        for (end, is_expanded) in std::mem::take(&mut self.here) {
            let mut body = String::new();
            while !self.rest.is_empty() {
                let line = self.rest.split_inclusive('\n').next().unwrap_or(self.rest);
                let is_end = line.trim() == end;
                self.skip(line.len());
                if is_end {
                    break;
                }
                body.push_str(line);
            }
            if is_expanded {
                // As if in double quotes: only what is nested in it runs.
                let inside = scan(&format!("\"{}\"", body.replace('"', " ")));
                inside.nested.into_iter().for_each(|nested| self.found.nest(nested));
            }
            self.found.fed.push(body);
        }
    }

    /// Adds the next bytes to the word; without quotes they are `bare`.
    fn put(&mut self, bytes: usize, bare: &str) {
        let word = self.word.get_or_insert_default();
        word.written.push_str(&self.rest[..bytes]);
        word.bare.push_str(bare);
        self.skip(bytes);
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.found.commands.push(std::mem::take(&mut self.words));
        }
    }
}

trait MapTaken {
    fn map_taken(self, more: usize) -> Self;
}

impl MapTaken for (String, usize) {
    fn map_taken(self, more: usize) -> Self {
        (self.0, self.1 + more)
    }
}

/// Returns what is between the parenthesis that the text begins with and its match, and how many bytes that takes.
fn parenthesized(text: &str) -> (String, usize) {
    let (mut depth, mut quote) = (0usize, None);
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => drop(chars.next()),
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth -= 1;
                if depth == 0 {
                    return (text[1..at].to_owned(), at + 1);
                }
            }
            (None, _) => {}
        }
    }
    (text.get(1..).unwrap_or_default().to_owned(), text.len())
}

/// The same for the brace of `${…}`, in which blanks separate no words. All of it is looked into as well, so an end that
/// the shell finds elsewhere hides nothing.
fn braced(text: &str) -> (String, usize) {
    let mut depth = 0usize;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '{' => depth += 1,
            '}' if depth == 1 => return (text[1..at].to_owned(), at + 1),
            '}' => depth -= 1,
            _ => {}
        }
    }
    (text[1..].to_owned(), text.len())
}

/// The same for the backtick that the text begins with.
fn backticked(text: &str) -> (String, usize) {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '`' => return (text[1..at].replace("\\`", "`"), at + 1),
            _ => {}
        }
    }
    (text[1..].to_owned(), text.len())
}
