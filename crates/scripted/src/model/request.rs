//! A request that the model got, and questions about it.

use serde_json::Value;

/// How the CLI introduces a message that a person sends in the middle of a turn.
const SENT_MEANWHILE: &str = "The user sent a new message while you were working";

/// One request to the Messages API, whole. Headers are not kept: a key travels in them.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    pub body: Value,
    /// How often the model has spoken, if the messages do not go back to the beginning.
    spoken: Option<usize>,
}

/// The result of a call, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    pub id: String,
    pub text: String,
    pub is_error: bool,
}

impl ModelRequest {
    pub fn new(body: Value) -> Self {
        Self { body, spoken: None }
    }

    /// A request that leaves out the beginning of its conversation.
    pub fn after(spoken: usize, body: Value) -> Self {
        Self { body, spoken: Some(spoken) }
    }

    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Messages after the model's own last one.
    pub fn new_messages(&self) -> &[Value] {
        let messages = self.messages();
        let own = messages.iter().rposition(|message| message["role"] == "assistant");
        &messages[own.map_or(0, |at| at + 1)..]
    }

    /// How often the model has spoken in this conversation.
    pub fn turn(&self) -> usize {
        if let Some(spoken) = self.spoken {
            return spoken;
        }
        // The CLI splits a message with several calls into consecutive messages; they count as one.
        let own: Vec<bool> = self.messages().iter().map(|message| message["role"] == "assistant").collect();
        own.iter().enumerate().filter(|(at, own_here)| **own_here && (*at == 0 || !own[at - 1])).count()
    }

    /// New texts of the person, including those sent in the middle of a turn, without the CLI's reminders and the line
    /// ends that it puts between texts.
    pub fn new_texts(&self) -> Vec<String> {
        texts(self.new_messages())
    }

    /// The last thing the person said.
    pub fn last_user_text(&self) -> Option<String> {
        texts(self.messages()).pop()
    }

    pub fn new_results(&self) -> Vec<ToolResult> {
        results(self.new_messages())
    }

    /// Returns the result of a call in this request.
    pub fn tool_result(&self, id: &str) -> Option<ToolResult> {
        results(self.messages()).into_iter().rfind(|result| result.id == id)
    }

    /// The messages as far as a host can influence them: without reminders, descriptions of the machine and cache
    /// markers. Two hosts that tell the model the same have the same conversation.
    pub fn conversation(&self) -> Vec<Value> {
        let said = |message: &Value| {
            let by_the_cli = |block: &Value| {
                let text = block["text"].as_str().unwrap_or_default();
                text.starts_with("<system-reminder>")
                    || message["role"] == "system" && !text.starts_with(SENT_MEANWHILE)
            };
            let bare = |mut block: Value| {
                block.as_object_mut().map(|fields| fields.remove("cache_control"));
                block
            };
            let content: Vec<Value> =
                blocks(message).into_iter().filter(|block| !by_the_cli(block)).map(bare).collect();
            serde_json::json!({"role": message["role"], "content": content})
        };
        self.messages().iter().map(said).filter(|message| message["content"] != serde_json::json!([])).collect()
    }

    pub fn tool_names(&self) -> Vec<&str> {
        self.body["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect()
    }

    /// Returns the definition of a tool as the model reads it.
    pub fn tool(&self, name: &str) -> Option<&Value> {
        self.body["tools"].as_array()?.iter().find(|tool| tool["name"] == name)
    }

    pub fn system_text(&self) -> String {
        plain(&self.body["system"])
    }

    /// Does this come from a subagent? The CLI says so in the first line of its system prompt (since some version
    /// between 2.1.197 and 2.1.325).
    pub fn is_subagent(&self) -> bool {
        self.system_text().contains("cc_is_subagent=true")
    }
}

/// The text of a string or of its text blocks.
pub fn plain(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

fn blocks(message: &Value) -> Vec<Value> {
    match &message["content"] {
        Value::String(text) => vec![serde_json::json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks.clone(),
        _ => Vec::new(),
    }
}

fn texts(messages: &[Value]) -> Vec<String> {
    let text = |block: Value| block["text"].as_str().map(|text| text.trim_end().to_owned());
    let said = |message: &Value| {
        let texts = blocks(message).into_iter().filter_map(text).filter(|text| !text.starts_with("<system-reminder>"));
        // The CLI describes the machine in system messages between the others; only this one quotes the person.
        let by_the_person = |text: &String| message["role"] == "user" || text.starts_with(SENT_MEANWHILE);
        texts.filter(by_the_person).collect::<Vec<_>>()
    };
    messages.iter().flat_map(said).collect()
}

fn results(messages: &[Value]) -> Vec<ToolResult> {
    let blocks = messages.iter().flat_map(blocks);
    let results = blocks.filter(|block| block["type"] == "tool_result");
    let result = |block: Value| ToolResult {
        id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
        text: plain(&block["content"]),
        is_error: block["is_error"] == true,
    };
    results.map(result).collect()
}
