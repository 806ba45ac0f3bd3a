//! `cargo xtask links`: checks that every link between the pages leads somewhere, that every source file that they name
//! exists, and that every page is in the book.

use std::path::Path;

use anyhow::{Result, bail};

use crate::docs::{Pages, headings, is_elsewhere, links, pages, target};
use crate::run::{output, root};

/// Pages that are reached in other ways: each error names its own page.
const NOT_IN_THE_BOOK: &[&str] = &["docs/errors", "docs/SUMMARY.md"];

/// Kinds of files that pages lead a reader to.
const SOURCES: &[&str] = &["rs", "ts", "tsx"];

pub(crate) fn run() -> Result<()> {
    let pages = pages()?;
    let mut complaints = Vec::new();
    for (page, text) in &pages {
        for link in links(text).iter().filter(|link| !is_elsewhere(&link.to)) {
            if let Some(why) = wrong(&pages, page, &link.to) {
                complaints.push(format!("{}:{}: `{}` {why}", page.display(), link.line, link.to));
            }
        }
    }
    complaints.extend(orphans(&pages));
    complaints.extend(missing_files(&pages)?);
    if complaints.is_empty() {
        eprintln!("{} pages, and every link leads somewhere", pages.len());
        return Ok(());
    }
    bail!("links that lead nowhere:\n  {}", complaints.join("\n  "));
}

fn wrong(pages: &Pages, page: &Path, link: &str) -> Option<&'static str> {
    let (path, anchor) = target(page, link);
    let Some(text) = pages.get(&path) else {
        let exists = root().join(&path).exists();
        return match (exists, anchor) {
            (true, None) => None,
            (true, Some(_)) => Some("has an anchor and is no page"),
            (false, _) => Some("does not exist"),
        };
    };
    let anchor = anchor?;
    let known = headings(text).iter().any(|(.., known)| *known == anchor);
    (!known).then_some("names a heading that is not there")
}

/// Returns the source files that a page names in backticks and that do not exist. A page may leave out the folders that
/// its text has named before.
fn missing_files(pages: &Pages) -> Result<Vec<String>> {
    let tracked = output("git", &["-C", &root().display().to_string(), "ls-files"])?;
    let tracked: Vec<_> = tracked.lines().map(Path::new).collect();
    let missing = pages.iter().flat_map(|(page, text)| {
        let named = quoted_files(text).filter(|file| !tracked.iter().any(|path| path.ends_with(file)));
        named.map(|file| format!("{}: `{file}` does not exist", page.display())).collect::<Vec<_>>()
    });
    Ok(missing.collect())
}

fn quoted_files(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let is_path = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte));
    let is_source = |word: &&str| Path::new(word).extension().is_some_and(|kind| SOURCES.iter().any(|it| kind == *it));
    quoted.filter(is_path).filter(is_source)
}

/// Returns the pages under `docs/` that the summary does not name.
fn orphans(pages: &Pages) -> Vec<String> {
    let summary = Path::new("docs/SUMMARY.md");
    let Some(text) = pages.get(summary) else { return vec!["docs/SUMMARY.md does not exist".to_owned()] };
    let named: Vec<_> = links(text).iter().map(|link| target(summary, &link.to).0).collect();
    let docs = pages.keys().filter(|page| page.starts_with("docs"));
    let free = |page: &Path| NOT_IN_THE_BOOK.iter().any(|free| page.starts_with(free));
    let orphans = docs.filter(|page| !named.contains(page) && !free(page));
    orphans.map(|page| format!("{} is not in docs/SUMMARY.md", page.display())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn a_link_to_a_missing_page_or_heading_is_found() {
        let page = |text: &str| text.to_owned();
        let pages = Pages::from([
            (PathBuf::from("README.md"), page("# Top\n## Here\n")),
            (PathBuf::from("docs/SUMMARY.md"), page("[a](a.md)")),
            (PathBuf::from("docs/a.md"), page("# A\n")),
            (PathBuf::from("docs/b.md"), page("# B\n")),
        ]);
        let from = Path::new("docs/a.md");
        assert_eq!(wrong(&pages, from, "../README.md#here"), None);
        assert_eq!(wrong(&pages, from, "#a"), None);
        assert!(wrong(&pages, from, "../README.md#there").is_some());
        assert!(wrong(&pages, from, "c.md").is_some());
        assert_eq!(orphans(&pages), ["docs/b.md is not in docs/SUMMARY.md"]);
    }
}
