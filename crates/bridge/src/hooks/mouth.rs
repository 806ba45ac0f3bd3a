//! Who else can answer the agent: its terminal, a prompt tool, or nobody.

use askbridge_peers::doors::hook::{Agent, HookEvent, Mouth};
use askbridge_platform::processes::shows_on_a_terminal;

use super::prompting::prompt_tool;
use crate::auth::{ProcessId, command_line};

/// Why an ask is withdrawn when a run without a terminal no longer waits for it.
pub(super) const WENT_ON: &str = "the run went on without an answer";

/// Finds out from the agent's process who else can answer. `attended` is what the agent itself says, if it does.
///
/// If the process cannot be inspected, it is assumed that it can be answered elsewhere: its dialog, or its prompt tool,
/// must not be cut short.
pub(super) fn mouth_beside(heard: &HookEvent, attended: Option<bool>, agent: Option<ProcessId>) -> Mouth {
    let arguments = agent.map(|agent| command_line(agent.pid)).unwrap_or_default();
    let Some(agent) = agent.filter(|_| heard.agent == Agent::Claude && !arguments.is_empty()) else {
        return if attended == Some(false) { Mouth::PromptTool } else { Mouth::Terminal };
    };
    // A dialog needs a terminal.
    let has_screen = || attended.unwrap_or_else(|| shows_on_a_terminal(agent.pid));
    match runs_once(&arguments) || !has_screen() {
        false => Mouth::Terminal,
        true if prompt_tool(&arguments).is_some() => Mouth::PromptTool,
        true => Mouth::Nobody,
    }
}

/// Claude Code started like this shows no dialog, even in a terminal.
fn runs_once(arguments: &[String]) -> bool {
    arguments.iter().skip(1).any(|flag| flag == "-p" || flag == "--print")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_run_that_prints_is_told_from_a_conversation_by_its_flags() {
        assert!(runs_once(&line("claude -p hello")) && runs_once(&line("node cli.js --print")));
        assert!(!runs_once(&line("claude --resume x")) && !runs_once(&line("-p")), "its own name is no flag");
    }
}
