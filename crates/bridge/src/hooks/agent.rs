//! Which process is the agent, when one of its hooks calls.

use std::fs;
use std::path::Path;

use crate::auth::{ProcessId, parent_of};

/// Shells that an agent may put between itself and a hook's command.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox"];

/// How many of them there may be. Beyond: the last one is taken for the agent.
const SHELLS_MAX: usize = 3;

/// Finds the agent above a hook: its parent, not counting a shell that was started only to run the hook.
pub(super) fn agent_above(hook: u32) -> Option<ProcessId> {
    let mut pid = parent_of(hook)?;
    for _ in 0..SHELLS_MAX {
        if !runs_a_hook(&command_line(pid)) {
            break;
        }
        pid = parent_of(pid)?;
    }
    // Somebody tries a hook by hand. Their shell is no agent, and may go on to decide.
    if is_a_persons_shell(&command_line(pid)) {
        return None;
    }
    // The first process of the machine adopts whatever lost its parent. It is nobody's agent.
    ProcessId::of(pid).filter(|process| process.pid > 1)
}

/// The arguments of a process, its own name first. Empty if it cannot be seen.
pub(super) fn command_line(pid: u32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    bytes.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

/// Is this `sh -c '… hook …'`? Anything else may be an agent, also one that was told `-c` and something about hooks.
fn runs_a_hook(arguments: &[String]) -> bool {
    is_shell(arguments) && arguments.windows(2).any(|pair| is_c(&pair[0]) && pair[1].contains("hook"))
}

/// Is this a shell that was given nothing to run? Then somebody types into it.
fn is_a_persons_shell(arguments: &[String]) -> bool {
    is_shell(arguments) && arguments.iter().skip(1).all(|flag| flag.starts_with('-') && !is_c(flag))
}

fn is_shell(arguments: &[String]) -> bool {
    let name = arguments.first().and_then(|name| Path::new(name).file_name()?.to_str());
    name.is_some_and(|name| SHELLS.contains(&name.trim_start_matches('-')))
}

fn is_c(flag: &str) -> bool {
    flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with('c')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<String> {
        text.split('|').map(str::to_owned).collect()
    }

    #[test]
    fn only_a_shell_that_runs_a_hook_stands_between_it_and_the_agent() {
        assert!(runs_a_hook(&line("/bin/sh|-c|askbridge hook")));
        assert!(runs_a_hook(&line("bash|-lc|exec /opt/askbridge hook")));
        assert!(!runs_a_hook(&line("claude|-c|repair the hook")), "an agent that goes on with a conversation");
        assert!(!runs_a_hook(&line("bash|-c|make")));
        assert!(!runs_a_hook(&line("-bash")));
        assert!(!runs_a_hook(&[]));
    }

    #[test]
    fn a_shell_that_somebody_types_into_is_no_agent() {
        assert!(is_a_persons_shell(&line("-bash")) && is_a_persons_shell(&line("/bin/zsh|-i|-l")));
        assert!(!is_a_persons_shell(&line("bash|agent.sh")) && !is_a_persons_shell(&line("sh|-c|agent")));
        assert!(!is_a_persons_shell(&line("claude")) && !is_a_persons_shell(&[]));
    }
}
