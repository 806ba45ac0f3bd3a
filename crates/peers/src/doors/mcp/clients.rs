//! How long a call may take before the client that made it gives up. The only place that knows it.

use std::time::Duration;

use askbridge_core::limits;

/// One client, by its name in `clientInfo.name`.
struct Client {
    /// The beginning of its name, in lower case.
    name: &'static str,
    /// We answer within this time.
    wait: Duration,
    /// The same while the client gets progress notifications, if those extend its timeout.
    with_progress: Option<Duration>,
    /// The same for a call that stays in the foreground, if others do not.
    in_front: Option<Duration>,
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Each is below the measured timeout, by a margin for slow machines.
const CLIENTS: &[Client] = &[
    // Codex 0.166: `tool_timeout_sec` is 300 s, and progress does not help.
    Client { name: "codex", wait: secs(240), with_progress: None, in_front: None },
    // OpenCode 1.18: 60 s, restarted by every progress notification; 420 s were seen.
    Client { name: "opencode", wait: secs(45), with_progress: Some(limits::WAIT_PER_REQUEST_MAX), in_front: None },
    // Claude Code 2.1.325: MCP_TOOL_TIMEOUT, by default more than a day. In a terminal a call is moved to the background
    // after 120 s, unless a dialog of ours is open; without a terminal never.
    Client { name: "claude-code", wait: secs(100), with_progress: None, in_front: Some(secs(24 * 60 * 60)) },
    // Gemini CLI 0.61: 10 minutes.
    Client { name: "gemini-cli", wait: secs(540), with_progress: None, in_front: None },
];

/// For all other clients: below the 60 s of the TypeScript SDK, which most are built with.
const OTHERS: Duration = secs(45);

/// How long calls are kept waiting: the operator's setting, or the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patience {
    /// For clients whose names begin so, in lower case.
    pub named: Vec<(String, Duration)>,
    /// For all other clients.
    pub others: Option<Duration>,
}

/// What is known of a call besides its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Circumstances {
    pub(super) hears_of_progress: bool,
    /// The client does not move it to the background, however long it takes.
    pub(super) is_in_front: bool,
}

impl Patience {
    /// How long a call of this client may take.
    pub(super) fn with(&self, client: &str, call: Circumstances) -> Duration {
        let client = client.to_lowercase();
        if let Some((_, wait)) = self.named.iter().find(|(name, _)| client.starts_with(name.as_str())) {
            return *wait;
        }
        if let Some(wait) = self.others {
            return wait;
        }
        match CLIENTS.iter().find(|known| client.starts_with(known.name)) {
            Some(known) => {
                let in_front = known.in_front.filter(|_| call.is_in_front);
                in_front.or(known.with_progress.filter(|_| call.hears_of_progress)).unwrap_or(known.wait)
            }
            None => OTHERS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_kept_as_long_as_it_waits_and_no_longer() {
        let patience = Patience::default();
        let (plain, heard) = (Circumstances::default(), Circumstances { hears_of_progress: true, is_in_front: false });
        let in_front = Circumstances { is_in_front: true, ..heard };
        assert_eq!(patience.with("codex-mcp-client", heard), secs(240));
        assert_eq!(patience.with("OpenCode", plain), secs(45));
        assert_eq!(patience.with("opencode", heard), limits::WAIT_PER_REQUEST_MAX);
        assert_eq!(patience.with("claude-code", heard), secs(100));
        assert_eq!(patience.with("claude-code", in_front), secs(24 * 60 * 60));
        assert_eq!(patience.with("mcp", in_front), OTHERS);
        assert_eq!(patience.with("", plain), OTHERS);
    }

    #[test]
    fn what_the_operator_says_comes_first() {
        let named = vec![("codex".to_owned(), secs(20))];
        let patience = Patience { named, others: Some(secs(7)) };
        assert_eq!(patience.with("Codex-mcp-client", Circumstances::default()), secs(20));
        assert_eq!(patience.with("claude-code", Circumstances { hears_of_progress: true, is_in_front: true }), secs(7));
    }
}
