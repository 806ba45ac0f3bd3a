//! `cargo xtask book`: renders the documentation as static pages in `target/book`, without scripts or a server.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pulldown_cmark::{CowStr, Event, Tag, html};

use crate::docs::{Pages, headings, is_elsewhere, links, pages, parser, target};
use crate::run::root;

const STYLE: &str = include_str!("book.css");
const SUMMARY: &str = "docs/SUMMARY.md";

/// Writes the book. Returns its first page.
pub(crate) fn run() -> Result<PathBuf> {
    let pages = pages()?;
    let book = root().join("target/book");
    if book.exists() {
        fs::remove_dir_all(&book)?;
    }
    let summary = pages.get(Path::new(SUMMARY)).context("docs/SUMMARY.md does not exist")?;
    for (page, text) in pages.iter().filter(|(page, _)| *page != Path::new(SUMMARY)) {
        let file = book.join(page).with_extension("html");
        fs::create_dir_all(file.parent().unwrap_or(&book))?;
        fs::write(&file, whole(&pages, page, text, summary))?;
    }
    // Linked files that are not pages: documents for programs.
    for (page, text) in &pages {
        for (path, _) in links(text).iter().filter(|link| !is_elsewhere(&link.to)).map(|link| target(page, &link.to)) {
            if path.starts_with("docs") && !pages.contains_key(&path) && root().join(&path).is_file() {
                fs::create_dir_all(book.join(&path).parent().unwrap_or(&book))?;
                fs::copy(root().join(&path), book.join(&path))?;
            }
        }
    }
    fs::write(book.join("book.css"), STYLE)?;
    let first = book.join("index.html");
    fs::write(
        &first,
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=README.html\"><a href=\"README.html\">askbridge</a>\n",
    )?;
    eprintln!("{} pages in {}", pages.len() - 1, first.display());
    Ok(first)
}

fn whole(pages: &Pages, page: &Path, text: &str, summary: &str) -> String {
    let up = "../".repeat(page.components().count() - 1);
    let title = headings(text).into_iter().next().map_or_else(|| "askbridge".to_owned(), |(_, title, _)| title);
    // The summary's links are relative to its own folder, and it is shown on every page.
    let nav = rendered(pages, Path::new(SUMMARY), summary, &up, Some(page));
    let body = rendered(pages, page, text, &up, None);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{} - askbridge</title>\n\
         <link rel=\"stylesheet\" href=\"{up}book.css\">\n</head>\n<body>\n\
         <nav aria-label=\"Contents\">\n<details open><summary>Contents</summary>\n{nav}</details>\n</nav>\n\
         <main>\n{body}</main>\n</body>\n</html>\n",
        escaped(&title)
    )
}

/// Renders Markdown, with links between the pages of the book and an anchor on every heading.
fn rendered(pages: &Pages, page: &Path, text: &str, up: &str, current: Option<&Path>) -> String {
    let mut anchors = headings(text).into_iter().map(|(.., anchor)| anchor);
    let events = parser(text).map(|event| match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = CowStr::from(href(pages, page, &dest_url, up, current));
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
            Event::Start(Tag::Heading { level, id: anchors.next().map(CowStr::from), classes, attrs })
        }
        // Raw HTML is shown as text, never interpreted.
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        event => event,
    });
    let mut written = String::new();
    html::push_html(&mut written, events);
    // On small screens a wide table scrolls by itself, not the page.
    written.replace("<table>", "<div class=\"wide\"><table>").replace("</table>", "</table></div>")
}

fn href(pages: &Pages, page: &Path, link: &str, up: &str, current: Option<&Path>) -> String {
    if is_elsewhere(link) {
        return link.to_owned();
    }
    let (path, anchor) = target(page, link);
    let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
    if current == Some(&path) {
        return "#".to_owned();
    }
    match pages.contains_key(&path) {
        true => format!("{up}{}{anchor}", path.with_extension("html").display()),
        false => format!("{up}{}", path.display()),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_link_to_each_other_and_html_is_only_shown() {
        let pages =
            Pages::from([(PathBuf::from("README.md"), String::new()), (PathBuf::from("docs/a.md"), String::new())]);
        let text = "# A title\n\n[top](../README.md#x) [out](https://example.org) <script>alert(1)</script>\n";
        let html = rendered(&pages, Path::new("docs/a.md"), text, "../", None);
        assert!(html.contains("<h1 id=\"a-title\">"), "{html}");
        assert!(html.contains("href=\"../README.html#x\""), "{html}");
        assert!(html.contains("href=\"https://example.org\""), "{html}");
        assert!(!html.contains("<script>"), "{html}");
    }
}
