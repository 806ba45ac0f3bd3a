//! A dialog in the client's own window, beside the card on the person's phone; the first answer wins.
//!
//! Claude Code in a terminal moves a call to the background once it has taken two minutes, and then tells its model
//! that its result is not the user's word. A call during which its server has a dialog open stays in the foreground for
//! as long as it takes, and its result is an ordinary one (2.1.325; <https://code.claude.com/docs/en/mcp>, "Automatic
//! backgrounding of long tool calls"). So while we wait for the phone, the question is also asked there.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::answer::{Answer, Pick};
use askbridge_core::ask::{Ask, Body, Question, Reach};
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use askbridge_core::verdict::in_words;
use askbridge_core::view::AskView;
use serde_json::{Map, Value, json};

use super::clients::Circumstances;
use super::outcome::Outcome;
use super::peer::{Mcp, McpCall, McpRequest, PendingReply};
use super::{rpc, sse};
use crate::peer::{Cx, Outbox};
use crate::wish::{AskRef, Wish};

/// The mouth that the record names.
const MOUTH: &str = "the terminal";
/// A dialog that closes sooner was closed by the client itself: no person is there.
const AT_ONCE: Duration = Duration::from_secs(1);

/// An open dialog.
#[derive(Debug)]
pub(super) struct Dialog {
    id: String,
    since: Timestamp,
    ask: Arc<Ask>,
}

/// The whisper for the session's other requests when a dialog was answered. `None`: it was not a dialog of ours.
pub(super) fn answered(id: &Value, result: &Value) -> Option<(SessionId, String)> {
    let id = id.as_str()?;
    let ask: AskId = id.split_once('/')?.0.parse().ok()?;
    Some((ask.session, format!("{}{result}", whispered(id))))
}

fn whispered(id: &str) -> String {
    format!("dialog {id} ")
}

impl Mcp {
    /// Opens a dialog in the client's window, if it has one.
    pub(super) fn open_dialog(&mut self, view: &AskView, cx: &mut Cx<'_>) {
        let Some(call) = &mut self.call else { return };
        let Body::Questions(questions) = &view.ask.body else { return };
        let is_question =
            matches!(call.what, McpRequest::Ask(_) | McpRequest::Wait(_)) && view.ask.reach == Reach::Pull;
        if !is_question || !call.client_session.shows_dialogs() {
            return;
        }
        let id = format!("{}/{:x}", view.ask.id, cx.ids.fresh());
        let (message, schema) = form(questions);
        let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
        sse::event(cx.out, &rpc::request(&id, "elicitation/create", params));
        call.dialog = Some(Dialog { id, since: cx.now, ask: Arc::clone(&view.ask) });
    }

    /// Takes the result of a dialog, if these words are about the open one.
    pub(super) fn hear_dialog(&mut self, words: &str, cx: &mut Cx<'_>) {
        let Some(call) = &mut self.call else { return };
        let result = call.dialog.as_ref().and_then(|dialog| words.strip_prefix(&whispered(&dialog.id)));
        let Some(result) = result.and_then(|result| serde_json::from_str::<Value>(result).ok()) else { return };
        let Some(Dialog { since, ask, .. }) = call.dialog.take() else { return };
        let said = match result["action"].as_str() {
            Some("accept") => read(&ask.body, &result["content"]),
            Some("decline") => None,
            _ => return self.dialog_closed(cx.now.since(since), cx),
        };
        call.said_there = Some(match said {
            Some(answer) => format!("The person answered in the terminal: {}", in_words(&ask.body, &answer)),
            None => "The person closed this question in the terminal and does not want to answer it. Do not assume an \
                     answer."
                .to_owned(),
        });
        let overtake = Wish::Overtake { ask: AskRef::Id(ask.id), mouth: MOUTH.to_owned(), ran: None };
        self.wish(PendingReply::Overtaken, overtake, cx.out);
    }

