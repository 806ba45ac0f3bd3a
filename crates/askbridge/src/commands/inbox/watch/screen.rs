//! The terminal, taken over and given back: whatever happens, it is as it was before.

use std::io::{self, Write, stdout};
use std::panic;

use askbridge_platform::terminal::Modes;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use crossterm::{execute, queue};

/// Gives the terminal back when it is dropped.
pub(super) struct Screen {
    before: Modes,
}

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        let screen = Self { before: Modes::now() };
        // A panic writes its message before anything is dropped: it should not land on a screen that vanishes.
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let _ = leave();
            print(info);
        }));
        enter()?;
        Ok(screen)
    }

    pub(super) fn rows(&self) -> usize {
        size().map_or(24, |(_, rows)| usize::from(rows))
    }

    /// Shows these lines and nothing else.
    pub(super) fn show(&self, lines: &[String]) -> io::Result<()> {
        let mut out = stdout().lock();
        for (row, line) in (0u16..).zip(lines) {
            queue!(out, MoveTo(0, row))?;
            write!(out, "{line}")?;
            queue!(out, Clear(ClearType::UntilNewLine))?;
        }
        queue!(out, Clear(ClearType::FromCursorDown))?;
        out.flush()
    }

    /// Gives the terminal back for a while.
    pub(super) fn suspend(&self) -> io::Result<()> {
        leave()
    }

    pub(super) fn resume(&self) -> io::Result<()> {
        enter()
    }
}

impl Screen {
    /// Gives the terminal back for good, for whoever ends the program without dropping anything.
    pub(super) fn give_back(&self) {
        // If this fails, the terminal is gone.
        let _ = leave();
        self.before.restore();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.give_back();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, DisableLineWrap, Hide, Clear(ClearType::All))
}

fn leave() -> io::Result<()> {
    execute!(stdout(), EnableLineWrap, Show, LeaveAlternateScreen)?;
    disable_raw_mode()
}
