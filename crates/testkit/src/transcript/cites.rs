//! Citations in transcripts: each line names the sentences in `facts.md`, about the original, that it is based on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const MARK: char = '§';

/// Splits the citation off a line: `§4,7 > text`.
pub(super) fn cited(line: &str) -> (Option<&str>, &str) {
    match line.split_once(' ') {
        Some((cite, rest)) if cite.starts_with(MARK) => (Some(cite), rest.trim_start()),
        _ => (None, line),
    }
}

/// Finds lines without a citation, citations of sentences that do not exist, and sentences that no line cites.
pub(super) fn check(folder: &Path, files: &[PathBuf]) -> Vec<String> {
    let Ok(facts) = fs::read_to_string(folder.join("facts.md")) else { return Vec::new() };
    let known: BTreeSet<u32> = facts.lines().filter_map(|line| numbers(cited(line).0?)?.first().copied()).collect();
    let (mut used, mut wrong) = (BTreeSet::from([0]), Vec::new());
    for file in files {
        let text = fs::read_to_string(file).unwrap_or_default();
        for (number, line) in text.lines().enumerate() {
            let (cite, rest) = cited(line);
            let is_frame = rest.starts_with('<') || rest.starts_with('>');
            let mut say = |why: &str| wrong.push(format!("{}:{}: {why}", file.display(), number + 1));
            match cite.map(numbers) {
                None if is_frame => {
                    say("this rests on no sentence; begin the line with its number in facts.md, like `§4 `")
                }
                None => {}
                Some(None) => say("a citation is one or more numbers, like `§4` or `§4,7`"),
                Some(Some(numbers)) => {
                    for cited in numbers {
                        if cited != 0 && !known.contains(&cited) {
                            say(&format!("there is no sentence {cited} in facts.md"));
                        }
                        used.insert(cited);
                    }
                }
            }
        }
    }
    let unused = known.difference(&used);
    wrong.extend(unused.map(|number| format!("{}: nothing rests on sentence {number}", folder.display())));
    wrong
}

fn numbers(cite: &str) -> Option<Vec<u32>> {
    let numbers: Option<Vec<_>> = cite.strip_prefix(MARK)?.split(',').map(|number| number.parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_rest_on_nothing_and_sentences_without_lines_are_found() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("facts.md"), "# Facts\n\n§1 \"one\"\n§2 \"two\"\n§3 \"three\"\n").unwrap();
        let file = folder.path().join("talk.txt");
        fs::write(&file, "§1 < a\n§1,2 > b\n§0 > c\n# words\nwake\n> d\n§9 > e\n§x > f\n").unwrap();
        let wrong = check(folder.path(), &[file]);
        let ends = ["like `§4 `", "no sentence 9 in facts.md", "like `§4` or `§4,7`", "nothing rests on sentence 3"];
        assert_eq!(wrong.len(), ends.len(), "{wrong:?}");
        assert!(wrong.iter().zip(ends).all(|(wrong, end)| wrong.ends_with(end)), "{wrong:?}");
    }
}
