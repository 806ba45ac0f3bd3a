//! Output for people: data on stdout, everything else on stderr, colour only in a terminal.

use std::io::{self, IsTerminal, Write, stderr, stdout};

use askbridge_core::visible::spell_out;

use crate::settings::Settings;

/// Whether text may be styled. Everything is readable without.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint(bool);

impl Paint {
    pub(crate) fn stdout(settings: &Settings) -> Self {
        Self(settings.colour && stdout().is_terminal())
    }

    pub(crate) fn stderr(settings: &Settings) -> Self {
        Self(settings.colour && stderr().is_terminal())
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Prints data to stdout.
pub(crate) fn print(line: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Prints a message to stderr. Errors are ignored: it may be closed.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

/// Formats a number of bytes for people.
pub(crate) fn amount(bytes: u64) -> String {
    const KIB: f64 = 1024.0;
    match bytes as f64 {
        bytes if bytes < KIB => format!("{bytes} bytes"),
        bytes if bytes < KIB * KIB => format!("{:.1} KiB", bytes / KIB),
        bytes if bytes < KIB * KIB * KIB => format!("{:.1} MiB", bytes / KIB / KIB),
        bytes => format!("{:.1} GiB", bytes / KIB / KIB / KIB),
    }
}

/// Formats a count: "1 session", "12 sessions".
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Makes an agent's text safe to print: control characters could move the cursor or hide a command, invisible and
/// bidirectional ones could make it read like another.
pub(crate) fn visible(text: &str) -> String {
    // A carriage return before a line feed only ends a line; alone it would overwrite the line.
    spell_out(&text.replace("\r\n", "\n").replace('\t', "    "), &['\n'])
}

/// The same on one line, cut to a readable length.
pub(crate) fn one_line(text: &str) -> String {
    const CHARS_MAX: usize = 200;
    let mut lines = text.trim().lines();
    let first = visible(lines.next().unwrap_or_default().trim_end());
    let mut cut: String = first.chars().take(CHARS_MAX).collect();
    if cut.len() < first.len() || lines.any(|line| !line.trim().is_empty()) {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_move_the_cursor_or_hide() {
        assert_eq!(visible("rm\u{1b}[2K ok\r\u{202e}x"), "rm\\u{1b}[2K ok\\u{d}\\u{202e}x");
        assert_eq!(visible("a\n\tb"), "a\n    b");
        assert_eq!(visible("Größe 👩‍💻 はい"), "Größe 👩‍💻 はい");
    }

    #[test]
    fn a_headline_is_one_line() {
        assert_eq!(one_line("  Do it\nthen that"), "Do it…");
        assert_eq!(one_line("Do it\n\n"), "Do it");
        assert_eq!(one_line(&"x".repeat(300)).chars().count(), 201);
    }
}
