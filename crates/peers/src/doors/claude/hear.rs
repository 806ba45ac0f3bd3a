//! Parses a line of Claude Code's stdout and dispatches it.

use super::calls::ReplyChannel;
use super::peer::Claude;
use super::say::INITIALIZE;
use super::wire::{Answered, ClaudeLine};
use crate::peer::{Cx, Outbox};
use askbridge_core::event::Level;

impl Claude {
    /// Handles one line. Unknown lines are skipped and counted.
    pub(super) fn line(&mut self, text: &str, cx: &mut Cx<'_>) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let Ok(line) = serde_json::from_str::<ClaudeLine<'_>>(text) else {
            self.passed_over += 1;
            return;
        };
        match &*line.kind {
            "stream_event" => self.streamed(&line, cx.out),
            "assistant" => self.assistant(&line, cx.out),
            "user" => self.user(&line, cx.out),
            "result" => self.turn_ended(text, &line, cx.out),
            "system" => self.system(text, &line, cx.out),
            "control_request" => self.control_request(&line, cx),
            "control_cancel_request" => self.cancelled(&line, cx.out),
            "control_response" => self.control_response(&line, cx.out),
            "command_lifecycle" => {
                let state = line.state.and_then(|state| serde_json::from_str::<String>(state.get()).ok());
                if let (Some(uuid), Some(state)) = (&line.command_uuid, state) {
                    self.lifecycle(uuid, &state, cx.out);
                }
            }
            // Known, and of no use to us.
            "tool_progress" | "attachment" | "rate_limit_event" | "auth_status" | "prompt_suggestion" => {}
            _ => self.passed_over += 1,
        }
    }

    /// Claude Code cancelled its request. The tool's result will say why; forms and denials have none.
    fn cancelled(&mut self, line: &ClaudeLine<'_>, out: &mut Outbox) {
        let Some(request) = &line.request_id else { return };
        if self.consulting.remove(&**request).is_some() {
            return;
        }
        let Some((id, call)) = self.calls.iter_mut().find(|(_, call)| call.waits_with(request)) else { return };
        let why = match call.channel {
            Some(ReplyChannel::Elicitation(_)) => Some("the form is no longer wanted"),
            Some(ReplyChannel::Denied(_)) => Some("the denial is no longer waited with"),
            _ => None,
        };
        if let Some(why) = why {
            let id = id.clone();
            return self.returned(&id, false, why, out);
        }
        call.channel = None;
        call.cancelled = true;
    }

    fn control_response(&mut self, line: &ClaudeLine<'_>, out: &mut Outbox) {
        let answered = line.response.and_then(|response| serde_json::from_str::<Answered>(response.get()).ok());
        let Some(answered) = answered else {
            self.passed_over += 1;
            return;
        };
        if answered.request_id.as_deref() == Some(INITIALIZE) {
            self.initialized = true;
        }
        self.interrupt_was_heard(answered.request_id.as_deref().unwrap_or_default());
        if answered.subtype == "error" {
            let why = answered.error.unwrap_or_else(|| "without a reason".to_owned());
            let name = format!("refused/{}", answered.request_id.unwrap_or_default());
            self.notice(name, Level::Warning, format!("Claude Code refused a request: {why}"), out);
        }
    }
}
