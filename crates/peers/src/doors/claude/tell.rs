//! Turns events into what Claude Code has to be told.

use serde_json::json;

use askbridge_core::event::{Event, Settings};
use askbridge_core::terms::Warm;

use super::peer::Claude;
use crate::peer::{Cx, Outbox};

impl Claude {
    pub(super) fn happened(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Asked(ask) => {
                let Some(id) = ask.call.as_ref().map(|call| call.as_str().to_owned()) else { return };
                if let Some(call) = self.calls.get_mut(&id) {
                    call.messages = ask.terms.messages;
                    call.warm_until = match ask.terms.warm {
                        Warm::For(_) if self.hurries => Some(cx.now),
                        Warm::For(span) => Some(ask.at.plus(span)),
                        Warm::Hold => None,
                    };
                    self.know(&id, ask.id, cx.out);
                }
            }
            Event::Settled(settled) => self.settled(settled.ask, settled.verdict.clone(), cx.out),
            // Not by the agent, which still waits.
            Event::Withdrawn { ask, why, .. } => self.taken_back(*ask, why, cx.out),
            Event::Said(said) => self.said(said.message, said.text.clone(), cx.out),
            Event::Unsaid { message } => self.unsaid(*message),
            Event::Interrupted { at, .. } => self.interrupt(*at, cx.out),
            Event::Configured(settings) => self.configured(settings, cx.out),
            Event::Closed { .. } | Event::Continued { .. } => self.leave(super::CLOSED, "the session is over", cx.out),
            _ => {}
        }
    }

    fn configured(&mut self, settings: &Settings, out: &mut Outbox) {
        let known = self.settings.clone().unwrap_or_default();
        if let Some(model) = settings.model.as_ref().filter(|model| known.model.as_ref() != Some(model)) {
            self.request(&json!({"subtype": "set_model", "model": model}), out);
        }
        // What Claude Code itself has reported it need not be told.
        if let Some(mode) = settings.mode.as_ref().filter(|mode| known.mode.as_ref() != Some(mode)) {
            self.request(&json!({"subtype": "set_permission_mode", "mode": mode}), out);
        }
        if let Some(known) = &mut self.settings {
            std::sync::Arc::make_mut(known).merge(settings);
        }
    }
}
