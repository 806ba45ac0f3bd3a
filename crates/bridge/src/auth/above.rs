//! Finds the agent's process above `askbridge hook` or `askbridge mcp`.

use std::path::Path;

use askbridge_platform::processes::{Kin, command_line, is_manager, look_up};

/// Shells that an agent may put between itself and a command. A shell is only ever skipped by its name, nothing else is
/// inferred from it.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox"];
/// How many shells are skipped. Beyond: the last one is taken for the agent.
const SHELLS_MAX: usize = 3;

/// Finds the agent above a helper that is called with `verb`: its parent, not counting a shell that was started only to
/// run the helper. `None`: a person runs it by hand, and their shell may still decide.
///
/// If the parent has exited, the helper or its shell was adopted by a process that did not start it. Then the topmost
/// process below the adopter counts as the agent.
pub fn agent_above(helper: u32, verb: &str) -> Option<u32> {
    let mut below = look_up(helper)?;
    for step in 0..=SHELLS_MAX {
        let above = look_up(below.parent);
        let Some(above) = above.filter(|above| !adopts(above, &below)) else { return Some(below.id.pid) };
        let line = command_line(above.id.pid);
        if is_a_persons_shell(&line) {
            return (step > 0).then_some(below.id.pid);
        }
        below = above;
        if !runs_a_helper(&line, verb) {
            break;
        }
    }
    Some(below.id.pid)
}

/// Does `above` adopt orphans, and may `below` be one of them? A process looks the same to its parent whether started
/// or adopted, so any parent that looks like a service manager counts as one.
fn adopts(above: &Kin, below: &Kin) -> bool {
    let looks_like_a_manager = above.leads_a_session() && !above.has_terminal() && is_manager(above.parent);
    is_manager(above.id.pid) || above.id.pid == std::process::id() || (looks_like_a_manager && below.leads_a_session())
}

/// Is this `sh -c '… hook …'`? Anything else may be an agent, even one whose `-c` argument mentions hooks.
fn runs_a_helper(arguments: &[String], verb: &str) -> bool {
    is_shell(arguments) && arguments.windows(2).any(|pair| is_c(&pair[0]) && pair[1].contains(verb))
}

/// Is this a shell that was given nothing to run? Then it is interactive, and a person types into it.
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
    fn a_shell_that_only_starts_us_stands_between_us_and_the_agent() {
        assert!(runs_a_helper(&line("/bin/sh|-c|askbridge hook"), "hook"));
        assert!(runs_a_helper(&line("bash|-lc|exec /opt/askbridge mcp"), "mcp"));
        assert!(
            !runs_a_helper(&line("claude|-c|repair the hook"), "hook"),
            "an agent that goes on with a conversation"
        );
        assert!(!runs_a_helper(&line("bash|-c|make"), "hook") && !runs_a_helper(&line("-bash"), "hook"));
        assert!(!runs_a_helper(&[], "mcp"));
    }

    #[test]
    fn a_shell_that_somebody_types_into_is_no_agent() {
        assert!(is_a_persons_shell(&line("-bash")) && is_a_persons_shell(&line("/bin/zsh|-i|-l")));
        assert!(!is_a_persons_shell(&line("bash|agent.sh")) && !is_a_persons_shell(&line("sh|-c|agent")));
        assert!(!is_a_persons_shell(&line("claude")) && !is_a_persons_shell(&[]));
    }
}
