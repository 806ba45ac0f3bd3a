//! Prompts in a terminal. They go to stderr: stdout is for data.

use std::io::{BufRead, IsTerminal, Write, stderr, stdin};

use askbridge_platform::terminal::Modes;

use crate::failure::Failure;
use crate::output::{Paint, tell};
use crate::settings::Settings;

#[derive(Debug)]
pub(crate) struct Prompt {
    pub(crate) paint: Paint,
    is_possible: bool,
}

impl Prompt {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self { paint: Paint::stderr(settings), is_possible: stdin().is_terminal() && stderr().is_terminal() }
    }

    /// Is there a person to ask?
    pub(crate) fn is_possible(&self) -> bool {
        self.is_possible
    }

    pub(crate) fn say(&self, line: &str) {
        tell(line);
    }

    /// Reads a trimmed line. `None`: the person closed the input (Ctrl-D).
    pub(crate) fn line(&mut self, what: &str) -> Result<Option<String>, Failure> {
        let mut err = stderr();
        write!(err, "{} ", self.paint.bold(what))?;
        err.flush()?;
        let mut line = String::new();
        if stdin().lock().read_line(&mut line)? == 0 {
            tell("");
            return Ok(None);
        }
        Ok(Some(line.trim().to_owned()))
    }

    /// Reads a line without echoing it.
    pub(crate) fn hidden_line(&mut self, what: &str) -> Result<Option<String>, Failure> {
        let _hidden = Hidden(Modes::hide_typing());
        let line = self.line(what);
        tell("");
        line
    }

    /// Reads a number up to `max`, and returns its index. `None`: Enter alone, or Ctrl-D.
    pub(crate) fn number(&mut self, what: &str, max: usize) -> Result<Option<usize>, Failure> {
        loop {
            let Some(line) = self.line(what)? else { return Ok(None) };
            match line.parse::<usize>() {
                _ if line.is_empty() => return Ok(None),
                Ok(number) if (1..=max).contains(&number) => return Ok(Some(number - 1)),
                _ => self.say(&format!("Type a number from 1 to {max}.")),
            }
        }
    }

    /// Reads yes or no; Enter alone is `otherwise`. Ctrl-D is no.
    pub(crate) fn yes(&mut self, what: &str, otherwise: bool) -> Result<bool, Failure> {
        let what = format!("{what} [{}]", if otherwise { "Y/n" } else { "y/N" });
        loop {
            let Some(line) = self.line(&what)? else { return Ok(false) };
            match line.to_ascii_lowercase().as_str() {
                "" => return Ok(otherwise),
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => self.say("Type y or n."),
            }
        }
    }
}

/// Turns off the terminal's echo until it is dropped.
struct Hidden(Modes);

impl Drop for Hidden {
    fn drop(&mut self) {
        self.0.restore();
    }
}
