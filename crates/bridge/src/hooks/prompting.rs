//! Which tool an agent asks for permission, according to its command line, and whether that tool is ours.

use crate::auth::{ProcessId, command_line};

/// The flag by which Claude Code is told which tool to ask.
const FLAG: &str = "--permission-prompt-tool";

/// Was this agent started with our own tool to ask for permissions? Then its hooks need not ask as well.
pub(super) fn asks_by_tool(agent: Option<ProcessId>) -> bool {
    agent.is_some_and(|agent| prompt_tool(&command_line(agent.pid)).is_some_and(is_ours))
}

/// The tool that a command line names; the last one counts.
pub(super) fn prompt_tool(arguments: &[String]) -> Option<&str> {
    let named = |nth: usize| match arguments[nth].strip_prefix(FLAG)? {
        "" => arguments.get(nth + 1).map(String::as_str),
        more => more.strip_prefix('='),
    };
    (0..arguments.len()).rev().find_map(named)
}

/// `mcp__askbridge__approve`, or the same tool of a server that a plugin brings.
fn is_ours(tool: &str) -> bool {
    let server = tool.strip_prefix("mcp__").and_then(|rest| rest.strip_suffix("__approve"));
    server.is_some_and(|server| server.contains("askbridge"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_tool_is_known_by_its_name_however_it_is_given() {
        let asks = |line: &str| {
            let arguments: Vec<_> = line.split(' ').map(str::to_owned).collect();
            prompt_tool(&arguments).is_some_and(is_ours)
        };
        let named = ["claude", "--permission-prompt-tool=stdio"].map(str::to_owned);
        assert_eq!(prompt_tool(&named), Some("stdio"));
        assert!(asks("claude -p hi --permission-prompt-tool mcp__askbridge__approve"));
        assert!(asks("claude --permission-prompt-tool=mcp__askbridge__approve -p hi"));
        assert!(asks("claude --permission-prompt-tool mcp__plugin_askbridge_askbridge__approve"));
        assert!(!asks("claude --permission-prompt-tool mcp__x__approve -p mcp__askbridge__approve"));
        assert!(!asks("claude --permission-prompt-tool stdio") && !asks("claude --permission-prompt-tool"));
        assert!(!asks("claude --permission-prompt-tools mcp__askbridge__approve") && !asks("claude -p hi"));
    }
}
