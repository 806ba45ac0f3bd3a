//! Draws the board as lines of text.

use super::super::card::card;
use super::super::short_id::short_ids;
use super::board::{Board, Mode};
use super::choices::{choices, takes_several};
use crate::client::{Body, Shown};
use crate::output::{Paint, visible};

const HELP: &[&str] = &[
    "j, k, arrows   move",
    "Enter          open the ask; in it, send what is marked, or answer in words",
    "1 to 9         mark a choice; Enter sends it",
    "w              answer in words, step by step",
    "d              close it without an answer",
    "e              let it wait ten minutes longer",
    "u              take the last answer back, while that is possible",
    "Esc            back",
    "q, Ctrl-C      quit",
];

/// Returns at most `rows` lines. The terminal cuts those that are too wide.
pub(super) fn draw(board: &Board, rows: usize, paint: Paint) -> Vec<String> {
    let (body, keys) = match &board.mode {
        Mode::Help => (HELP.iter().map(|&line| line.to_owned()).collect(), "any key goes back"),
        Mode::List => (
            list(board, rows.saturating_sub(4), paint),
            "Enter opens, 1-9 choose, d closes, e extends, ? helps, q quits",
        ),
        Mode::Closing => (
            list(board, rows.saturating_sub(4), paint),
            "close it without an answer? y closes it, any other key does not",
        ),
        Mode::Card { marked, scroll } => {
            let lines = board.chosen().map(|ask| whole(ask, marked, paint)).unwrap_or_default();
            let keys = if marked.is_empty() {
                "1-9 choose, Enter answers in words, d closes, e extends, Esc goes back"
            } else {
                "Enter sends it, 1-9 choose, w answers in words, Esc goes back"
            };
            (scrolled(lines, *scroll, rows.saturating_sub(4)), keys)
        }
    };
    let title = match (board.is_lost, board.asks.len()) {
        (true, _) => "lost the connection to askbridge; waiting for it to come back".to_owned(),
        (false, 0) => "nothing waits for an answer".to_owned(),
        (false, 1) => "1 ask waits for an answer".to_owned(),
        (false, more) => format!("{more} asks wait for an answer"),
    };
    let mut lines = vec![paint.bold(&title), String::new()];
    lines.extend(body);
    // The note and the keys are always at the bottom.
    lines.resize(rows.saturating_sub(2), String::new());
    lines.push(visible(&board.note).replace('\n', "; "));
    lines.push(paint.dim(keys));
    lines
}

/// Returns the cards around the selected one, as many as fit.
fn list(board: &Board, rows: usize, paint: Paint) -> Vec<String> {
    let ids = short_ids(board.asks.iter().map(|ask| ask.shown.id.as_str()));
    let chosen = board.place().unwrap_or_default();
    let cards: Vec<Vec<String>> = board
        .asks
        .iter()
        .zip(&ids)
        .enumerate()
        .map(|(place, (ask, id))| {
            let mark = if place == chosen { ">" } else { " " };
            let card = card(&ask.shown, id, paint);
            let lines = card.lines().enumerate();
            let lines = lines.map(|(line, text)| format!("{} {text}", if line == 0 { mark } else { " " }));
            lines.chain([String::new()]).collect()
        })
        .collect();
    // Begin with the selected card, and include as many before it as fit.
    let mut first = chosen;
    let mut height = cards.get(chosen).map_or(0, Vec::len);
    while first > 0 && height + cards[first - 1].len() <= rows {
        first -= 1;
        height += cards[first].len();
    }
    cards.into_iter().skip(first).flatten().take(rows).collect()
}

/// Returns everything about one ask.
fn whole(ask: &Shown, marked: &[usize], paint: Paint) -> Vec<String> {
    let folder = ask.context.folder.as_ref().map(|folder| format!(" in {}", visible(folder))).unwrap_or_default();
    let mut lines = vec![paint.dim(&format!("{}{folder}, waiting {}", visible(&ask.agent), ask.asked_at.ago()))];
    if let Some(left) = ask.deadline.and_then(|deadline| deadline.ahead()) {
        lines.push(paint.dim(&format!("{} left", askbridge_core::verdict::spoken(left))));
    }
    lines.extend(ask.context.text.iter().flat_map(|text| text.lines().map(visible)));
    lines.push(String::new());
    match &ask.body {
        Body::Questions(questions) => {
            for question in questions {
                lines.extend(question.question.lines().map(|line| paint.bold(&visible(line))));
            }
        }
        Body::Approval(approval) => {
            lines.push(paint.bold(&format!("May {} run?", visible(&approval.tool))));
            lines.extend(approval.summary.iter().map(|summary| format!("  {}", visible(summary))));
            let input = serde_json::to_string_pretty(&approval.input).unwrap_or_default();
            lines.extend(input.lines().map(|line| format!("  {}", visible(line))));
            lines.extend(approval.reason.iter().map(|reason| format!("  because: {}", visible(reason))));
        }
        Body::Plan(plan) => lines.extend(plan.lines().map(visible)),
        Body::Form(form) => lines.push(paint.bold(&visible(&form.message))),
    }
    lines.push(String::new());
    let several = takes_several(ask);
    for (place, choice) in choices(ask).unwrap_or_default().iter().enumerate() {
        let mark = match (marked.contains(&place), several) {
            (true, true) => "[x]",
            (false, true) => "[ ]",
            (true, false) => "(x)",
            (false, false) => "( )",
        };
        let line = format!("{mark} {}. {choice}", place + 1);
        lines.push(if marked.contains(&place) { paint.bold(&line) } else { line });
        lines.extend(preview(ask, place));
    }
    lines
}

fn preview(ask: &Shown, place: usize) -> Vec<String> {
    let Body::Questions(questions) = &ask.body else { return Vec::new() };
    let option = questions.first().and_then(|question| question.options.get(place));
    let preview = option.and_then(|option| option.preview.as_deref()).unwrap_or_default();
    preview.lines().map(|line| format!("       | {}", visible(line))).collect()
}

fn scrolled(lines: Vec<String>, scroll: usize, rows: usize) -> Vec<String> {
    let first = scroll.min(lines.len().saturating_sub(rows));
    let below = lines.len().saturating_sub(first + rows);
    let mut shown: Vec<_> = lines.into_iter().skip(first).take(rows).collect();
    if below > 0
        && let Some(last) = shown.last_mut()
    {
        *last = format!("… {} more lines, with j", below + 1);
    }
    shown
}
