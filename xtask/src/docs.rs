//! The pages of the documentation: their headings and their links.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::run::root;

/// Pages at the top of the repository.
const AT_THE_TOP: &[&str] =
    &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "AGENTS.md", "CHANGELOG.md"];

/// Pages by their path from the repository's root, with their text.
pub(crate) type Pages = BTreeMap<PathBuf, String>;

pub(crate) fn pages() -> Result<Pages> {
    let mut pages = Pages::new();
    for name in AT_THE_TOP {
        pages.insert(PathBuf::from(name), fs::read_to_string(root().join(name)).with_context(|| (*name).to_owned())?);
    }
    below(Path::new("docs"), &mut pages)?;
    Ok(pages)
}

fn below(folder: &Path, pages: &mut Pages) -> Result<()> {
    for entry in fs::read_dir(root().join(folder))? {
        let path = folder.join(entry?.file_name());
        if root().join(&path).is_dir() {
            below(&path, pages)?;
        } else if path.extension().is_some_and(|end| end == "md") {
            let text = fs::read_to_string(root().join(&path))?;
            pages.insert(path, text);
        }
    }
    Ok(())
}

pub(crate) fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

/// A link, and the line it is on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) to: String,
    pub(crate) line: usize,
}

pub(crate) fn links(text: &str) -> Vec<Link> {
    let found = parser(text).into_offset_iter().filter_map(|(event, place)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(Link { to: dest_url.to_string(), line: 1 + text[..place.start].matches('\n').count() })
        }
        _ => None,
    });
    found.collect()
}

/// Returns the headings with their level, their text and the anchor that GitHub makes of it.
pub(crate) fn headings(text: &str) -> Vec<(usize, String, String)> {
    let mut headings: Vec<(usize, String, String)> = Vec::new();
    let mut current: Option<(usize, String)> = None;
    for event in parser(text) {
        match (event, &mut current) {
            (Event::Start(Tag::Heading { level, .. }), _) => current = Some((level as usize, String::new())),
            (Event::Text(part) | Event::Code(part), Some((_, title))) => title.push_str(&part),
            (Event::End(TagEnd::Heading(_)), _) => {
                if let Some((level, title)) = current.take() {
                    let base = anchor(&title);
                    let twins = headings.iter().filter(|(.., known)| is_twin(known, &base)).count();
                    let anchor = if twins == 0 { base } else { format!("{base}-{twins}") };
                    headings.push((level, title, anchor));
                }
            }
            _ => {}
        }
    }
    headings
}

fn is_twin(known: &str, base: &str) -> bool {
    let rest = known.strip_prefix(base);
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok()))
}

/// Returns GitHub's anchor: lower case, without punctuation, with dashes for spaces.
fn anchor(title: &str) -> String {
    let kept = title.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Does the link lead out of the repository?
pub(crate) fn is_elsewhere(link: &str) -> bool {
    link.contains("://") || link.starts_with("mailto:")
}

/// Returns the target of a link on `page`, from the repository's root, and the anchor there.
pub(crate) fn target(page: &Path, link: &str) -> (PathBuf, Option<String>) {
    let (path, anchor) = match link.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.to_owned())),
        None => (link, None),
    };
    if path.is_empty() {
        return (page.to_owned(), anchor);
    }
    let mut whole = PathBuf::new();
    for part in page.parent().unwrap_or(Path::new("")).join(path).components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    (whole, anchor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_github() {
        let text = "# POST /v1/asks\n## `[[rules]]`, and more\n## Twice\n## Twice\n";
        let anchors: Vec<_> = headings(text).into_iter().map(|(.., anchor)| anchor).collect();
        assert_eq!(anchors, ["post-v1asks", "rules-and-more", "twice", "twice-1"]);
    }

    #[test]
    fn a_link_leads_somewhere_from_its_page() {
        let page = Path::new("docs/guides/a.md");
        assert_eq!(target(page, "../b.md#x"), (PathBuf::from("docs/b.md"), Some("x".to_owned())));
        assert_eq!(target(page, "../../README.md"), (PathBuf::from("README.md"), None));
        assert_eq!(target(page, "#here"), (page.to_owned(), Some("here".to_owned())));
    }

    #[test]
    fn links_in_code_are_no_links() {
        let text = "see [a](b.md)\n\n```\n[x](y.md)\n```\n`[p](q.md)`\n";
        assert_eq!(links(text), [Link { to: "b.md".to_owned(), line: 1 }]);
    }
}
