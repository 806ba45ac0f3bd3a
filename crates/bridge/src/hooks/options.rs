//! What is decided about agents in people's own terminals.

use std::time::Duration;

/// How long nobody has to type before they count as away, unless configured otherwise.
const AWAY_AFTER: Duration = Duration::from_secs(5 * 60);

/// How long a run waits whose other answer is a no at once, unless configured otherwise.
const HEADLESS: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookOptions {
    /// How long a run without a terminal is kept for an open question before it is parked. `None`: it never is.
    pub park: Option<Duration>,
    /// How long a run waits that has no terminal and no prompt tool. Beyond: it is told that nobody answered. `None`: as
    /// long as any other ask.
    pub headless: Option<Duration>,
    /// How long nobody has to type at any terminal of this machine before they count as away.
    pub away_after: Duration,
}

impl Default for HookOptions {
    fn default() -> Self {
        Self { park: None, headless: Some(HEADLESS), away_after: AWAY_AFTER }
    }
}
