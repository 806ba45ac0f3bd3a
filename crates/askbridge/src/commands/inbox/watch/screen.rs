//! Takes over the terminal, and always restores it.

use std::io::{self, Write, stdout};
use std::panic;

use askbridge_platform::terminal::Modes;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use crossterm::{execute, queue};

/// The terminal's alternate screen, in raw mode; restored when dropped.
pub(super) struct Screen {
    before: Modes,
}

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        let screen = Self { before: Modes::now() };
        // A panic prints its message before drops run; on the alternate screen it would vanish.
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

    /// Returns to the normal screen for a while.
    pub(super) fn suspend(&self) -> io::Result<()> {
        leave()
    }

    pub(super) fn resume(&self) -> io::Result<()> {
        enter()
    }
}

impl Screen {
    /// Restores the terminal for good, for callers that exit without dropping anything.
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
