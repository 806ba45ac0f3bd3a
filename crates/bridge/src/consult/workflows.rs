//! The second adviser: gobby's rules, which keep a state of each session (`crate::workflows`). Here are their words for what a
//! door says, and the door's words for what they say.

use askbridge_core::event::ToolRuling;
use askbridge_core::ids::Raw;
use askbridge_peers::consult::{Advice, Consultation, Consulted, Occurrence};
use askbridge_peers::tools::ToolCall;
use askbridge_workflows::{Hook, StartSource, ToolCall as RuledCall};
use serde_json::{Map, Value, json};

use crate::runtime::Handle;
use crate::workflows::{Advised, Happening, Ruled};

pub(super) async fn advise(handle: &Handle, about: &Consultation) -> Consulted {
    if !handle.workflows.is_on() {
        return Consulted::default();
    }
    consulted(handle.advised_by_workflows(happening(about)).await)
}

fn happening(about: &Consultation) -> Happening {
    let mut extra = Map::new();
    let mut add = |name: &str, value: Value| {
        extra.insert(name.to_owned(), value);
    };
    if let Some(mode) = &about.mode {
        add("permission_mode", json!(mode));
    }
    if let Some(id) = about.what.call().and_then(|call| call.id.as_ref()) {
        add("tool_use_id", json!(id));
    }
    let hook = match &about.what {
        Occurrence::SessionBegan { source } => Hook::SessionStart { source: start(source) },
        Occurrence::Prompted { text } => Hook::UserPromptSubmit { prompt: text.clone() },
        Occurrence::Calling(call) => Hook::PreToolUse(ruled_call(call)),
        Occurrence::Called { call, response, failed } => {
            let output = response.as_ref().map(|response| value(response.as_str())).unwrap_or_default();
            Hook::PostToolUse { call: ruled_call(call), output, is_failure: *failed }
        }
        Occurrence::TurnEnded { again, last_message } => {
            add("stop_hook_active", json!(again));
            Hook::Stop { last_message: last_message.clone() }
        }
        Occurrence::Compacting { trigger } => Hook::PreCompact { trigger: trigger.clone() },
        Occurrence::Denied { call, reason } => {
            add("reason", json!(reason));
            Hook::PermissionDenied(ruled_call(call))
        }
        Occurrence::SessionEnded { why } => Hook::SessionEnd { reason: why.clone() },
    };
    Happening {
        id: about.id.clone(),
        session: about.session,
        door: about.door,
        agent: about.agent.clone(),
        title: about.title.clone(),
        folder: about.folder.clone().filter(|_| about.is_here),
        hook,
        extra,
    }
}

fn ruled_call(call: &ToolCall) -> RuledCall {
    RuledCall::new(call.tool.clone(), value(call.input.as_str()))
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// A word that is not known counts as a start.
fn start(source: &str) -> StartSource {
    match source {
        "resume" => StartSource::Resume,
        "clear" => StartSource::Clear,
        "compact" => StartSource::Compact,
        _ => StartSource::Startup,
    }
}

fn consulted(advised: Advised) -> Consulted {
    let Advised { deny, allow, input, context } = advised;
    let advice = |ruled: Ruled, ruling| {
        let place = ruled.place();
        Advice { rule: ruled.rule, place, ruling, words: ruled.words }
    };
    let ruling = match (deny, allow) {
        (Some(ruled), _) => Some(advice(ruled, ToolRuling::Deny)),
        (None, Some(ruled)) => Some(advice(ruled, ToolRuling::Allow)),
        (None, None) => None,
    };
    Consulted { ruling, input: input.map(|input| Raw::from(input.to_string())), context, ..Consulted::default() }
}

#[cfg(test)]
mod tests {
    use askbridge_core::ids::SessionId;
    use askbridge_peers::doors::claude;

    use super::*;

    fn about(what: Occurrence) -> Consultation {
        Consultation {
            id: Some("r1".to_owned()),
            session: SessionId(7),
            door: claude::NAME,
            agent: None,
            title: None,
            folder: Some("/work".to_owned()),
            is_here: true,
            branch: None,
            mode: Some("plan".to_owned()),
            in_subagent: false,
            is_cut: false,
            what,
        }
    }

    fn bash() -> ToolCall {
        ToolCall { id: Some("toolu_1".to_owned()), tool: "Bash".to_owned(), input: Raw::from(r#"{"command":"ls"}"#) }
    }

    #[test]
    fn every_occurrence_has_its_hook_of_gobbys() {
        let call = RuledCall::new("Bash", json!({"command": "ls"}));
        let table = [
            (
                Occurrence::SessionBegan { source: "compact".to_owned() },
                Hook::SessionStart { source: StartSource::Compact },
            ),
            (
                Occurrence::SessionBegan { source: "new word".to_owned() },
                Hook::SessionStart { source: StartSource::Startup },
            ),
            (Occurrence::Prompted { text: "Hi".to_owned() }, Hook::UserPromptSubmit { prompt: "Hi".to_owned() }),
            (Occurrence::Calling(bash()), Hook::PreToolUse(call.clone())),
            (
                Occurrence::Called { call: bash(), response: Some(Raw::from(r#"{"stdout":"a"}"#)), failed: true },
                Hook::PostToolUse { call: call.clone(), output: json!({"stdout": "a"}), is_failure: true },
            ),
            (
                Occurrence::Called { call: bash(), response: None, failed: false },
                Hook::PostToolUse { call: call.clone(), output: Value::Null, is_failure: false },
            ),
            (
                Occurrence::TurnEnded { again: true, last_message: Some("Done.".to_owned()) },
                Hook::Stop { last_message: Some("Done.".to_owned()) },
            ),
            (Occurrence::Compacting { trigger: "auto".to_owned() }, Hook::PreCompact { trigger: "auto".to_owned() }),
            (Occurrence::Denied { call: bash(), reason: "no".to_owned() }, Hook::PermissionDenied(call)),
            (Occurrence::SessionEnded { why: "exit".to_owned() }, Hook::SessionEnd { reason: "exit".to_owned() }),
        ];
        for (what, hook) in table {
            assert_eq!(happening(&about(what)).hook, hook);
        }
        let extra = happening(&about(Occurrence::Calling(bash()))).extra;
        assert_eq!(Value::from(extra), json!({"permission_mode": "plan", "tool_use_id": "toolu_1"}));
    }

    #[test]
    fn a_denial_names_its_rule_and_where_it_stands() {
        let ruled = Ruled {
            rule: "no-push".to_owned(),
            file: Some("/rules/a.yaml".to_owned()),
            line: Some(3),
            words: "Let it be.".to_owned(),
        };
        let said = consulted(Advised { deny: Some(ruled), ..Advised::default() });
        let advice = said.ruling.expect("it denies");
        assert_eq!((advice.ruling, advice.words.as_str()), (ToolRuling::Deny, "Let it be."));
        assert_eq!(advice.place.map(|place| (place.file, place.line)), Some(("/rules/a.yaml".to_owned(), 3)));
        let none = consulted(Advised::default());
        assert!(none.has_no_opinion());
    }
}
