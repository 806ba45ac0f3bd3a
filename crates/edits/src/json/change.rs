//! Inserts or removes one value in a JSON text, and keeps every other byte.

use std::ops::Range;

use super::style::{Style, begins_its_line, indent_at, on_one_line, quoted};
use super::tree::Tree;
use super::trivia;
use crate::node::Node;

/// Adds a value at the end of an object (with a name) or an array (without).
pub(crate) fn add(text: &str, tree: &Tree, within: &[usize], name: Option<&str>, node: &Node) -> Option<String> {
    let container = tree.at(within)?;
    let style = Style::of(text, tree);
    let labelled = |written: String| match name {
        Some(name) => format!("{}: {written}", quoted(name)),
        None => written,
    };
    let outer = indent_at(text, container.span.start);
    let stretches = container.stretches();
    let Some(last) = stretches.last() else {
        return Some(add_first(
            text,
            container,
            outer,
            style,
            |indent| labelled(style.write(node, indent)),
            || labelled(on_one_line(node)),
        ));
    };
    let comma = trivia::comma(text, last.end);
    let after = comma.map_or(last.end, |comma| comma + 1);
    let (place, written) = if text[container.span.start..last.start].contains('\n') {
        let indent = if begins_its_line(text, last.start) {
            indent_at(text, last.start).to_owned()
        } else {
            format!("{outer}{}", style.unit)
        };
        let written = format!("{}{indent}{}", style.newline, labelled(style.write(node, &indent)));
        (trivia::end_on_this_line(text, after), written)
    } else {
        (after, format!(" {}", labelled(on_one_line(node))))
    };
    // A trailing comma stays at the end; without one, the value before needs a comma.
    Some(match comma {
        Some(_) => format!("{}{written},{}", &text[..place], &text[place..]),
        None => format!("{},{}{written}{}", &text[..last.end], &text[last.end..place], &text[place..]),
    })
}

fn add_first(
    text: &str,
    container: &Tree,
    outer: &str,
    style: Style<'_>,
    on_lines: impl Fn(&str) -> String,
    on_one_line: impl Fn() -> String,
) -> String {
    let inside = container.span.start + 1..container.span.end - 1;
    if !text.trim_end().contains('\n') && container.span.start > 0 {
        return format!("{}{}{}", &text[..inside.end], on_one_line(), &text[inside.end..]);
    }
    // Comments inside stay before it.
    let place = trivia::blanks_before(text, inside.end).max(inside.start);
    let indent = format!("{outer}{}", style.unit);
    let ends_its_line = text[place..inside.end].contains('\n');
    let tail = if ends_its_line { String::new() } else { format!("{}{outer}", style.newline) };
    format!("{}{}{indent}{}{tail}{}", &text[..place], style.newline, on_lines(&indent), &text[place..])
}

/// Replaces a value.
pub(crate) fn replace(text: &str, tree: &Tree, at: &[usize], node: &Node) -> Option<String> {
    let span = &tree.at(at)?.span;
    let written = if text[tree.span.clone()].contains('\n') {
        Style::of(text, tree).write(node, indent_at(text, span.start))
    } else {
        on_one_line(node)
    };
    Some(format!("{}{written}{}", &text[..span.start], &text[span.end..]))
}

/// Removes a value with its name and its comma.
pub(crate) fn remove(text: &str, tree: &Tree, at: &[usize]) -> Option<String> {
    let (place, within) = at.split_last()?;
    let container = tree.at(within)?;
    let stretches = container.stretches();
    let stretch = stretches.get(*place)?;
    let before = place.checked_sub(1).and_then(|place| stretches.get(place));
    let comma = trivia::comma(text, stretch.end);
    let mut cuts = Vec::new();
    // The last value of a list without a trailing comma: the comma before it goes.
    if let (Some(before), None) = (before, comma) {
        cuts.extend(trivia::comma(text, before.end).map(|comma| comma..comma + 1));
    }
    let begins = before.map_or(container.span.start + 1, |before| before.end);
    let end = comma.map_or(stretch.end, |comma| comma + 1);
    // A comment between the value and its comma is the person's, and stays.
    let kept: Vec<_> = trivia::comments(text, stretch.end..end.saturating_sub(1).max(stretch.end));
    cuts.push(blanks(text, begins, stretch.start, end)..stretch.end);
    cuts.extend(comma.map(|comma| if kept.is_empty() { stretch.end..comma + 1 } else { comma..comma + 1 }));
    let mut left = cut(text, &cuts);
    if stretches.len() == 1 {
        left = close_up(&left, container, text.len());
    }
    Some(left)
}

/// Where to begin to cut: with the blanks before, unless a comment would then swallow the rest of the line.
fn blanks(text: &str, from: usize, start: usize, end: usize) -> usize {
    let blanks = trivia::blanks_before(text, start);
    let comma = trivia::comma(text, from).map_or(from, |comma| comma + 1).min(start);
    let last = trivia::comments(text, comma..start).pop();
    let follows_on_line = text[end..].trim_start_matches([' ', '\t']);
    let line_goes_on = !follows_on_line.is_empty() && !follows_on_line.starts_with(['\r', '\n']);
    match last {
        Some(comment) if comment.to_line_end && line_goes_on => start,
        _ => blanks,
    }
}

fn cut(text: &str, cuts: &[Range<usize>]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        left.push_str(&text[at.min(cut.start)..cut.start]);
        at = cut.end;
    }
    left.push_str(&text[at..]);
    left
}

/// Closes brackets that have only blanks between them.
fn close_up(left: &str, container: &Tree, before: usize) -> String {
    let close = container.span.end - 1 - (before - left.len());
    let open = container.span.start + 1;
    match left[open..close].chars().all(trivia::is_blank) {
        true => format!("{}{}", &left[..open], &left[close..]),
        false => left.to_owned(),
    }
}
