//! Settings for agents in people's own terminals.

use std::time::Duration;

/// Default for `away_after`.
const AWAY_AFTER: Duration = Duration::from_secs(5 * 60);

/// Default for `back`: longer than a restart, or a short gap in a network.
const BACK: Duration = Duration::from_secs(2 * 60);

/// Default for `headless`. Without an ask, such a run would be denied at once.
const HEADLESS: Duration = Duration::from_secs(60);

/// Default for `denied_wait`.
const DENIED_WAIT: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookOptions {
    /// How long a run without a terminal is kept for an open question before it is parked. `None`: it is never parked.
    pub park: Option<Duration>,
    /// How long a run waits that has no terminal and no prompt tool. Beyond: it is told that nobody answered. `None`:
    /// as long as any other ask.
    pub headless: Option<Duration>,
    /// How long an agent waits at a call that it denied itself, for a person to overrule that, if no person is at its
    /// terminal. Beyond: the denial stands. Zero: it does not wait.
    pub denied_wait: Duration,
    /// How long no key was pressed at any terminal of this machine until the person counts as away.
    pub away_after: Duration,
    /// How long a hook on another machine may be gone whose connection was lost. Beyond: its ask is stranded.
    pub back: Duration,
}

impl Default for HookOptions {
    fn default() -> Self {
        let (headless, denied_wait, away_after, back) = (Some(HEADLESS), DENIED_WAIT, AWAY_AFTER, BACK);
        Self { park: None, headless, denied_wait, away_after, back }
    }
}
