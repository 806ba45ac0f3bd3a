//! The tool result of a question, in the sentences of the real CLI.

use serde_json::Value;

/// Returns the text, or an error, for the input that the host returned.
pub(crate) fn read(input: &Value) -> Result<String, String> {
    let Some(questions) = input["questions"].as_array() else {
        return Err(invalid("The required parameter `questions` is missing"));
    };
    if let Some(response) = input["response"].as_str() {
        return Ok(format!("The user responded: {response}"));
    }
    let mut parts = Vec::new();
    let mut only_labels = true;
    for question in questions {
        let text = question["question"].as_str().unwrap_or_default();
        let note = &input["annotations"][text];
        let notes = note["notes"].as_str().map(|notes| format!(" notes: {notes}")).unwrap_or_default();
        let preview = note["preview"].as_str().map(|preview| format!(" selected preview:\n{preview}"));
        let preview = preview.unwrap_or_default();
        let answer = match &input["answers"][text] {
            Value::Null if input["answers"].get(text).is_none() => "",
            Value::String(answer) => answer,
            _ => return Err(invalid("The parameter `answers` has an unexpected type")),
        };
        if answer.is_empty() && notes.is_empty() {
            continue;
        }
        only_labels &= notes.is_empty() && is_label(question, answer);
        let shown = if answer.is_empty() { "(no option selected)".to_owned() } else { format!("\"{answer}\"") };
        parts.push(format!("\"{text}\"={shown}{preview}{notes}"));
    }
    let parts = parts.join(", ");
    Ok(if parts.is_empty() {
        "The user did not answer the questions.".to_owned()
    } else if only_labels {
        format!("Your questions have been answered: {parts}. You can now continue with these answers in mind.")
    } else {
        format!(
            "The user answered: {parts}. Read the answers carefully — they may request clarification, changes, or that you \
             not proceed — and follow what they actually say."
        )
    })
}

/// Is this one of the labels, or several of them where that is allowed?
fn is_label(question: &Value, answer: &str) -> bool {
    let known =
        |label: &str| question["options"].as_array().is_some_and(|all| all.iter().any(|one| one["label"] == label));
    known(answer) || question["multiSelect"] == true && answer.split(", ").all(known)
}

fn invalid(what: &str) -> String {
    format!(
        "<tool_use_error>The permission handler returned updatedInput for AskUserQuestion that failed schema validation: \
         AskUserQuestion failed due to the following issue:\n{what}\nThis is a configuration issue in your canUseTool \
         callback, PermissionRequest hook, or permission-prompt tool — updatedInput must satisfy the tool's input schema. \
         The tool input from the model was valid.</tool_use_error>"
    )
}
