//! What is decided about agents in people's own terminals.

use std::time::Duration;

/// How long nobody has to type before they count as away, unless configured otherwise.
const AWAY_AFTER: Duration = Duration::from_secs(5 * 60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookOptions {
    /// How long a run without a terminal is kept for an open question before it is parked. `None`: it never is.
    pub park: Option<Duration>,
    /// How long nobody has to type at any terminal of this machine before they count as away.
    pub away_after: Duration,
}

impl Default for HookOptions {
    fn default() -> Self {
        Self { park: None, away_after: AWAY_AFTER }
    }
}
