//! The names of the tool with which agents ask questions.

/// In snake case; the camelCase and PascalCase spellings are the same tool.
const ASK_TOOLS: &[&str] =
    &["ask_followup_question", "ask_question", "ask_user", "ask_user_question", "question", "request_user_input"];

/// Whether a tool of this name asks a person questions, including a tool of an MCP server (`mcp__server__ask_user`).
pub fn is_ask_tool(name: &str) -> bool {
    let bare = match name.strip_prefix("mcp__") {
        Some(rest) => rest.rsplit_once("__").map_or(rest, |(_server, tool)| tool),
        None => name,
    };
    ASK_TOOLS.contains(&snake(bare).as_str())
}

/// Writes `AskUserQuestion` and `askUserQuestion` as `ask_user_question`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() && snake.ends_with(|last: char| last.is_ascii_lowercase()) {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}