    /// The dialog was closed without an answer. The question stays open elsewhere.
    fn dialog_closed(&mut self, after: Duration, cx: &mut Cx<'_>) {
        let Some(call) = &mut self.call else { return };
        if after >= AT_ONCE {
            return self.say(Outcome::DialogClosed, cx.out);
        }
        // Without a person there, calls are not moved to the background. If a person may be there after all, this call
        // ends before that.
        if call.client_session.whereabouts.is_attended == Some(true) {
            let circumstances = Circumstances { hears_of_progress: call.progress.is_some(), is_in_front: false };
            let moved = cx.now.plus(self.patience.with(&call.client_session.client.name, circumstances));
            call.until = call.until.min(moved);
        }
    }
}

/// Closes the dialog, because the question was answered elsewhere or the call ends.
pub(super) fn close(call: &mut McpCall, out: &mut Outbox) {
    if let Some(Dialog { id, .. }) = call.dialog.take() {
        let params = json!({"requestId": id, "reason": "this call is over"});
        sse::event(out, &rpc::notification("notifications/cancelled", params));
    }
}

/// The questions as a form: a choice for each question with options, and a line of free text.
fn form(questions: &[Question]) -> (String, Value) {
    let mut properties = Map::new();
    for (nth, question) in questions.iter().enumerate() {
        let title = question.header.clone().unwrap_or_else(|| format!("Question {}", nth + 1));
        let options: Vec<_> = question
            .options
            .iter()
            .map(|option| {
                let title = match &option.description {
                    Some(description) => format!("{}: {description}", option.label),
                    None => option.label.clone(),
                };
                json!({"const": option.label, "title": title})
            })
            .collect();
        let mut field = match (options.is_empty(), question.multi) {
            (true, _) => json!({"type": "string"}),
            (false, true) => json!({"type": "array", "items": {"anyOf": options}}),
            (false, false) => json!({"type": "string", "oneOf": options}),
        };
        field["title"] = json!(title);
        if questions.len() > 1 {
            field["description"] = json!(question.text);
        }
        properties.insert(name(nth), field);
        if !options.is_empty() {
            properties.insert(other(nth), json!({"type": "string", "title": format!("{title}, in your own words")}));
        }
    }
    let message = match questions {
        [question] => format!("{}\n(Also on your phone; the first answer counts.)", question.text),
        _ => "Questions from the agent. (Also on your phone; the first answer counts.)".to_owned(),
    };
    (message, json!({"type": "object", "properties": properties}))
}

/// Field names that sort in the order of the questions.
fn name(nth: usize) -> String {
    format!("q{:02}", nth + 1)
}

fn other(nth: usize) -> String {
    format!("{}_other", name(nth))
}

/// Reads a submitted form. `None`: it is empty.
fn read(body: &Body, content: &Value) -> Option<Answer> {
    let Body::Questions(questions) = body else { return None };
    let picks: Vec<_> = questions.iter().enumerate().map(|(nth, question)| pick(question, nth, content)).collect();
    picks.iter().any(|pick| *pick != Pick::default()).then_some(Answer::Questions(picks))
}

fn pick(question: &Question, nth: usize, content: &Value) -> Pick {
    let (mut pick, mut words) = (Pick::default(), Vec::new());
    let given = &content[name(nth)];
    let given = given.as_array().map_or_else(|| std::slice::from_ref(given), Vec::as_slice);
    for text in given.iter().filter_map(Value::as_str) {
        let option = question.options.iter().position(|option| option.label == text);
        match option.and_then(|at| u16::try_from(at).ok()) {
            Some(at) => pick.chosen.push(at),
            None => words.push(text),
        }
    }
    pick.chosen.sort_unstable();
    pick.chosen.dedup();
    words.extend(content[other(nth)].as_str());
    let words = words.join("\n");
    pick.text = Some(words.trim().to_owned()).filter(|words| !words.is_empty());
    pick
}
