//! `askbridge inbox --watch`: a board for the keyboard on a terminal, lines or JSON otherwise.

mod board;
mod choices;
mod draw;
mod feed;
mod lines;
mod live;
mod screen;

pub(super) use lines::{Look, print_lines};
pub(super) use live::live;
