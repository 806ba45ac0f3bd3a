//! The transcript of a simulation, line by line, and the violations that were found.

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use parking_lot::Mutex;

/// When every simulation begins.
pub(crate) const BEGIN: Timestamp = Timestamp(1_800_000_000_000);
/// Lines that are shown of a failure. Beyond: the oldest are left out.
const SHOWN_MAX: usize = 60;

#[derive(Debug, Clone)]
struct LogLine {
    at_ms: i64,
    who: String,
    /// `None`: it concerns every session.
    session: Option<SessionId>,
    text: String,
}

/// A law that was broken.
#[derive(Debug, Clone)]
pub struct Violation {
    pub law: u8,
    pub session: Option<SessionId>,
    pub text: String,
    /// The line of the transcript at which it was noticed.
    line: usize,
}

#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) clock: Manual,
    lines: Mutex<Vec<LogLine>>,
    violations: Mutex<Vec<Violation>>,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self { clock: Manual::new(BEGIN), lines: Mutex::default(), violations: Mutex::default() }
    }

    pub(crate) fn now(&self) -> Timestamp {
        Clock::Manual(self.clock.clone()).now()
    }

    pub(crate) fn line(&self, who: &str, session: Option<SessionId>, text: impl Into<String>) {
        let at_ms = self.now().0 - BEGIN.0;
        self.lines.lock().push(LogLine { at_ms, who: who.to_owned(), session, text: text.into() });
    }

    /// Records that a law was broken, at the current line of the transcript.
    pub(crate) fn broke(&self, law: u8, session: Option<SessionId>, text: impl Into<String>) {
        let text = text.into();
        self.line("judge", session, format!("LAW {law}: {text}"));
        let line = self.len();
        self.violations.lock().push(Violation { law, session, text, line });
    }

    pub(crate) fn is_broken(&self) -> bool {
        !self.violations.lock().is_empty()
    }

    pub(crate) fn violations(&self) -> Vec<Violation> {
        self.violations.lock().clone()
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.lock().len()
    }

    /// Returns every line.
    pub(crate) fn transcript(&self) -> String {
        let lines = self.lines.lock();
        let line = |line: &LogLine| {
            let session = line.session.map(|session| session.to_string()).unwrap_or_default();
            format!("{} {} {session} {}\n", line.at_ms, line.who, line.text)
        };
        lines.iter().map(line).collect()
    }

    /// Returns the lines up to the first violation that concern the same session.
    pub(crate) fn shown(&self) -> String {
        let (session, line) = match self.violations.lock().first() {
            Some(first) => (first.session, first.line),
            None => return String::new(),
        };
        let lines = self.lines.lock();
        let lines = &lines[..line];
        let concern = |line: &&LogLine| session.is_none() || line.session.is_none() || line.session == session;
        let lines: Vec<_> = lines.iter().filter(concern).collect();
        let from = lines.len().saturating_sub(SHOWN_MAX);
        let mut shown = String::new();
        if from > 0 {
            shown.push_str(&format!("  … {from} lines before\n"));
        }
        for line in &lines[from..] {
            let seconds = line.at_ms as f64 / 1000.0;
            shown.push_str(&format!("  {seconds:>9.3}s  {:<12} {}\n", line.who, line.text));
        }
        shown
    }
}

/// Parses the session from an ask's id or a session's.
pub(crate) fn session_of(id: &str) -> Option<SessionId> {
    id.parse::<AskId>().map(|ask| ask.session).or_else(|_| id.parse::<SessionId>()).ok()
}
