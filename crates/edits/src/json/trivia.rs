//! Blanks and comments between values.

use std::ops::Range;

/// A comment, without the line ending after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comment {
    pub(crate) span: Range<usize>,
    /// `// …`: it extends to the end of its line.
    pub(crate) to_line_end: bool,
}

/// Skips blanks and comments. Returns where the next token begins; the error is where an unclosed comment begins.
pub(crate) fn skip(text: &str, from: usize) -> Result<usize, usize> {
    let mut at = from;
    loop {
        at = skip_blanks(text, at);
        match comment(text, at)? {
            Some(comment) => at = comment.span.end,
            None => return Ok(at),
        }
    }
}

/// The comments in a range of blanks and comments.
pub(crate) fn comments(text: &str, within: Range<usize>) -> Vec<Comment> {
    let mut found = Vec::new();
    let mut at = skip_blanks(text, within.start);
    while at < within.end {
        let Ok(Some(comment)) = comment(text, at) else { break };
        at = skip_blanks(text, comment.span.end);
        found.push(comment);
    }
    found
}

/// Where the last comment ends that begins on this line, or `from` if there is none.
pub(crate) fn end_on_this_line(text: &str, from: usize) -> usize {
    let mut end = from;
    loop {
        let blanks = text[end..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        match comment(text, end + blanks) {
            Ok(Some(comment)) if !text[comment.span.clone()].contains('\n') => end = comment.span.end,
            _ => return end,
        }
    }
}

/// The comma after the value that ends at `from`, if there is one.
pub(crate) fn comma(text: &str, from: usize) -> Option<usize> {
    skip(text, from).ok().filter(|at| text[*at..].starts_with(','))
}

/// Where the blanks before `to` begin.
pub(crate) fn blanks_before(text: &str, to: usize) -> usize {
    text[..to].trim_end_matches(is_blank).len()
}

pub(crate) fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r' | '\n')
}

fn skip_blanks(text: &str, from: usize) -> usize {
    text.len() - text[from..].trim_start_matches(is_blank).len()
}

fn comment(text: &str, at: usize) -> Result<Option<Comment>, usize> {
    let rest = &text[at..];
    if rest.starts_with("//") {
        let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
        let line = line.strip_suffix('\r').unwrap_or(line);
        return Ok(Some(Comment { span: at..at + line.len(), to_line_end: true }));
    }
    if let Some(inside) = rest.strip_prefix("/*") {
        let end = inside.find("*/").ok_or(at)?;
        return Ok(Some(Comment { span: at..at + 2 + end + 2, to_line_end: false }));
    }
    Ok(None)
}
