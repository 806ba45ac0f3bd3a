//! The flags of a run that it has to be resumed with.

/// Flags with one value that shape how a run goes on. The prompt is not among them: it was already sent.
const WITH_ONE: &[&str] = &[
    "--permission-prompt-tool",
    "--permission-mode",
    "--model",
    "--fallback-model",
    "--settings",
    "--setting-sources",
    "--append-system-prompt",
    "--system-prompt",
    "--output-format",
    "--max-turns",
    "--agents",
    "--agent",
];

/// Flags that take values up to the next flag.
const WITH_SEVERAL: &[&str] = &[
    "--mcp-config",
    "--allowedTools",
    "--allowed-tools",
    "--disallowedTools",
    "--disallowed-tools",
    "--tools",
    "--add-dir",
    "--plugin-dir",
];

const ALONE: &[&str] = &["--verbose", "--strict-mcp-config", "--include-partial-messages", "--include-hook-events"];

/// Returns the flags with which a run of Claude Code is resumed. Unknown ones are left out.
pub fn kept_flags(arguments: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter().skip(1).map(String::as_str).peekable();
    while let Some(argument) = rest.next() {
        let name = argument.split_once('=').map_or(argument, |(name, _)| name);
        if ALONE.contains(&argument) || (name != argument && (WITH_ONE.contains(&name) || WITH_SEVERAL.contains(&name)))
        {
            kept.push(argument.to_owned());
        } else if WITH_ONE.contains(&argument) {
            kept.extend(rest.next().map(|value| format!("{argument}={value}")));
        } else if WITH_SEVERAL.contains(&argument) {
            kept.push(argument.to_owned());
            while let Some(value) = rest.next_if(|value| !value.starts_with('-')) {
                kept.push(value.to_owned());
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_with_its_flags_and_without_its_prompt() {
        let line = "claude -p secret-prompt --permission-prompt-tool mcp__x__ask --mcp-config a.json b.json --verbose --model=opus --unknown x --session-id 7 --allowedTools Bash(ls) Read";
        let arguments: Vec<_> = line.split(' ').map(str::to_owned).collect();
        let wanted = [
            "--permission-prompt-tool=mcp__x__ask",
            "--mcp-config",
            "a.json",
            "b.json",
            "--verbose",
            "--model=opus",
            "--allowedTools",
            "Bash(ls)",
            "Read",
        ];
        assert_eq!(kept_flags(&arguments), wanted);
    }
}
