//! The blocks of a page, and the commands and outputs in those that show a terminal.

/// A block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) language: String,
    pub(super) text: String,
}

/// A command, and the lines below it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) command: String,
    pub(super) output: Vec<String>,
}

/// Returns the blocks of a page in order, without the indentation of the list that they are in.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, Block)> = None;
    for line in page.lines() {
        let fence = line.trim_start().strip_prefix("```");
        let indent = line.len() - line.trim_start().len();
        match (open.take(), fence) {
            (None, Some(language)) => {
                open = Some((indent, Block { language: language.to_owned(), text: String::new() }));
            }
            (Some((_, block)), Some("")) => blocks.push(block),
            (Some((indent, mut block)), _) => {
                block.text.push_str(line.get(indent..).unwrap_or_default());
                block.text.push('\n');
                open = Some((indent, block));
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block does not end");
    blocks
}

/// Returns the block that contains a text.
#[track_caller]
pub(super) fn block_with(page: &str, text: &str) -> Block {
    let mut found = blocks(page).into_iter().filter(|block| block.text.contains(text));
    let block = found.next().unwrap_or_else(|| panic!("no block has `{text}`"));
    assert_eq!(found.next(), None, "more than one block has `{text}`");
    block
}

/// Returns the commands of a block that shows a terminal.
pub(super) fn steps(block: &Block) -> Vec<Step> {
    assert_eq!(block.language, "console");
    let mut steps: Vec<Step> = Vec::new();
    for line in block.text.lines() {
        let goes_on = steps.last().is_some_and(|step| step.output.is_empty() && step.command.ends_with('\\'));
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step { command: command.to_owned(), output: Vec::new() }),
            (None, Some(step)) if goes_on => {
                step.command.push('\n');
                step.command.push_str(line);
            }
            (None, Some(step)) => step.output.push(line.to_owned()),
            (None, None) => panic!("the block begins with an output: {line}"),
        }
    }
    steps
}

/// Whether a program printed these lines, among others and in this order. Numbers and ids may differ, `…` stands for
/// anything.
#[track_caller]
pub(super) fn assert_says(output: &[String], printed: &str) {
    let mut lines = printed.lines();
    for wanted in output.iter().filter(|line| line.trim() != "…") {
        let found = lines.any(|line| is_like(&plain(wanted), &plain(line)));
        assert!(found, "the guide says\n{wanted}\nand this was printed\n{printed}");
    }
}

/// A line without what differs between two runs: numbers, and ids.
fn plain(line: &str) -> String {
    let mut plain = String::new();
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let mut rest = line.trim_end();
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|char| is_part(char) != is_part(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        let is_id = word.len() >= 10 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        match word {
            word if !is_part(first) => plain.push_str(word),
            _ if is_id => plain.push('#'),
            word => {
                let mut digits = false;
                for char in word.chars() {
                    if !(char.is_ascii_digit() && digits) {
                        plain.push(if char.is_ascii_digit() { '#' } else { char });
                    }
                    digits = char.is_ascii_digit();
                }
            }
        }
        rest = after;
    }
    plain
}

fn is_like(wanted: &str, line: &str) -> bool {
    let mut parts = wanted.split('…');
    let Some(mut rest) = parts.next().and_then(|begin| line.strip_prefix(begin)) else { return false };
    let mut ends_anywhere = false;
    for part in parts {
        let Some(place) = rest.find(part) else { return false };
        rest = &rest[place + part.len()..];
        ends_anywhere = part.is_empty();
    }
    rest.is_empty() || ends_anywhere
}

#[test]
fn a_line_of_a_guide_is_like_one_of_another_run() {
    let alike = [
        ("monday.db: 48213 entries, 9120 sessions", "monday.db: 7 entries, 3 sessions"),
        ("http://127.0.0.1:4760/#pair=pair_…", "http://127.0.0.1:40123/#pair=pair_0s9df8"),
        ("revoke 2f9afddf02`", "revoke aaaaaaaaaa`"),
        ("good     settings  no file; flags", "good     settings  no file; flags"),
    ];
    for (wanted, line) in alike {
        assert!(is_like(&plain(wanted), &plain(line)), "{wanted} {line}");
    }
    assert!(!is_like(&plain("12 open asks"), &plain("12 open questions")));
    assert!(!is_like(&plain("ready"), &plain("ready or not")));
}
